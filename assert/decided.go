package assert

import (
	"fmt"
	"math"

	"github.com/llmbench/go/llmbench"
)

// Decided makes a rule for llmbench.Profile.StopWhenDecided of claims: the run
// ends when one of them fails, or all of them hold, whatever the requests to
// come do. It is curtailed sampling: the verdict is the one that the whole run
// would have had, so the confidence of each claim is kept to the letter, and
// what is saved is only the time in which nothing could change any more. A run
// that holds by a wide margin is shorter by the share of requests that may be
// over the limit, one that fails, often by much more.
//
// Percentiles and maxima of latencies, ErrorRate, NoErrors and the Fraction of a
// Goodput can be decided early. Other claims, and limits on a mean, on a minimum
// or on gaps between tokens, never are, and a run under them ends early only when
// another one fails.
func Decided(claims ...Claim) llmbench.Decider {
	return func(planned int) llmbench.Watch {
		var trials []*trial
		undecided := 0
		for _, claim := range claims {
			var of []*trial
			if c, ok := claim.(curtailed); ok {
				of = c.trials(planned)
			}
			if of == nil {
				undecided++
			}
			trials = append(trials, of...)
		}
		return watchOf(trials, undecided, planned)
	}
}

// curtailed are claims that can be decided before the end. Without trials they
// cannot.
type curtailed interface {
	trials(planned int) []*trial
}

// A trial counts one limit's requests that are over it, and knows how many may
// be among all.
type trial struct {
	what string
	// over reports whether a request is over the limit; known, whether it says
	// anything about it.
	over func(*llmbench.Record) (over, known bool)
	// mostHolds is the greatest number over the limit of which the limit still
	// holds, below 0 for none; leastFails the least of which it fails.
	mostHolds, leastFails int
	// needsOK says that without an ok request there is nothing to judge.
	needsOK bool

	bad, unknown, ok int
}

// watchOf watches trials; undecided claims keep a run from being decided to
// hold.
func watchOf(trials []*trial, undecided, planned int) llmbench.Watch {
	seen := 0
	return func(r *llmbench.Record) string {
		seen++
		holding := 0
		for _, t := range trials {
			switch over, known := t.over(r); {
			case !known:
				t.unknown++
			case over:
				t.bad++
			}
			if r.Outcome == llmbench.OK {
				t.ok++
			}
			if t.needsOK && t.ok == 0 {
				continue
			}
			if t.bad >= t.leastFails {
				return fmt.Sprintf("%s fails: %d over it after %d of %d requests, want under %d", t.what, t.bad, seen, planned, t.leastFails)
			}
			if t.bad+t.unknown+planned-seen <= t.mostHolds {
				holding++
			}
		}
		if holding == len(trials) && undecided == 0 && holding > 0 {
			return fmt.Sprintf("all claims hold, whatever the other %d of %d requests do", planned-seen, planned)
		}
		return ""
	}
}

// onQuantile sets the numbers of a trial on quantile q of n samples.
func (t *trial) onQuantile(n int, q, confidence float64) {
	if confidence > 0 {
		t.leastFails = leastFails(n, q, confidence)
		t.mostHolds = mostHolds(n, q, confidence)
		return
	}
	// A quantile without confidence is interpolated between two ranks, or, with
	// failures, the sample of one that lies not outside them. It is over the
	// limit for certain if the lower of the two is, within if the upper is.
	h := q * float64(n-1)
	t.leastFails = n - int(math.Floor(h+grain))
	t.mostHolds = n - 1 - int(math.Ceil(h-grain))
}

// leastFails is the least k of n that is known to be too many.
func leastFails(n int, q, confidence float64) int {
	for k := range n + 1 {
		if shownOver(k, n, q, confidence) {
			return k
		}
	}
	return n + 1
}

// mostHolds is the greatest k of n that is known to be few enough; -1 for none.
func mostHolds(n int, q, confidence float64) int {
	k := -1
	for k < n && shownUnder(k+1, n, q, confidence) {
		k++
	}
	return k
}

func (c Ceiling) trials(metric llmbench.Metric, planned int) []*trial {
	return times{"Ceiling", c.limits(), c.Confidence, c.PerInputToken, c.OKOnly}.trials(metric, planned)
}

