package llmbench

import (
	"encoding/json"
	"strings"
)

// profileJSON is a profile in files: times in nanoseconds, and what is an
// interface in words.
type profileJSON struct {
	Arrivals     string     `json:"arrivals"`
	Requests     int        `json:"requests,omitempty"`
	Duration     int64      `json:"duration_ns,omitempty"`
	Input        string     `json:"input,omitempty"`
	Output       string     `json:"output,omitempty"`
	Think        string     `json:"think,omitempty"`
	Turns        string     `json:"turns,omitempty"`
	History      string     `json:"history,omitempty"`
	Classes      []string   `json:"classes,omitempty"`
	Dataset      string     `json:"dataset,omitempty"`
	Prompt       PromptPart `json:"prompt,omitzero"`
	Warmup       WarmupPart `json:"warmup,omitzero"`
	Cooldown     int64      `json:"cooldown_ns,omitempty"`
	Seed         uint64     `json:"seed"`
	MaxInFlight  int        `json:"max_in_flight,omitempty"`
	MaxPrefill   int        `json:"max_prefill,omitempty"`
	Timeout      int64      `json:"timeout_ns,omitempty"`
	IdleTimeout  int64      `json:"idle_timeout_ns,omitempty"`
	Grace        int64      `json:"grace_ns"`
	CancelShare  float64    `json:"cancel_share,omitempty"`
	CancelAfter  string     `json:"cancel_after,omitempty"`
	FailureLimit float64    `json:"failure_limit,omitempty"`
	Pace         Pace       `json:"pace,omitempty"`
	Body         Body       `json:"body"`
}

// MarshalJSON writes the profile with its defaults in place.
func (p Profile) MarshalJSON() ([]byte, error) {
	p = p.withDefaults()
	out := profileJSON{
		Arrivals: p.Arrivals.String(), Requests: p.Requests, Duration: int64(p.Duration),
		Prompt: p.Prompt, Warmup: p.Warmup, Cooldown: int64(p.Cooldown), Seed: p.Seed, MaxInFlight: p.MaxInFlight, MaxPrefill: p.MaxPrefill,
		Timeout: int64(max(p.Timeout, 0)), IdleTimeout: int64(p.IdleTimeout), Grace: int64(max(p.Grace, 0)),
		CancelShare: p.Cancel.Share, Pace: p.Pace, Body: p.Body,
	}
	out.Body.Extra = withoutSecrets(out.Body.Extra)
	if p.Input != nil {
		out.Input = p.Input.String()
	}
	if p.Output != nil {
		out.Output = p.Output.String()
	}
	if p.FailureLimit != 1 { // the default says nothing about the load
		out.FailureLimit = p.FailureLimit
	}
	p.wordsInto(&out)
	return json.Marshal(out)
}

// wordsInto adds what most profiles do not have.
func (p Profile) wordsInto(out *profileJSON) {
	if p.Think != nil {
		out.Think = p.Think.String()
	}
	if p.Sessions.Turns != nil {
		out.Turns, out.History = strings.ReplaceAll(p.Sessions.Turns.String(), "tokens", "turns"), p.Sessions.History.String()
	}
	if p.Dataset != nil {
		out.Dataset, out.History = p.Dataset.String(), p.Sessions.History.String()
	}
	if p.Cancel.Share > 0 && p.Cancel.After != nil {
		out.CancelAfter = p.Cancel.After.String()
	}
	for _, class := range p.Classes {
		out.Classes = append(out.Classes, class.String())
	}
}
