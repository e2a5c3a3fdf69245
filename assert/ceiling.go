package assert

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
)

// judge is the check of every claim on a time.
func (c Ceiling) judge(metric llmbench.Metric, r *llmbench.Result) Verdict {
	return times{"Ceiling", c.limits(), c.Confidence, c.PerInputToken, c.OKOnly}.judge(metric, r)
}

// times are limits on a time, whoever set them.
type times struct {
	kind       string
	limits     []limit
	confidence float64
	perToken   time.Duration
	okOnly     bool
}

func (c times) judge(metric llmbench.Metric, r *llmbench.Result) Verdict {
	m := about(called(metric), r)
	if why := c.wrong(metric); why != "" {
		return m.badClaim("%s", why)
	}
	windowRow(m, r)
	if why := unfit(r); why != "" {
		return m.cannot("%s", why)
	}
	s := sampleOf(metric, r, order{okOnly: c.okOnly, perToken: c.perToken})
	if len(s.values) == 0 {
		failuresRow(m, r)
		return m.cannot("no samples: %s", absence(r.Stats(metric), r))
	}
	return c.verdict(m, s, r)
}

// wrong says what makes the limits no claim; empty when nothing does.
func (c times) wrong(metric llmbench.Metric) string {
	if why := wrong(c.kind, c.limits, metric.Unit()); why != "" {
		return why
	}
	switch {
	case c.perToken < 0:
		return fmt.Sprintf("%s: PerInputToken is %v, want >= 0", c.kind, c.perToken)
	case c.perToken > 0 && metric.Kind() == llmbench.Pooled:
		return c.kind + ": PerInputToken is set, want a time of a whole request and not of a gap"
	}
	return wrongConfidence(c.kind, c.confidence)
}

// A finding is one limit judged.
type finding struct {
	limit
	observed float64
	state    State
	why      string // of a limit that cannot be judged
}

func (c times) verdict(m *message, s sample, r *llmbench.Result) Verdict {
	var findings []finding
	for _, l := range c.limits {
		findings = append(findings, c.find(s, l, r))
	}
	worst := worstOf(findings)
	c.explain(m, s, worst, r)
	alsoRow(m, s.metric, limit.most, worst, findings)
	m.subject += worst.name
	if worst.q == ofMean {
		m.subject = "mean " + m.subject
	}
	if c.perToken > 0 {
		m.subject += " beyond " + duration(c.perToken) + " per input token"
	}
	if worst.state == CannotJudge {
		return m.cannot("%s", worst.why)
	}
	if math.IsInf(worst.observed, 1) {
		return m.verdict(worst.state, "%s has no bound as %d of %s failed, want %s %s", m.subject,
			s.failed, plural(s.n(), "request"), worst.most(), amount(worst.value, s.metric.Unit()))
	}
	observed, wanted := apart(worst.observed, worst.value, s.metric.Unit())
	return m.verdict(worst.state, "%s is %s, want %s %s", m.subject, observed, worst.most(), wanted)
}

// find judges one limit.
func (c times) find(s sample, l limit, r *llmbench.Result) finding {
	f := finding{limit: l, observed: s.observed(l.statistic), state: Fails}
	if c.confidence > 0 && l.q > 0 {
		k := s.over(l)
		f.state = decide(k, s.n(), l.q, c.confidence)
		f.why = tooFew(s, l, k, c.confidence)
	} else if l.within(f.observed) {
		f.state = Holds
	}
	if f.state == Holds {
		if why := suspicious(s, f.observed, r); why != "" {
			f.state, f.why = CannotJudge, why
		}
	}
	return f
}

// suspicious says why a value that is within its limit is not to be trusted.
func suspicious(s sample, observed float64, r *llmbench.Result) string {
	unit := s.metric.Unit()
	switch {
	case math.IsNaN(observed):
		return "it is NaN"
	case s.least < 0:
		return fmt.Sprintf("a sample of %s is no time", amount(s.least, unit))
	case s.unknown > 0:
		return fmt.Sprintf("the input tokens of %s are unknown", plural(s.unknown, "request"))
	case observed == 0 && takesTime[s.metric]:
		return "it is 0s, and no server answers in no time: the clock or the records are at fault"
	case r.Counts.Inconsistent > 0:
		return fmt.Sprintf("%s with instants that contradict each other", plural(r.Counts.Inconsistent, "request"))
	}
	return ""
}

// takesTime are the latencies that are above 0 for every server there is.
// Queues may be empty and tokens may come together, but a reply takes time.
var takesTime = map[llmbench.Metric]bool{
	llmbench.TTFT: true, llmbench.EffectiveTTFT: true,
	llmbench.RequestLatency: true, llmbench.EffectiveLatency: true,
}

