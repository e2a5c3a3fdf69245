package llmbench

import (
	"math"
	"time"

	"github.com/llmbench/go/llmbench/internal/sweep"
)

// strict are the figures that count what happened inside the window, whoever
// it belongs to: they stand beside the request metrics, which follow a request
// wherever it goes.
type strict struct {
	from, to int64
	// inside are the tokens whose chunk arrived in the window; outside those of
	// selected requests that did not, others those of requests that are not
	// selected and did.
	inside, outside, others sweep.Fixed
	// completed ended in the window; known are covered or brought tokens, and
	// have an output count.
	completed, known int
}

// newStrict covers the window; of a whole run nothing is outside, the last
// instant included.
func newStrict(w Window) strict {
	if w.Rule == WholeRule {
		return strict{from: math.MinInt64, to: math.MaxInt64}
	}
	return strict{from: int64(w.From), to: int64(w.To)}
}

// add takes an ok request.
func (s *strict) add(f *facts, selected bool) {
	if f.hasEnd && f.end >= s.from && f.end < s.to {
		s.completed++
	}
	if f.output <= 0 {
		return
	}
	inside := f.tokensUntil(s.to).Sub(f.tokensUntil(s.from))
	if selected || !inside.Zero() {
		s.known++
	}
	s.inside = s.inside.Add(inside)
	if selected {
		s.outside = s.outside.Add(sweep.Whole(f.output).Sub(inside))
	} else {
		s.others = s.others.Add(inside)
	}
}

// tokensUntil are the output tokens that arrived before the instant: each with
// its chunk where the chunks' counts are known and add up to OSL, else the
// first chunk brings one and the others equal shares of the rest. A reply that
// was not streamed arrives as a whole at its end.
func (f *facts) tokensUntil(at int64) sweep.Fixed {
	if f.content == 0 || !f.record.Streamed {
		if f.hasEnd && f.end < at {
			return sweep.Whole(f.output)
		}
		return sweep.Fixed{}
	}
	if f.record.Sparse && f.last > f.first {
		return f.sparseUntil(at)
	}
	var chunks, sum int64
	for i := range f.record.Chunks {
		c := &f.record.Chunks[i]
		if int64(c.At) >= at || !c.Content() {
			continue
		}
		chunks++
		sum += int64(c.Tokens)
	}
	if f.counted == f.output {
		return sweep.Whole(sum)
	}
	return evenShare(f.output, chunks, int64(f.content))
}

// sparseUntil spreads all tokens but the first evenly over the time from the
// first chunk to the last, of which nothing is known.
func (f *facts) sparseUntil(at int64) sweep.Fixed {
	if at <= f.first {
		return sweep.Fixed{}
	}
	gone := min(at, f.last) - f.first
	return sweep.Whole(1).Add(sweep.Share(f.output-1, gone, f.last-f.first))
}

// evenShare is what the first k of n content chunks bring without counts.
func evenShare(output, k, n int64) sweep.Fixed {
	switch {
	case k == 0 || output <= 0:
		return sweep.Fixed{}
	case n == 1:
		return sweep.Whole(output)
	}
	return sweep.Whole(1).Add(sweep.Share(output-1, k-1, n-1))
}

func windowTokenRate(t *totals) (float64, int, string) {
	switch {
	case t.window <= 0:
		return 0, 0, noWindow
	case t.counts.OK > 0 && t.outputKnown == 0:
		return 0, 0, noOutput.String()
	}
	return t.strict.inside.Float() / t.window.Seconds(), t.strict.known, ""
}

func windowCompletionRate(t *totals) (float64, int, string) {
	return t.perSecond(int64(t.strict.completed), t.strict.completed, "")
}

func windowInFlight(t *totals) (float64, int, string) {
	mean, ok := t.clipped.Get()
	if !ok {
		return 0, 0, "no sent request with a known end"
	}
	return mean, t.inFlightKnown, ""
}

func selectedOutside(t *totals) (float64, int, string) {
	return t.tokenCount(t.strict.outside)
}

func unselectedInside(t *totals) (float64, int, string) {
	return t.tokenCount(t.strict.others)
}

// tokenCount is a sum of tokens, if any request has to do with the window and
// knows its own.
func (t *totals) tokenCount(sum sweep.Fixed) (float64, int, string) {
	if t.strict.known == 0 {
		return 0, 0, "no ok request with output tokens"
	}
	return sum.Float(), t.strict.known, ""
}

// Millis is a duration in milliseconds, the unit of latency metrics.
func Millis(d time.Duration) float64 { return float64(d) / 1e6 }
