package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/llmbench/go/mock"
)

// load reads a script file. A field it does not know is an error with its line.
func load(file string) (mock.Responder, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r, err := read(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// read is load without the file.
func read(b []byte) (mock.Responder, error) {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	var n node
	switch err := dec.Decode(&n); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty, want a script, an engine or a combination")
	case err != nil:
		return nil, err
	}
	if dec.Decode(new(yaml.Node)) != io.EOF {
		return nil, errors.New("the file has several documents, want one")
	}
	return n.responder()
}

// node is a responder: exactly one of its fields is set.
type node struct {
	Script     *script     `yaml:"script"`
	Engine     *engine     `yaml:"engine"`
	Sequence   []node      `yaml:"sequence"`
	Cycle      []node      `yaml:"cycle"`
	Mix        *mix        `yaml:"mix"`
	ByPrompt   *byPrompt   `yaml:"by_prompt"`
	ByHeader   *byHeader   `yaml:"by_header"`
	ByModel    *byModel    `yaml:"by_model"`
	RateLimit  *rateLimit  `yaml:"rate_limit"`
	QueueLimit *queueLimit `yaml:"queue_limit"`
	With       *faulty     `yaml:"with"`
}

type mix struct {
	Seed   uint64  `yaml:"seed"`
	Shares []share `yaml:"shares"`
}

type share struct {
	Weight float64 `yaml:"weight"`
	Node   node    `yaml:",inline"`
}

type branch struct {
	Then      node `yaml:"then"`
	Otherwise node `yaml:"otherwise"`
}

type byPrompt struct {
	Contains string `yaml:"contains"`
	Branch   branch `yaml:",inline"`
}

type byHeader struct {
	Name   string `yaml:"name"`
	Value  string `yaml:"value"`
	Branch branch `yaml:",inline"`
}

type byModel struct {
	Model  string `yaml:"model"`
	Branch branch `yaml:",inline"`
}

type rateLimit struct {
	PerSecond float64 `yaml:"per_second"`
	Burst     int     `yaml:"burst"`
	Next      node    `yaml:"next"`
}

type queueLimit struct {
	InFlight   int           `yaml:"in_flight"`
	RetryAfter time.Duration `yaml:"retry_after"`
	Next       node          `yaml:"next"`
}

type faulty struct {
	Faults []fault `yaml:"faults"`
	Next   node    `yaml:"next"`
}

// responder makes what the node says.
func (n node) responder() (mock.Responder, error) {
	var found []mock.Responder
	var errs []error
	add := func(r mock.Responder, err error) {
		found = append(found, r)
		errs = append(errs, err)
	}
	if n.Script != nil {
		add(n.Script.responder())
	}
	if n.Engine != nil {
		add(n.Engine.responder())
	}
	if n.Sequence != nil {
		add(list("sequence", n.Sequence, mock.Sequence))
	}
	if n.Cycle != nil {
		add(list("cycle", n.Cycle, mock.Cycle))
	}
	if n.Mix != nil {
		add(n.Mix.responder())
	}
	n.addBranches(add)
	n.addLimits(add)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("an entry has %d kinds, want exactly one of script, engine, sequence, cycle, mix, by_prompt, by_header, by_model, rate_limit, queue_limit, with", len(found))
	}
	return found[0], nil
}

func (n node) addBranches(add func(mock.Responder, error)) {
	if b := n.ByPrompt; b != nil {
		add(b.Branch.make(func(then, otherwise mock.Responder) mock.Responder {
			return mock.ByPrompt(b.Contains, then, otherwise)
		}))
	}
	if b := n.ByHeader; b != nil {
		add(b.Branch.make(func(then, otherwise mock.Responder) mock.Responder {
			return mock.ByHeader(b.Name, b.Value, then, otherwise)
		}))
	}
	if b := n.ByModel; b != nil {
		add(b.Branch.make(func(then, otherwise mock.Responder) mock.Responder {
			return mock.ByModel(b.Model, then, otherwise)
		}))
	}
}

func (n node) addLimits(add func(mock.Responder, error)) {
	if l := n.RateLimit; l != nil {
		next, err := l.Next.responder()
		add(mock.RateLimit(l.PerSecond, l.Burst, next), err)
	}
	if l := n.QueueLimit; l != nil {
		next, err := l.Next.responder()
		add(mock.QueueLimit(l.InFlight, l.RetryAfter, next), err)
	}
	if w := n.With; w != nil {
		next, err := w.Next.responder()
		faults, err2 := all(w.Faults)
		add(mock.With(next, faults...), errors.Join(err, err2))
	}
}

func (b branch) make(join func(then, otherwise mock.Responder) mock.Responder) (mock.Responder, error) {
	then, err := b.Then.responder()
	if err != nil {
		return nil, fmt.Errorf("then: %w", err)
	}
	otherwise, err := b.Otherwise.responder()
	if err != nil {
		return nil, fmt.Errorf("otherwise: %w", err)
	}
	return join(then, otherwise), nil
}

// list makes entries in order, and names the one that is wrong.
func list(name string, nodes []node, join func(mock.Responder, ...mock.Responder) mock.Responder) (mock.Responder, error) {
	var rs []mock.Responder
	for i, n := range nodes {
		r, err := n.responder()
		if err != nil {
			return nil, fmt.Errorf("%s: entry %d: %w", name, i, err)
		}
		rs = append(rs, r)
	}
	if len(rs) == 0 {
		return nil, fmt.Errorf("%s: there are 0 entries, want at least 1", name)
	}
	return join(rs[0], rs[1:]...), nil
}

func (m *mix) responder() (mock.Responder, error) {
	var shares []mock.Share
	for i, s := range m.Shares {
		r, err := s.Node.responder()
		if err != nil {
			return nil, fmt.Errorf("mix: share %d: %w", i, err)
		}
		shares = append(shares, mock.Share{Weight: s.Weight, Responder: r})
	}
	return mock.Mix(m.Seed, shares...), nil
}