// tooFew says what it would take to judge a quantile at a confidence.
func tooFew(s sample, l limit, over int, confidence float64) string {
	need := enough(over, l.q, confidence)
	have := fmt.Sprintf("has %d", s.n())
	if over > 0 {
		have += fmt.Sprintf(" with %d over", over)
	}
	with := ""
	if over > 0 {
		with = " with no more over"
	}
	return fmt.Sprintf("%s within %s needs %d %ss%s at %s, %s", l.word(),
		amount(l.value, s.metric.Unit()), need, s.noun(), with, percent(confidence), have)
}

// percent prints a confidence without needless digits: 95%, 99.9%.
func percent(confidence float64) string { return fmt.Sprintf("%.6g%%", 100*confidence) }

// worstOf picks the finding that a text is about: one that fails before one
// that cannot be judged before one that holds, and among those the one that is
// nearest to its limit or farthest beyond.
func worstOf(findings []finding) finding {
	severity := map[State]int{Fails: 2, CannotJudge: 1, Holds: 0}
	worst := findings[0]
	for _, f := range findings[1:] {
		a, b := severity[f.state], severity[worst.state]
		if a > b || (a == b && f.observed/f.value > worst.observed/worst.value) {
			worst = f
		}
	}
	return worst
}

// alsoRow lists the other limits that do not hold.
func alsoRow(m *message, metric llmbench.Metric, direction func(limit) string, worst finding, findings []finding) {
	var also []string
	for _, f := range findings {
		if f.state == Fails && f.limit != worst.limit {
			observed, wanted := apart(f.observed, f.value, metric.Unit())
			also = append(also, fmt.Sprintf("%s %s, want %s %s", f.word(), observed, direction(f.limit), wanted))
		}
	}
	if len(also) > 0 {
		m.evidence("also", "%s", strings.Join(also, "; "))
	}
}

// explain adds the rows between the line and the rerun.
func (c times) explain(m *message, s sample, worst finding, r *llmbench.Result) {
	unit := s.metric.Unit()
	q := func(p float64) string { return amount(s.observed(statistic{q: p}), unit) }
	m.evidence("spread", "p50 %s  p90 %s  p99 %s  max %s  (%s)", q(0.5), q(0.9), q(0.99),
		amount(s.observed(high), unit), plural(s.n(), s.noun()))
	_, wanted := apart(worst.observed, worst.value, unit)
	m.evidence("over", "%d of %s %s %s", s.over(worst.limit), plural(s.n(), s.noun()), beyond(worst.limit), wanted)
	if worst.q > 0 {
		m.evidence("interval", "%s", interval(s, worst.statistic, c.confidence))
	}
	if s.independent < s.n()*4/5 {
		m.evidence("worth", "%s tell as much as %d independent ones (batch means), so the bounds are optimistic",
			plural(len(s.values), s.noun()), s.independent)
	}
	if s.failed > 0 {
		failuresRow(m, r)
		m.limit("a failed request counts as over every limit; OKOnly leaves it out")
	} else if c.okOnly && r.Counts.Failed() > 0 {
		failuresRow(m, r)
		m.limit("failed requests are left out, as OKOnly asks")
	}
	leftOutRow(m, r.Stats(s.metric))
}

// interval says what the sample carries: the bounds of a quantile by order
// statistics, and how many requests it takes where there is none.
func interval(s sample, of statistic, confidence float64) string {
	if confidence == 0 {
		confidence = 0.95
	}
	unit, name := s.metric.Unit(), of.word()
	lower, upper := bounds(s.n(), of.q, confidence)
	var parts []string
	if lower >= len(s.values) {
		return fmt.Sprintf("%s is unbounded at %s, as too many failed", name, percent(confidence))
	}
	if lower >= 0 {
		parts = append(parts, "at least "+amount(s.at(lower), unit))
	}
	if upper < s.n() {
		parts = append(parts, "at most "+amount(s.at(upper), unit))
	}
	text := ""
	switch len(parts) {
	case 0:
		text = fmt.Sprintf("nothing is known of %s at %s", name, percent(confidence))
	case 1:
		text = fmt.Sprintf("%s is %s at %s", name, parts[0], percent(confidence))
	case 2:
		text = fmt.Sprintf("%s is %s and %s, each at %s", name, parts[0], parts[1], percent(confidence))
	}
	if upper == s.n() {
		text += fmt.Sprintf("; an upper bound needs %d %ss", enough(0, of.q, confidence), s.noun())
	}
	return text
}

// beyond words what a sample over the limit is.
func beyond(l limit) string {
	if l.strict {
		return "at or over"
	}
	return "over"
}
