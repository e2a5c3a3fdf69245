package llmbench

import (
	"context"
	"fmt"
	"time"
)

// A Truth is what a rehearsal is held against: the times of the mock.
type Truth struct {
	// TTFT is the time to the first token and ITL that between tokens; 0 leaves the
	// figure out.
	TTFT, ITL time.Duration
}

// A Rehearsal is how far the harness was from the truth on this machine under a
// load: the error of its instants, as they were measured minus as they were.
// Where a server answers as fast as the mock did, figures finer than that are
// the harness's and not the server's.
type Rehearsal struct {
	// TTFT is the error of first tokens, and ITL that of the gaps between tokens
	// without its sign; nil without a truth to hold them against.
	TTFT *ErrorSpread `json:"ttft,omitempty"`
	ITL  *ErrorSpread `json:"itl,omitempty"`
	// Fitness is the generator's verdict on itself meanwhile.
	Fitness Fitness `json:"fitness"`
	// Requests is how many replies it is about.
	Requests int `json:"requests"`
}

// An ErrorSpread says how large an error was.
type ErrorSpread struct {
	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
	Max time.Duration `json:"max_ns"`
}

// String describes the spread in one line.
func (e ErrorSpread) String() string {
	return fmt.Sprintf("p50 %v  p99 %v  max %v", rounded(e.P50), rounded(e.P99), rounded(e.Max))
}

// Rehearse drives the profile against a server whose times are known, a mock of
// one token per chunk on the same machine or elsewhere, and reports how exact
// the harness was. Set Profile.Rehearsal to it, and the result of the real run
// shows it beside its own figures. It returns an error where [Do] does, and when
// no reply ended well.
func Rehearse(ctx context.Context, target Target, profile Profile, truth Truth) (*Rehearsal, error) {
	result, err := Do(ctx, target, profile)
	if err != nil {
		return nil, err
	}
	if result.Counts.OK == 0 {
		return nil, fmt.Errorf("llmbench: rehearse: no reply of %d ended well", result.Counts.Planned)
	}
	var first, gaps []time.Duration
	for i := range result.Records {
		if r := &result.Records[i]; r.Measured() && r.Outcome == OK {
			first, gaps = r.errors(truth, first, gaps)
		}
	}
	r := &Rehearsal{Fitness: result.Generator.Fitness, Requests: result.Counts.OK}
	if truth.TTFT > 0 {
		r.TTFT = errorSpread(first)
	}
	if truth.ITL > 0 {
		r.ITL = errorSpread(gaps)
	}
	return r, nil
}

// errors adds the record's errors to those of others.
func (r *Record) errors(truth Truth, first, gaps []time.Duration) (_, _ []time.Duration) {
	last, begun := time.Duration(0), false
	for _, chunk := range r.Chunks {
		switch {
		case !chunk.Content():
			continue
		case !begun:
			first = append(first, chunk.At-r.Sent.Or(0)-truth.TTFT)
		default:
			gaps = append(gaps, (chunk.At - last - truth.ITL).Abs())
		}
		last, begun = chunk.At, true
	}
	return first, gaps
}

func errorSpread(values []time.Duration) *ErrorSpread {
	p50, p99, most := spreadOf(values)
	if !most.Ok() {
		return nil
	}
	return &ErrorSpread{p50.Or(0), p99.Or(0), most.Or(0)}
}
