package dialect

import (
	"time"

	"github.com/llmbench/go/llmbench"
)

// values collects one quantity over requests; a request that has none is left
// out.
func values(all []request, value func(q request) (float64, bool)) []float64 {
	var out []float64
	for _, q := range all {
		if v, ok := value(q); ok {
			out = append(out, v)
		}
	}
	return out
}

// pooled collects the gaps between the instants that at picks, over all
// requests.
func pooled(all []request, per float64, at func(q request) []time.Duration) []float64 {
	var out []float64
	for _, q := range all {
		if !q.record.Sparse {
			out = append(out, gapsOf(at(q), per)...)
		}
	}
	return out
}

func millis(d time.Duration) float64 { return llmbench.Millis(d) }

// The formulas below are of more than one tool. Each reports whether the
// request has the quantity.

// firstContent is C1 - S.
func firstContent(q request) (float64, bool) {
	if len(q.content) == 0 {
		return 0, false
	}
	return millis(q.content[0] - q.sent), true
}

// lastContent is Cn - S; without a stream it is E - S.
func lastContent(q request) (float64, bool) {
	if !q.streamed() {
		return millis(q.end - q.sent), true
	}
	if len(q.content) == 0 {
		return 0, false
	}
	return millis(q.content[len(q.content)-1] - q.sent), true
}

// perToken is (Cn - C1)/(L - 1).
func perToken(q request) (float64, bool) {
	if q.output < 2 || len(q.content) == 0 {
		return 0, false
	}
	return millis(q.content[len(q.content)-1]-q.content[0]) / float64(q.output-1), true
}

func contents(q request) []time.Duration { return q.content }

func inputs(q request) (float64, bool) { return float64(q.input), q.input >= 0 }

func outputs(q request) (float64, bool) { return float64(q.output), q.output >= 0 }

// sums are the tokens of all requests that know theirs.
func sums(all []request) (input, output int) {
	for _, q := range all {
		input, output = input+max(q.input, 0), output+max(q.output, 0)
	}
	return input, output
}
