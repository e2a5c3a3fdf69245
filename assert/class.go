package assert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llmbench/go/llmbench"
)

// A Class picks some of the requests of a run: those that fit every field that
// is set. The zero Class picks all.
type Class struct {
	// Label is the label of the request.
	Label string
	// MinInput and MaxInput bound the input tokens, both included.
	MinInput, MaxInput int
	// MinTurn and MaxTurn bound the turn of the conversation, both included; the
	// first turn is 1.
	MinTurn, MaxTurn int
	// Cache picks by what the server said of its prefix cache.
	Cache CacheUse
}

// CacheUse is whether a prompt was found in the prefix cache, as far as the
// server says so.
type CacheUse uint8

const (
	// AnyCache does not ask.
	AnyCache CacheUse = iota
	// CacheHit is a prompt of which some tokens were cached.
	CacheHit
	// CacheMiss is a prompt of which none were, and the server said so.
	CacheMiss
)

// Among is a claim about the requests of one class only. Their rates and curves
// are of the class alone, over the window of the whole run. Without a request of
// the class it cannot be judged.
func Among(class Class, claim Claim) Claim { return among{class, claim} }

type among struct {
	class Class
	claim Claim
}

func (a among) claimName() string { return claimName(a.claim) }

// Check judges the claim.
func (a among) Check(r *llmbench.Result) Verdict {
	if why := a.class.wrong(); why != "" {
		return about("a class", r).badClaim("%s", why)
	}
	part, err := a.class.of(r)
	if err != nil {
		return about(a.class.String(), r).cannot("%v", err)
	}
	v := Judge(a.claim, part)
	v.Line += ", among " + a.class.String()
	return v
}

func (c Class) wrong() string {
	switch {
	case c.MinInput < 0 || (c.MaxInput != 0 && c.MaxInput < c.MinInput):
		return fmt.Sprintf("Class: MinInput is %d and MaxInput %d, want 0 <= MinInput <= MaxInput", c.MinInput, c.MaxInput)
	case c.MinTurn < 0 || (c.MaxTurn != 0 && c.MaxTurn < c.MinTurn):
		return fmt.Sprintf("Class: MinTurn is %d and MaxTurn %d, want 0 <= MinTurn <= MaxTurn", c.MinTurn, c.MaxTurn)
	case c.Cache > CacheMiss:
		return fmt.Sprintf("Class: Cache is %d, want CacheHit or CacheMiss", c.Cache)
	}
	return ""
}

// String says which requests these are: "requests with label chat".
func (c Class) String() string {
	var with []string
	add := func(format string, args ...any) { with = append(with, fmt.Sprintf(format, args...)) }
	if c.Label != "" {
		add("label %s", c.Label)
	}
	span(add, "input tokens", c.MinInput, c.MaxInput)
	span(add, "turn", c.MinTurn, c.MaxTurn)
	switch c.Cache {
	case CacheHit:
		add("a cache hit")
	case CacheMiss:
		add("a cache miss")
	}
	if len(with) == 0 {
		return "all requests"
	}
	return "requests with " + strings.Join(with, " and ")
}

func span(add func(string, ...any), what string, from, to int) {
	switch {
	case from == to && from > 0:
		add("%s %d", what, from)
	case to == 0 && from > 0:
		add("%s >= %d", what, from)
	case from == 0 && to > 0:
		add("%s <= %d", what, to)
	case from > 0:
		add("%s %d to %d", what, from, to)
	}
}

// has reports whether a request is of the class. One whose input or cached
// tokens are unknown is of no class that asks for them.
func (c Class) has(record *llmbench.Record) bool {
	if c.Label != "" && record.Label != c.Label {
		return false
	}
	if !within(record.Turn+1, c.MinTurn, c.MaxTurn) {
		return false
	}
	if c.MinInput > 0 || c.MaxInput > 0 {
		tokens, ok := record.InputTokens.Get()
		if !ok || !within(tokens, c.MinInput, c.MaxInput) {
			return false
		}
	}
	cached, ok := record.CachedTokens.Get()
	return c.Cache == AnyCache || (ok && (cached > 0) == (c.Cache == CacheHit))
}

func within(n, from, to int) bool { return n >= from && (to == 0 || n <= to) }

// of analyses the requests of the class, over the window of the whole.
func (c Class) of(r *llmbench.Result) (*llmbench.Result, error) {
	if c == (Class{}) {
		return r, nil
	}
	var part []llmbench.Record
	for i := range r.Records {
		if record := &r.Records[i]; c.has(record) {
			part = append(part, *record)
		}
	}
	if !slices.ContainsFunc(part, func(record llmbench.Record) bool { return record.Measured() }) {
		return nil, fmt.Errorf("there are none%s", labels(c, r))
	}
	opts := llmbench.AnalyzeOptions{From: r.Window.From, To: max(r.Window.To, to(r))}
	if r.Window.Length() <= 0 {
		opts = llmbench.AnalyzeOptions{}
	}
	result, err := llmbench.Analyze(part, opts)
	if err != nil {
		return nil, err
	}
	result.Profile, result.Schedule, result.Environment = r.Profile, r.Schedule, r.Environment
	result.Generator, result.Stopped, result.Decided = r.Generator, r.Stopped, r.Decided
	return result, nil
}

// labels lists the labels there are, where one was asked for.
func labels(c Class, r *llmbench.Result) string {
	if c.Label == "" {
		return ""
	}
	seen := map[string]bool{}
	for record := range r.Requests() {
		if record.Label != "" {
			seen[record.Label] = true
		}
	}
	if len(seen) == 0 {
		return ", and no request has a label"
	}
	var all []string
	for label := range seen {
		all = append(all, label)
	}
	slices.Sort(all)
	return ", labels are " + strings.Join(all, ", ")
}
