package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/llmbench/go/mock"
)

// script has the fields of mock.Script.
type script struct {
	TTFT              time.Duration   `yaml:"ttft"`
	TTFTPerInputToken time.Duration   `yaml:"ttft_per_input_token"`
	TTFTs             *times          `yaml:"ttfts"`
	ITL               time.Duration   `yaml:"itl"`
	Gaps              []time.Duration `yaml:"gaps"`
	ITLs              *times          `yaml:"itls"`
	HeaderDelay       time.Duration   `yaml:"header_delay"`
	KeepAlive         time.Duration   `yaml:"keep_alive"`
	Output            int             `yaml:"output"`
	OutputSpread      int             `yaml:"output_spread"`
	Reasoning         int             `yaml:"reasoning"`
	Text              string          `yaml:"text"`
	Tools             []tool          `yaml:"tools"`
	TokensPerChunk    int             `yaml:"tokens_per_chunk"`
	Role              string          `yaml:"role"`
	Finish            string          `yaml:"finish"`
	Usage             string          `yaml:"usage"`
	UsageError        int             `yaml:"usage_error"`
	Cached            *int            `yaml:"cached"`
	Model             string          `yaml:"model"`
	Faults            []fault         `yaml:"faults"`
	Seed              uint64          `yaml:"seed"`
}

type tool struct {
	Name      string `yaml:"name"`
	Arguments string `yaml:"arguments"`
}

var roles = map[string]mock.RoleTime{
	"": mock.RoleAtOnce, "at_once": mock.RoleAtOnce, "with_first": mock.RoleWithFirst, "never": mock.RoleNever,
}

var usages = map[string]mock.UsageTime{
	"": mock.UsageAsAsked, "as_asked": mock.UsageAsAsked, "always": mock.UsageAlways, "never": mock.UsageNever, "every": mock.UsageEvery,
}

func (s *script) responder() (mock.Responder, error) {
	return s.make()
}

// make fills in a Script; what a Script itself can find wrong is left to it.
func (s *script) make() (mock.Script, error) {
	role, ok := roles[s.Role]
	if !ok {
		return mock.Script{}, fmt.Errorf("script: role is %q, want at_once, with_first or never", s.Role)
	}
	usage, ok := usages[s.Usage]
	if !ok {
		return mock.Script{}, fmt.Errorf("script: usage is %q, want as_asked, always, never or every", s.Usage)
	}
	ttfts, err := s.TTFTs.make()
	itls, err2 := s.ITLs.make()
	faults, err3 := all(s.Faults)
	out := mock.Script{
		TTFT: s.TTFT, TTFTPerInputToken: s.TTFTPerInputToken, TTFTs: ttfts,
		ITL: s.ITL, Gaps: s.Gaps, ITLs: itls, HeaderDelay: s.HeaderDelay, KeepAlive: s.KeepAlive,
		Output: s.Output, OutputSpread: s.OutputSpread, Reasoning: s.Reasoning, Text: s.Text, TokensPerChunk: s.TokensPerChunk,
		Role: role, Finish: s.Finish, Usage: usage, UsageError: s.UsageError, Model: s.Model, Faults: faults, Seed: s.Seed,
	}
	if s.Cached != nil {
		out.Cached = *s.Cached
		if out.Cached == 0 {
			out.Cached = mock.NoneCached // in a file a 0 is written to be said
		}
	}
	for _, t := range s.Tools {
		out.Tools = append(out.Tools, mock.ToolCall(t))
	}
	return out, errors.Join(err, err2, err3)
}

// times is a distribution: exactly one of its fields is set.
type times struct {
	Uniform     *span     `yaml:"uniform"`
	Normal      *bell     `yaml:"normal"`
	Exponential *mean     `yaml:"exponential"`
	LogNormal   *longTail `yaml:"log_normal"`
}

type span struct {
	Least time.Duration `yaml:"least"`
	Most  time.Duration `yaml:"most"`
}

type bell struct {
	Mean      time.Duration `yaml:"mean"`
	Deviation time.Duration `yaml:"deviation"`
}

type mean struct {
	Mean time.Duration `yaml:"mean"`
}

type longTail struct {
	Median time.Duration `yaml:"median"`
	Sigma  float64       `yaml:"sigma"`
}

func (t *times) make() (mock.Times, error) {
	var found []mock.Times
	switch {
	case t == nil:
		return nil, nil
	case t.Uniform != nil:
		found = append(found, mock.Uniform(t.Uniform.Least, t.Uniform.Most))
	}
	if t.Normal != nil {
		found = append(found, mock.Normal(t.Normal.Mean, t.Normal.Deviation))
	}
	if t.Exponential != nil {
		found = append(found, mock.Exponential(t.Exponential.Mean))
	}
	if t.LogNormal != nil {
		found = append(found, mock.LogNormal(t.LogNormal.Median, t.LogNormal.Sigma))
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("a distribution has %d kinds, want exactly one of uniform, normal, exponential, log_normal", len(found))
	}
	return found[0], nil
}

// engine has the fields of mock.Engine; the time of a step is base + per_request
// for each request.
type engine struct {
	Slots       int     `yaml:"slots"`
	QueueLimit  int     `yaml:"queue_limit"`
	PrefillRate float64 `yaml:"prefill_rate"`
	ChunkTokens int     `yaml:"chunk_tokens"`
	Step        struct {
		Base       time.Duration `yaml:"base"`
		PerRequest time.Duration `yaml:"per_request"`
	} `yaml:"step"`
	KVTokens    int    `yaml:"kv_tokens"`
	BlockTokens int    `yaml:"block_tokens"`
	PrefixCache bool   `yaml:"prefix_cache"`
	Reply       script `yaml:"reply"`
}

func (e *engine) responder() (mock.Responder, error) {
	reply, err := e.Reply.make()
	return mock.Engine{
		Slots: e.Slots, QueueLimit: e.QueueLimit, PrefillRate: e.PrefillRate, ChunkTokens: e.ChunkTokens,
		StepTime: mock.LinearStep(e.Step.Base, e.Step.PerRequest), KVTokens: e.KVTokens, BlockTokens: e.BlockTokens,
		PrefixCache: e.PrefixCache, Reply: reply,
	}, err
}
