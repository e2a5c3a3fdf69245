package llmbench

import (
	"time"
)

const (
	// DefaultTimeout bounds one request when Profile.Timeout is zero.
	DefaultTimeout = 5 * time.Minute
	// DefaultGrace is how long requests in flight may go on after the end of
	// Profile.Duration when Profile.Grace is zero.
	DefaultGrace = 30 * time.Second
	// NoTimeout is the Profile.Timeout of requests that may take for ever.
	NoTimeout = time.Duration(-1)
	// NoGrace is the Profile.Grace that cancels at the end of Duration.
	NoGrace = time.Duration(-1)
	// DefaultInput is the prompt length when Profile.Input is nil, in tokens.
	DefaultInput = 128
	// NoFailureLimit is the Profile.FailureLimit of a run that goes on whatever
	// fails.
	NoFailureLimit = -1
)

// A Profile is the load: what comes when, how long, and within which limits.
// The same profile and seed make the same schedule on any machine.
type Profile struct {
	// Arrivals say when requests come; nil is Closed(1), one user.
	Arrivals Arrivals
	// Requests is how many requests the measured part has; Duration is for how
	// long it sends. At least one must be given, unless the arrivals end by
	// themselves ([Replay], [Stages]); the first that is reached ends the sending.
	// Warm-up comes on top.
	Requests int
	Duration time.Duration
	// Input is the prompt length; nil is DefaultInput tokens.
	Input Length
	// Output is the length asked for; nil asks for none, the model decides.
	Output Length
	// Think is how long a user of a closed loop waits between a reply and the next
	// request, and how long a session does in any loop; nil is not at all.
	Think Pause
	// Sessions make conversations of requests; the zero value makes none.
	Sessions Sessions
	// Classes make a mix of requests of several kinds, each under its label.
	Classes []Class
	// Dataset is where requests come from in place of Input: rows of a trace in a
	// seeded order, with their lengths, prompts and sessions, again from its first
	// row when it is through. It must not change afterwards.
	Dataset *Trace
	// Prompt says what prompts have in common, and their pictures.
	Prompt PromptPart
	// Warmup is sent first and enters no metric. Its requests are of the same
	// kinds as the others and differ in their text, so that it warms more than one
	// prefix.
	Warmup WarmupPart
	// Cooldown is for how long the load goes on after the measured part, so that
	// the last measured requests end under the load they began in. Its requests
	// enter no metric.
	Cooldown time.Duration
	// Seed decides all that is random. The environment variable LLMBENCH_SEED
	// takes its place.
	Seed uint64

	// MaxInFlight bounds the requests in flight of an open loop; 0 is no bound.
	// A request that finds it full waits in a queue of the harness, and its
	// effective latencies still start at the schedule.
	MaxInFlight int
	// MaxPrefill bounds the requests of an open loop that wait for their first
	// token; 0 is no bound. A slot is free again when content arrives.
	MaxPrefill int
	// Timeout bounds one request from its sending; 0 is DefaultTimeout, or
	// NoTimeout.
	Timeout time.Duration
	// IdleTimeout ends a reply that delivers nothing for so long; 0 is no bound
	// but Timeout.
	IdleTimeout time.Duration
	// Grace is how long requests in flight may go on after Duration, then they
	// are cancelled; 0 is DefaultGrace, or NoGrace.
	Grace time.Duration
	// Cancel gives up a share of the requests on purpose.
	Cancel CancelPart
	// FailureLimit ends the run early when the share of failures among the last
	// requests (100, or four times as many as are in flight) reaches it, so that a
	// loop against a dead server does not spin; 0 is 1, when every one of them
	// failed, or NoFailureLimit.
	FailureLimit float64
	// StopWhenDecided ends the run as soon as its verdict is, by a rule that keeps
	// the confidence it states; assert.Decided makes one of claims. What is in
	// flight then is cancelled, and Result.Decided says why. nil runs to the end.
	StopWhenDecided Decider
	// Pace is how exactly an open loop keeps its instants.
	Pace Pace
	// Capture keeps the bytes of so many exchanges with the instants of their
	// reads in Result.Captures, up to 1 MiB of a reply each, failed ones before
	// others.
	Capture int
	// Rehearsal is what [Rehearse] said of the harness under this load; the result
	// shows it. It is no part of the load.
	Rehearsal *Rehearsal
	// Body sets what else a request asks of the server.
	Body Body
}

// A WarmupPart is the load before the measured part, without a pause between
// them. With both fields set a request that either of them covers is warm-up.
type WarmupPart struct {
	// Requests is how many requests warm up.
	Requests int `json:"requests,omitempty"`
	// Duration is for how long requests warm up.
	Duration time.Duration `json:"duration_ns,omitempty"`
}

// A Body sets the fields of a request that are not the load's.
type Body struct {
	// NoStream asks for the reply in one piece.
	NoStream bool `json:"no_stream,omitempty"`
	// NoUsage does not ask for token usage at the end of the stream.
	NoUsage bool `json:"no_usage,omitempty"`
	// LimitField is the field that carries the output length; empty is what the
	// API has, "max_completion_tokens" for chat; "max_tokens" is for servers
	// that know only that; "both" sends the two.
	LimitField string `json:"limit_field,omitempty"`
	// IgnoreEOS asks the server to go on to the length asked for (vLLM, SGLang,
	// llama.cpp: ignore_eos).
	IgnoreEOS bool `json:"ignore_eos,omitempty"`
	// MinTokens is the least length of a reply (vLLM: min_tokens); 0 sends none.
	MinTokens int `json:"min_tokens,omitempty"`
	// System is the system prompt; empty sends none.
	System string `json:"system,omitempty"`
	// Tools are offered to the model, each in the form of the API: for chat
	// {"type": "function", "function": {...}}.
	Tools []map[string]any `json:"tools,omitempty"`
	// Extra is merged into the top level of the request last.
	Extra map[string]any `json:"extra,omitempty"`
}

// withDefaults returns the profile with every default in place.
func (p Profile) withDefaults() Profile {
	if p.Arrivals == nil {
		p.Arrivals = Closed(1)
	}
	if _, replayed := p.Arrivals.(replay); p.Input == nil && p.Dataset == nil && !replayed {
		p.Input = Tokens(DefaultInput)
	}
	if p.FailureLimit == 0 {
		p.FailureLimit = 1
	}
	if length, ends := p.Arrivals.length().Get(); ends && p.Arrivals.Users() > 0 && p.Requests == 0 && p.Duration == 0 {
		p.Duration = length - p.Warmup.Duration // users leave when the last stage is over
	}
	if p.Timeout == 0 {
		p.Timeout = DefaultTimeout
	}
	if p.Grace == 0 {
		p.Grace = DefaultGrace
	}
	return p
}
