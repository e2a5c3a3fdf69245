package assert

import (
	"fmt"
	"math"

	"github.com/llmbench/go/llmbench"
)

// Ratio claims a limit on the quotient of one statistic of two sets of requests:
// cached against cold prompts of one run, the 99th percentile at twice the load
// against that at once the load, a gateway against the server behind it. Both
// were measured by one machine within one test, so that its speed cancels out.
type Ratio struct {
	// Metric and Stat say what is compared. Stat is "mean", "min", "max" or a
	// percentile such as "p99"; empty is "mean". Failed requests count as in a
	// Ceiling, for a metric of which less is better.
	Metric llmbench.Metric
	Stat   string
	// Of picks the requests of the numerator.
	Of Class
	// To picks those of the denominator, from Base; nil is the same result.
	To   Class
	Base *llmbench.Result
	// AtMost and AtLeast limit the quotient, inclusive; at least one must be > 0.
	AtMost, AtLeast float64
	// Confidence is the confidence with which the true quotient of two
	// percentiles must be known to be within the limits or beyond, in (0,1); 0
	// compares those of the samples.
	Confidence float64
}

// RequireRatio stops the test unless the quotient is within its limits.
func RequireRatio(t T, r *llmbench.Result, c Ratio) {
	helper(t)()
	Require(t, r, c)
}

// CheckRatio is RequireRatio that lets the test go on; it returns whether the
// claim holds.
func CheckRatio(t T, r *llmbench.Result, c Ratio) bool {
	helper(t)()
	return Check(t, r, c)
}

// A side is one of the two numbers of a quotient, and the bounds that its
// sample gives it.
type side struct {
	value, low, high float64
	what             string
	n                int
}

// Check judges the claim.
func (c Ratio) Check(r *llmbench.Result) Verdict {
	m := about("ratio of "+called(c.Metric), r)
	of, why := c.wrong()
	if why != "" {
		return m.badClaim("%s", why)
	}
	m.subject = called(c.Metric) + of.name + " ratio"
	if of.q == ofMean {
		m.subject = "mean " + m.subject
	}
	windowRow(m, r)
	base, where := c.Base, ""
	if base == nil {
		base = r
	} else {
		where = "the other run"
	}
	over, why := c.side(r, c.Of, of, "")
	if why != "" {
		return m.cannot("%s", why)
	}
	under, why := c.side(base, c.To, of, where)
	if why != "" {
		return m.cannot("%s", why)
	}
	return c.judge(m, over, under)
}

func (c Ratio) wrong() (statistic, string) {
	stat := c.Stat
	if stat == "" {
		stat = "mean"
	}
	of, ok := statNamed(stat)
	switch {
	case c.Metric == llmbench.Metric{}:
		return of, "Ratio has no Metric"
	case !ok:
		return of, fmt.Sprintf("Ratio: Stat is %q, want mean, min, max or a percentile such as p99", c.Stat)
	case c.Base == nil && c.Of == c.To:
		return of, "Ratio: Of and To are the same requests, want two classes or a Base"
	case !(c.AtMost >= 0 && c.AtLeast >= 0) || c.AtMost+c.AtLeast == 0 || math.IsInf(c.AtMost+c.AtLeast, 0):
		return of, fmt.Sprintf("Ratio: AtMost is %v and AtLeast %v, want at least one > 0 and none below", c.AtMost, c.AtLeast)
	case c.Confidence > 0 && (of.q <= 0 || (c.Metric.Kind() != llmbench.PerRequest && c.Metric.Kind() != llmbench.Pooled)):
		return of, "Ratio: Confidence is set, want a percentile of requests or gaps"
	}
	for _, class := range []Class{c.Of, c.To} {
		if why := class.wrong(); why != "" {
			return of, why
		}
	}
	return of, wrongConfidence("Ratio", c.Confidence)
}

// side takes the statistic of one set of requests, or says why there is none.
func (c Ratio) side(r *llmbench.Result, class Class, of statistic, where string) (side, string) {
	what := class.String()
	if where != "" {
		what += " of " + where
	}
	part, err := class.of(r)
	if err != nil {
		return side{}, fmt.Sprintf("%s: %v", what, err)
	}
	if why := unfit(part); why != "" {
		return side{}, what + ": " + why
	}
	if part.Stopped != "" {
		return side{}, what + ": the run was stopped before its end: " + part.Stopped
	}
	st := part.Stats(c.Metric)
	if st.N() == 0 || st.Absent() != "" {
		return side{}, fmt.Sprintf("%s: no samples: %s", what, absence(st, part))
	}
	s := side{value: statisticOf(st, of), what: what, n: st.N(), low: 0, high: math.Inf(1)}
	if c.Metric.Kind() == llmbench.PerRequest || c.Metric.Kind() == llmbench.Pooled {
		c.bound(&s, sampleOf(c.Metric, part, order{okOnly: c.Metric.Better() != llmbench.Lower}), of)
	}
	if math.IsNaN(s.value) {
		return side{}, fmt.Sprintf("%s: %s has no %s", what, called(c.Metric), of.word())
	}
	return s, ""
}

// bound takes the value from the sample, failures included, and its bounds.
func (c Ratio) bound(s *side, sample sample, of statistic) {
	s.value, s.n = sample.observed(of), sample.n()
	if c.Confidence == 0 {
		return
	}
	// Each of two bounds misses with half of what may be missed in all.
	lower, upper := bounds(sample.n(), of.q, 1-(1-c.Confidence)/2)
	if lower >= 0 {
		s.low = sample.at(lower)
	}
	if upper < sample.n() {
		s.high = sample.at(upper)
	}
}

func (c Ratio) judge(m *message, over, under side) Verdict {
	unit := c.Metric.Unit()
	m.evidence("of", "%s over %s, %s", amount(over.value, unit), plural(over.n, "sample"), over.what)
	m.evidence("to", "%s over %s, %s", amount(under.value, unit), plural(under.n, "sample"), under.what)
	if under.value == 0 || math.IsInf(under.value, 0) {
		return m.cannot("%s of %s is no number to divide by", amount(under.value, unit), under.what)
	}
	ratio := over.value / under.value
	low, high := ratio, ratio
	if c.Confidence > 0 {
		low, high = over.low/under.high, over.high/under.low
		m.evidence("interval", "%s to %s, each at %s", figure(precise, low), figure(precise, high), percent(c.Confidence))
	}
	line := func(sign string, limit float64) string {
		observed, wanted := apart(ratio, limit, "")
		return fmt.Sprintf("%s is %s (%s / %s), want %s %s", m.subject, observed, amount(over.value, unit), amount(under.value, unit), sign, wanted)
	}
	switch {
	case c.AtMost > 0 && low > c.AtMost:
		return m.verdict(Fails, "%s", line("at most", c.AtMost))
	case c.AtLeast > 0 && high < c.AtLeast:
		return m.verdict(Fails, "%s", line("at least", c.AtLeast))
	case c.AtMost > 0 && !(high <= c.AtMost), c.AtLeast > 0 && !(low >= c.AtLeast):
		return m.cannot("it is between %s and %s at %s; more requests narrow that", figure(precise, low), figure(precise, high), percent(c.Confidence))
	case c.AtMost > 0:
		return m.verdict(Holds, "%s", line("at most", c.AtMost))
	}
	return m.verdict(Holds, "%s", line("at least", c.AtLeast))
}
