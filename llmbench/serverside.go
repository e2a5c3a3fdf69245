package llmbench

import (
	"context"
	"fmt"
	"time"
)

// A Watcher is a target that can read the server's own metrics beside a run.
// [Do] asks every target whether it is one; package scrape makes one of any
// target whose server has a page of Prometheus metrics.
type Watcher interface {
	// Watch reads once before it returns, goes on reading until ended is called,
	// and reads once more then. Ended gets the instant at which the run began.
	// Nothing that goes wrong ends the run: it is told in ServerSide.Trouble.
	Watch(ctx context.Context) (ended func(began time.Time) *ServerSide)
}

// ServerSide is what a server said of itself during a run. The readings are on
// the clock of the records; the first was taken just before the run, at or
// below 0, and the last just after it.
type ServerSide struct {
	// Engine is the family of metrics that was found: "vllm", "sglang", "tgi",
	// "llama.cpp" or "triton"; empty if it was none of them.
	Engine   string          `json:"engine,omitempty"`
	Readings []ServerReading `json:"readings,omitempty"`
	// Missed is how many readings failed, Trouble what the last of them said.
	Missed  int    `json:"missed,omitempty"`
	Trouble string `json:"trouble,omitempty"`
}

// A ServerReading is one look at the server's metrics. What the engine does not
// report is absent. Several engines behind one page are added up, but for
// KVUse, which is that of the fullest.
type ServerReading struct {
	At time.Duration `json:"at_ns"`

	// Running and Waiting are requests in the batch and in the queue.
	Running Known[float64] `json:"running,omitzero"`
	Waiting Known[float64] `json:"waiting,omitzero"`
	// KVUse is the share of the key-value cache that is held, in [0,1].
	KVUse Known[float64] `json:"kv_use,omitzero"`

	// The rest are counters since the server's start. PromptTokens has the
	// cached ones in it, whatever the engine's own counter does.
	Requests       Known[float64] `json:"requests,omitzero"`
	PromptTokens   Known[float64] `json:"prompt_tokens,omitzero"`
	CachedTokens   Known[float64] `json:"cached_tokens,omitzero"`
	OutputTokens   Known[float64] `json:"output_tokens,omitzero"`
	Preemptions    Known[float64] `json:"preemptions,omitzero"`
	DraftTokens    Known[float64] `json:"draft_tokens,omitzero"`
	AcceptedTokens Known[float64] `json:"accepted_tokens,omitzero"`
	// TTFTSeconds and TTFTCount are the sum and the count of the histogram of
	// times from a request's arrival to its first token.
	TTFTSeconds Known[float64] `json:"ttft_seconds,omitzero"`
	TTFTCount   Known[float64] `json:"ttft_count,omitzero"`
}

// Grown is how much a counter has grown from the first reading to the last; one
// that the first lacks began at 0, as counters with labels appear when they
// first count. It is absent where the last reading lacks it, where there are
// not two readings, and where it fell: the server began anew.
func (s *ServerSide) Grown(counter func(ServerReading) Known[float64]) Known[float64] {
	if s == nil || len(s.Readings) < 2 {
		return Known[float64]{}
	}
	first := counter(s.Readings[0]).Or(0)
	last, ok := counter(s.Readings[len(s.Readings)-1]).Get()
	if !ok || last < first {
		return Known[float64]{}
	}
	return Is(last - first)
}

// Most is the highest reading of a gauge; absent if there is none.
func (s *ServerSide) Most(gauge func(ServerReading) Known[float64]) (most Known[float64]) {
	if s == nil {
		return most
	}
	for _, reading := range s.Readings {
		if v, ok := gauge(reading).Get(); ok && v >= most.Or(v) {
			most = Is(v)
		}
	}
	return most
}

// watchServer starts the target's own readings, where it has any. The function it
// returns ends them; it is never nil.
func watchServer(ctx context.Context, target Target) func(began time.Time) *ServerSide {
	if watcher, ok := target.(Watcher); ok {
		if ended := watcher.Watch(ctx); ended != nil {
			return ended
		}
	}
	return func(time.Time) *ServerSide { return nil }
}

// serverLine is what the console and the reports say of the server side.
func (r *Result) serverLine() string {
	s := r.ServerSide
	name := s.Engine
	if name == "" {
		name = "unknown metrics"
	}
	text := fmt.Sprintf("%s: %d readings", name, len(s.Readings))
	for _, gauge := range []struct {
		format string
		scale  float64
		of     func(ServerReading) Known[float64]
	}{
		{"at most %.0f running", 1, func(r ServerReading) Known[float64] { return r.Running }},
		{"%.0f waiting", 1, func(r ServerReading) Known[float64] { return r.Waiting }},
		{"%.0f%% of the KV cache held", 100, func(r ServerReading) Known[float64] { return r.KVUse }},
	} {
		if most, ok := s.Most(gauge.of).Get(); ok {
			text += ", " + fmt.Sprintf(gauge.format, most*gauge.scale)
		}
	}
	if grown, ok := s.Grown(func(r ServerReading) Known[float64] { return r.Preemptions }).Get(); ok && grown > 0 {
		text += fmt.Sprintf(", %.0f preemptions", grown)
	}
	if s.Trouble != "" {
		text += fmt.Sprintf("; %d readings failed, the last: %s", s.Missed, s.Trouble)
	}
	return text
}
