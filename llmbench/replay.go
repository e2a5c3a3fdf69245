package llmbench

import (
	"iter"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// Replay is an open loop that plays a trace: its instants, and row by row its
// lengths, blocks, prompts, sessions and labels. Profile.Input and Output, where
// set, take the place of the trace's lengths. Rows that the trace marks as
// failed are left out. The trace ends it, so Profile.Requests and Duration may
// be 0. The trace must not change afterwards.
func Replay(trace *Trace) Arrivals {
	if trace == nil {
		return replay{trace: &Trace{Name: "nil"}}
	}
	return replay{trace: trace.Keep(func(r TraceRow) bool { return !r.Failed })}
}

type replay struct {
	openLoop
	trace *Trace
}

func (r replay) String() string { return "replay of " + r.trace.String() }

// Rate is the mean over the trace; 0 when all its rows share an instant.
func (r replay) Rate() Rate {
	if r.trace.Length() == 0 {
		return 0
	}
	return Rate(float64(len(r.trace.Rows)) / r.trace.Length().Seconds())
}

func (r replay) length() Known[time.Duration] { return Is(r.trace.Length()) }

func (r replay) check() error {
	switch {
	case len(r.trace.Rows) == 0:
		return wrong("Arrivals:", "Replay of %v: it has no row to send", r.trace)
	case !r.trace.Timed:
		return wrong("Arrivals:", "Replay of %v: it has no times; use it as Profile.Dataset under other arrivals", r.trace)
	}
	for i, row := range r.trace.Rows {
		if row.At < 0 || i > 0 && row.At < r.trace.Rows[i-1].At {
			return wrong("Arrivals:", "Replay of %v: row %d is at %v, want instants >= 0 in order", r.trace, i+1, row.At)
		}
	}
	return nil
}

func (r replay) times(*draw.Stream) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for _, row := range r.trace.Rows {
			if !yield(row.At) {
				return
			}
		}
	}
}
