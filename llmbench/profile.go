package llmbench

import (
	"encoding/json"
	"fmt"
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
)

// A Profile is the load: what comes when, how long, and within which limits.
// The same profile and seed make the same schedule on any machine.
type Profile struct {
	// Arrivals say when requests come; nil is Closed(1), one user.
	Arrivals Arrivals
	// Requests is how many requests the measured part has; Duration is for how
	// long it sends. At least one must be given; with both, the first that is
	// reached ends the sending. Warm-up comes on top.
	Requests int
	Duration time.Duration
	// Input is the prompt length; nil is DefaultInput tokens.
	Input Length
	// Output is the length asked for; nil asks for none, the model decides.
	Output Length
	// Warmup is sent first and enters no metric.
	Warmup WarmupPart
	// Seed decides all that is random. The environment variable LLMBENCH_SEED
	// takes its place.
	Seed uint64

	// MaxInFlight bounds the requests in flight of an open loop; 0 is no bound.
	// A request that finds it full waits in a queue of the harness, and its
	// effective latencies still start at the schedule.
	MaxInFlight int
	// Timeout bounds one request from its sending; 0 is DefaultTimeout, or
	// NoTimeout.
	Timeout time.Duration
	// IdleTimeout ends a reply that delivers nothing for so long; 0 is no bound
	// but Timeout.
	IdleTimeout time.Duration
	// Grace is how long requests in flight may go on after Duration, then they
	// are cancelled; 0 is DefaultGrace, or NoGrace.
	Grace time.Duration
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
	// Extra is merged into the top level of the request last.
	Extra map[string]any `json:"extra,omitempty"`
}

// check names the first field that makes the profile unusable, its value and
// what was wanted.
func (p Profile) check() error {
	for _, err := range []error{
		p.Arrivals.check(), p.checkLengths(), p.checkAmount(), p.checkBounds(), p.checkBody(),
	} {
		if err != nil {
			return fmt.Errorf("llmbench: profile: %w", err)
		}
	}
	return nil
}

// wrong is the error of a field: its name, its value and what was wanted.
func wrong(field, format string, args ...any) error {
	return fmt.Errorf("%s "+format, append([]any{field}, args...)...)
}

func (p Profile) checkLengths() error {
	if err := p.Input.check(); err != nil {
		return wrong("Input", "%w", err)
	}
	if p.Output == nil {
		return nil
	}
	if err := p.Output.check(); err != nil {
		return wrong("Output", "%w", err)
	}
	return nil
}

func (p Profile) checkAmount() error {
	switch {
	case p.Requests < 0:
		return wrong("Requests", "is %d, want > 0", p.Requests)
	case p.Duration < 0:
		return wrong("Duration", "is %v, want > 0", p.Duration)
	case p.Requests == 0 && p.Duration == 0:
		return wrong("Requests", "and Duration are both 0, want at least one of them > 0")
	case p.Warmup.Requests < 0:
		return wrong("Warmup.Requests", "is %d, want >= 0", p.Warmup.Requests)
	case p.Warmup.Duration < 0:
		return wrong("Warmup.Duration", "is %v, want >= 0", p.Warmup.Duration)
	case p.Requests > 0 && p.Arrivals.Users() > p.Requests:
		return wrong("Arrivals:", "Closed users is %d, want <= Requests, which is %d: the rest would have nothing to send",
			p.Arrivals.Users(), p.Requests)
	case instant(1/float64(p.Arrivals.Rate())) == 0 && p.Requests == 0:
		return wrong("Arrivals:", "rate is %v, want under 2e9 req/s or Requests > 0: all would come at once, without end",
			float64(p.Arrivals.Rate()))
	}
	return p.checkSize()
}

// checkSize refuses a plan that would not fit into memory.
func (p Profile) checkSize() error {
	planned := float64(p.Arrivals.Rate()) * (p.Warmup.Duration + p.Duration).Seconds()
	if p.Requests > 0 && (p.Duration == 0 || float64(p.Requests) < planned) {
		planned = float64(p.Requests)
	}
	if planned > maxPlanned {
		return wrong("Arrivals", "and Duration or Requests plan %.3g requests, want at most %d", planned, maxPlanned)
	}
	return nil
}

func (p Profile) checkBounds() error {
	for _, bound := range []struct {
		name  string
		value time.Duration
		none  string
	}{{"Timeout", p.Timeout, "NoTimeout"}, {"Grace", p.Grace, "NoGrace"}} {
		if bound.value < 0 && bound.value != NoTimeout {
			return fmt.Errorf("%s is %v, want >= 0 or llmbench.%s", bound.name, bound.value, bound.none)
		}
	}
	switch {
	case p.IdleTimeout < 0:
		return wrong("IdleTimeout", "is %v, want >= 0", p.IdleTimeout)
	case p.MaxInFlight < 0:
		return wrong("MaxInFlight", "is %d, want >= 0", p.MaxInFlight)
	case p.MaxInFlight > 0 && p.Arrivals.Users() > 0:
		return wrong("MaxInFlight", "is %d, want 0 in a closed loop: its %d users are the bound",
			p.MaxInFlight, p.Arrivals.Users())
	}
	return nil
}

func (p Profile) checkBody() error {
	switch p.Body.LimitField {
	case "", "max_tokens", "max_completion_tokens", "both":
	default:
		return wrong("Body.LimitField", "is %q, want max_tokens, max_completion_tokens or both", p.Body.LimitField)
	}
	if p.Body.MinTokens < 0 {
		return wrong("Body.MinTokens", "is %d, want >= 0", p.Body.MinTokens)
	}
	return nil
}

// profileJSON is a profile in files: times in nanoseconds, and what is an
// interface in words.
type profileJSON struct {
	Arrivals    string     `json:"arrivals"`
	Requests    int        `json:"requests,omitempty"`
	Duration    int64      `json:"duration_ns,omitempty"`
	Input       string     `json:"input"`
	Output      string     `json:"output,omitempty"`
	Warmup      WarmupPart `json:"warmup,omitzero"`
	Seed        uint64     `json:"seed"`
	MaxInFlight int        `json:"max_in_flight,omitempty"`
	Timeout     int64      `json:"timeout_ns,omitempty"`
	IdleTimeout int64      `json:"idle_timeout_ns,omitempty"`
	Grace       int64      `json:"grace_ns"`
	Body        Body       `json:"body"`
}

// MarshalJSON writes the profile with its defaults in place.
func (p Profile) MarshalJSON() ([]byte, error) {
	p = p.withDefaults()
	out := profileJSON{
		Arrivals: p.Arrivals.String(), Requests: p.Requests, Duration: int64(p.Duration),
		Input: p.Input.String(), Warmup: p.Warmup, Seed: p.Seed, MaxInFlight: p.MaxInFlight,
		Timeout: int64(max(p.Timeout, 0)), IdleTimeout: int64(p.IdleTimeout), Grace: int64(max(p.Grace, 0)), Body: p.Body,
	}
	out.Body.Extra = withoutSecrets(out.Body.Extra)
	if p.Output != nil {
		out.Output = p.Output.String()
	}
	return json.Marshal(out)
}

// withDefaults returns the profile with every default in place.
func (p Profile) withDefaults() Profile {
	if p.Arrivals == nil {
		p.Arrivals = Closed(1)
	}
	if p.Input == nil {
		p.Input = Tokens(DefaultInput)
	}
	if p.Timeout == 0 {
		p.Timeout = DefaultTimeout
	}
	if p.Grace == 0 {
		p.Grace = DefaultGrace
	}
	return p
}
