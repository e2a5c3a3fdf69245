package assert

import (
	"fmt"
	"math"
	"time"
)

// A Ceiling limits the statistics of a time from above, inclusive: a P99 equal
// to its limit holds. A field left at zero sets no limit, and a Ceiling without
// any is a bad claim. The latency claims are Ceilings of a metric each.
type Ceiling struct {
	Mean, Min, P50, P75, P90, P95, P99, P999, Max time.Duration

	// Confidence is the confidence with which a percentile must be known to hold
	// or to be broken, in (0,1), 0.95 for example. In between the verdict is
	// cannot judge, with the number of requests that would do. 0 compares the
	// percentile of the sample as it is, which is what a short run in CI can
	// afford; the text shows its interval all the same. Mean, Min and Max are
	// always compared as they are.
	Confidence float64
	// PerInputToken raises every limit by so much for each input token of the
	// request: P99: 100ms, PerInputToken: 50µs is a limit of 100 ms plus 50 µs per
	// token of the prompt. Not for gaps between tokens.
	PerInputToken time.Duration
	// OKOnly leaves failed requests out. Without it each of them counts as over
	// every limit: a server must not get faster by failing.
	OKOnly bool
}

// A Floor limits the statistics of a rate from below, inclusive, in the
// metric's unit: tok/s, req/s or tok/s/user. A field left at zero sets no
// limit, and a Floor without any is a bad claim. Of a rate that varies over
// time P5 is what it reached or passed for 95 % of the time. A rate that is a
// single number has a Mean only.
type Floor struct {
	Mean, Min, P1, P5, P10, P25, P50, P75, P90, P95, P99, Max float64
}

// A Bound limits a number that varies over time from above, inclusive:
// requests or tokens in flight. P95 is what it kept within for 95 % of the time.
// A field left at zero sets no limit, and a Bound without any is a bad claim.
type Bound struct {
	Mean, P50, P90, P95, P99, Max float64
}

// A limit is one field of a Ceiling or Floor, in the metric's unit.
type limit struct {
	statistic
	value float64
	// strict excludes the limit itself.
	strict bool
}

// most words the limit as the most that is wanted.
func (l limit) most() string {
	if l.strict {
		return "less than"
	}
	return "at most"
}

// least words the limit as the least that is wanted.
func (l limit) least() string {
	if l.strict {
		return "more than"
	}
	return "at least"
}

// within reports whether a value is not above the limit; NaN never is.
func (l limit) within(v float64) bool {
	if same(v, l.value) {
		return !l.strict
	}
	return v < l.value
}

// reached reports whether a value is not below the limit; NaN never is.
func (l limit) reached(v float64) bool {
	if same(v, l.value) {
		return !l.strict
	}
	return v > l.value
}

// same reports whether two values differ by no more than what dividing and
// adding floats rounds: a TPOT of exactly 20 ms may come out 4e-16 above it.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// limits returns the limits that are set, in milliseconds.
func (c Ceiling) limits() []limit {
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	return set(
		limit{statistic: mean, value: ms(c.Mean)}, limit{statistic: low, value: ms(c.Min)},
		limit{statistic: pth("p50", 0.50), value: ms(c.P50)}, limit{statistic: pth("p75", 0.75), value: ms(c.P75)},
		limit{statistic: pth("p90", 0.90), value: ms(c.P90)}, limit{statistic: pth("p95", 0.95), value: ms(c.P95)},
		limit{statistic: pth("p99", 0.99), value: ms(c.P99)}, limit{statistic: statistic{"P999", " p99.9", 0.999}, value: ms(c.P999)},
		limit{statistic: high, value: ms(c.Max)},
	)
}

func (f Floor) limits() []limit {
	return set(
		limit{statistic: mean, value: f.Mean}, limit{statistic: low, value: f.Min},
		limit{statistic: pth("p1", 0.01), value: f.P1}, limit{statistic: pth("p5", 0.05), value: f.P5},
		limit{statistic: pth("p10", 0.10), value: f.P10}, limit{statistic: pth("p25", 0.25), value: f.P25},
		limit{statistic: pth("p50", 0.50), value: f.P50}, limit{statistic: pth("p75", 0.75), value: f.P75},
		limit{statistic: pth("p90", 0.90), value: f.P90}, limit{statistic: pth("p95", 0.95), value: f.P95},
		limit{statistic: pth("p99", 0.99), value: f.P99}, limit{statistic: high, value: f.Max},
	)
}

func (b Bound) limits() []limit {
	return set(
		limit{statistic: mean, value: b.Mean}, limit{statistic: pth("p50", 0.50), value: b.P50},
		limit{statistic: pth("p90", 0.90), value: b.P90}, limit{statistic: pth("p95", 0.95), value: b.P95},
		limit{statistic: pth("p99", 0.99), value: b.P99}, limit{statistic: high, value: b.Max},
	)
}

// set keeps the limits that are not zero.
func set(all ...limit) []limit {
	var kept []limit
	for _, l := range all {
		if l.value != 0 {
			kept = append(kept, l)
		}
	}
	return kept
}

// wrong says what makes limits no claim; empty when nothing does.
func wrong(kind string, limits []limit, unit string) string {
	if len(limits) == 0 {
		return kind + " sets no limit, want at least one field > 0"
	}
	for _, l := range limits {
		if !(l.value > 0) || math.IsInf(l.value, 0) { // NaN too
			return fmt.Sprintf("%s: %s is %s, want > 0 and finite", kind, l.field, amount(l.value, unit))
		}
	}
	return ""
}

func wrongConfidence(kind string, confidence float64) string {
	if confidence >= 0 && confidence < 1 {
		return ""
	}
	return fmt.Sprintf("%s: Confidence is %v, want >= 0 and < 1", kind, confidence)
}