// trials are the limits of a latency; nil if one of them cannot be decided
// early, or is no claim.
func (c times) trials(metric llmbench.Metric, planned int) []*trial {
	if c.wrong(metric) != "" || metric.Kind() != llmbench.PerRequest {
		return nil
	}
	var all []*trial
	for _, l := range c.limits {
		t := &trial{
			needsOK: true,
			what:    called(metric) + l.name + " within " + amount(l.value, metric.Unit()),
			over:    func(r *llmbench.Record) (bool, bool) { return c.over(metric, l, r) },
		}
		switch {
		case l.q > 0:
			t.onQuantile(planned, l.q, c.confidence)
		case l.q == ofMax:
			t.leastFails = 1
		default:
			return nil
		}
		all = append(all, t)
	}
	return all
}

// over reports whether a request is over a limit.
func (c times) over(metric llmbench.Metric, l limit, r *llmbench.Record) (over, known bool) {
	if r.Outcome.Failed() {
		return true, !c.okOnly
	}
	sample := metric.AppendSamples(nil, r)
	if len(sample) == 0 {
		return false, false
	}
	if c.perToken > 0 {
		isl := llmbench.ISL.AppendSamples(nil, r)
		if len(isl) == 0 {
			return false, false
		}
		sample[0] -= isl[0] * llmbench.Millis(c.perToken)
	}
	return !l.within(sample[0]), true
}

func (c ErrorRate) trials(planned int) []*trial {
	if !(c.AtMost > 0 && c.AtMost < 1) || wrongConfidence("", c.Confidence) != "" {
		return nil
	}
	t := &trial{what: "error rate within " + share(c.AtMost), over: failedOne}
	t.onShare(planned, c.AtMost, c.Confidence, c.strict)
	return []*trial{t}
}

// onShare sets the numbers of a trial on the share of n that is bad.
func (t *trial) onShare(n int, allowed, confidence float64, strict bool) {
	if confidence > 0 {
		t.onQuantile(n, 1-allowed, confidence)
		return
	}
	most := allowed * float64(n)
	t.mostHolds = int(math.Floor(most + grain))
	if strict {
		t.mostHolds = int(math.Ceil(most-grain)) - 1
	}
	t.leastFails = t.mostHolds + 1
}

func failedOne(r *llmbench.Record) (over, known bool) {
	return r.Outcome.Failed(), r.Outcome == llmbench.OK || r.Outcome.Failed()
}

func (NoErrors) trials(int) []*trial {
	return []*trial{{what: "no errors", over: failedOne, leastFails: 1}}
}

func (c Goodput) trials(planned int) []*trial {
	if c.wrong() != "" || c.Rate > 0 {
		return nil
	}
	t := &trial{needsOK: true, what: "goodput of " + share(c.Fraction), over: func(r *llmbench.Record) (bool, bool) {
		if _, known := failedOne(r); !known {
			return false, false
		}
		return !c.good(r), true
	}}
	t.onShare(planned, 1-c.Fraction, c.Confidence, false)
	return []*trial{t}
}

// good reports whether a request is ok and within every limit; a time that does
// not exist for it breaks none.
func (c Goodput) good(r *llmbench.Record) bool {
	if r.Outcome != llmbench.OK {
		return false
	}
	for _, slo := range c.slos() {
		for _, v := range slo.Metric.AppendSamples(nil, r) {
			if v > slo.Limit {
				return false
			}
		}
	}
	return true
}

// The latency claims, each a Ceiling of a metric.

func (c TTFT) trials(n int) []*trial          { return Ceiling(c).trials(llmbench.TTFT, n) }
func (c EffectiveTTFT) trials(n int) []*trial { return Ceiling(c).trials(llmbench.EffectiveTTFT, n) }
func (c TPOT) trials(n int) []*trial          { return Ceiling(c).trials(llmbench.TPOT, n) }
func (c QueueWait) trials(n int) []*trial     { return Ceiling(c).trials(llmbench.QueueWait, n) }
func (c RequestLatency) trials(n int) []*trial {
	return Ceiling(c).trials(llmbench.RequestLatency, n)
}

func (c EffectiveLatency) trials(n int) []*trial {
	return Ceiling(c).trials(llmbench.EffectiveLatency, n)
}

func (t term) trials(n int) []*trial {
	if c, ok := t.claim.(curtailed); ok && t.class == (Class{}) {
		return c.trials(n)
	}
	return nil
}

func (c metricClaim) trials(n int) []*trial {
	if !c.timed() {
		return nil
	}
	return times{"limit", c.limits, c.extra.Confidence, c.extra.PerInputToken, c.extra.OKOnly}.trials(c.metric, n)
}
