package assert

import (
	"fmt"
	"math"
)

// A proportion is a share of requests that are bad, and how many may be.
type proportion struct {
	bad, n     int
	allowed    float64
	confidence float64
	strict     bool // excludes the share allowed itself
	// good says that texts are about the share that is not bad.
	good bool
}

func (p proportion) share() float64 { return float64(p.bad) / float64(p.n) }

// grain is below any difference of counts and above the rounding of their
// products: 0.05 * 20 is not 1 in floats.
const grain = 1e-9

// state judges the share as it is, or by the rule for quantiles: that at most a
// share q of all is bad says that quantile 1-q is good.
func (p proportion) state() State {
	switch {
	case p.confidence > 0:
		return decide(p.bad, p.n, 1-p.allowed, p.confidence)
	case p.strict && float64(p.bad) < p.allowed*float64(p.n)-grain, !p.strict && float64(p.bad) <= p.allowed*float64(p.n)+grain:
		return Holds
	}
	return Fails
}

// verdict closes a message about the share.
func (p proportion) verdict(m *message, observed, wanted string) Verdict {
	confidence := p.confidence
	if confidence == 0 {
		confidence = 0.95
	}
	low, high := p.interval(confidence)
	if p.good {
		low, high = 1-high, 1-low
	}
	m.evidence("interval", "%s to %s of all requests to come, each at %s, if they are like these %d",
		share(low), share(high), percent(confidence), p.n)
	state := p.state()
	if state == CannotJudge {
		return m.cannot("%s, want %s: at %s that needs %d requests with no more bad ones, or %d bad ones of %d",
			observed, wanted, percent(p.confidence), enough(p.bad, 1-p.allowed, p.confidence), p.fatal(), p.n)
	}
	return m.verdict(state, "%s, want %s", observed, wanted)
}

// fatal is the least number of bad ones that shows the share to be too great.
func (p proportion) fatal() int {
	k := p.bad
	for k <= p.n && !shownOver(k, p.n, 1-p.allowed, p.confidence) {
		k++
	}
	return k
}

// interval is the exact interval of Clopper and Pearson (Biometrika 26, 1934),
// each side at the confidence given.
func (p proportion) interval(confidence float64) (low, high float64) {
	high, low = 1, 0
	if p.bad < p.n {
		high = bisect(func(q float64) bool { return atMost(p.bad, p.n, q) < 1-confidence })
	}
	if p.bad > 0 {
		low = bisect(func(q float64) bool { return atLeast(p.bad, p.n, q) >= 1-confidence })
	}
	return low, high
}

// bisect is the least number in (0,1) that fits, to twelve digits; whatever
// fits, all above it does too.
func bisect(fits func(float64) bool) float64 {
	low, high := 0.0, 1.0
	for high-low > 1e-12*high && high > math.SmallestNonzeroFloat64 {
		if middle := (low + high) / 2; fits(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// wrongShare says what makes a share none; empty when nothing does.
func wrongShare(field string, value float64) string {
	if value >= 0 && value <= 1 {
		return ""
	}
	return fmt.Sprintf("%s is %v, want >= 0 and <= 1", field, value)
}
