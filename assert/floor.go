package assert

import (
	"fmt"
	"math"
	"time"

	"github.com/llmbench/go/llmbench"
)

// judge is the check of every claim on a rate.
func (f Floor) judge(metric llmbench.Metric, r *llmbench.Result) Verdict {
	return judgeNumber(metric, r, numbers{kind: "Floor", limits: f.limits(), least: true})
}

// judge is the check of every claim on a number in flight.
func (b Bound) judge(metric llmbench.Metric, r *llmbench.Result) Verdict {
	return judgeNumber(metric, r, numbers{kind: "Bound", limits: b.limits()})
}

// numbers are the limits of a Floor or a Bound.
type numbers struct {
	kind   string
	limits []limit
	// least says that the limits are the least that is wanted, not the most.
	least bool
}

// direction words a limit.
func (n numbers) direction(l limit) string {
	if n.least {
		return l.least()
	}
	return l.most()
}

func judgeNumber(metric llmbench.Metric, r *llmbench.Result, n numbers) Verdict {
	m := about(called(metric), r)
	if why := wrong(n.kind, n.limits, metric.Unit()); why != "" {
		return m.badClaim("%s", why)
	}
	windowRow(m, r)
	if why := unfit(r); why != "" {
		return m.cannot("%s", why)
	}
	st := r.Stats(metric)
	if st.N() == 0 || st.Absent() != "" {
		failuresRow(m, r)
		return m.cannot("no samples: %s", absence(st, r))
	}
	observe := func(of statistic) float64 { return statisticOf(st, of) }
	if metric.Kind() == llmbench.PerRequest {
		// A failed request has no speed: it counts as 0.
		observe = sampleOf(metric, r, order{under: n.least}).observed
	}
	var findings []finding
	for _, l := range n.limits {
		findings = append(findings, n.find(observe(l.statistic), l, metric, r))
	}
	worst := n.worst(findings)
	explainNumber(m, st, observe, r)
	alsoRow(m, metric, n.direction, worst, findings)
	m.subject += worst.name
	if worst.state == CannotJudge {
		return m.cannot("%s", worst.why)
	}
	observed, wanted := apart(worst.observed, worst.value, metric.Unit())
	return m.verdict(worst.state, "%s is %s, want %s %s", m.subject, observed, n.direction(worst.limit), wanted)
}

// find judges one limit.
func (n numbers) find(observed float64, l limit, metric llmbench.Metric, r *llmbench.Result) finding {
	f := finding{limit: l, observed: observed, state: Fails}
	switch {
	case math.IsNaN(observed) && metric.Kind() == llmbench.Single:
		f.state, f.why = CannotJudge, "it is a single number, want a limit on Mean"
	case math.IsNaN(observed):
		f.state, f.why = CannotJudge, "it is NaN"
	case n.least && l.reached(observed), !n.least && l.within(observed):
		f.state = Holds
	}
	if f.state == Holds && r.Counts.Inconsistent > 0 {
		f.state = CannotJudge
		f.why = plural(r.Counts.Inconsistent, "request") + " with instants that contradict each other"
	}
	return f
}

// worst is worstOf; for limits from below with their quotients the other way
// round, so that the farthest under its limit is the worst.
func (n numbers) worst(findings []finding) finding {
	if !n.least {
		return worstOf(findings)
	}
	turned := make([]finding, len(findings))
	for i, f := range findings {
		turned[i] = f
		turned[i].observed, turned[i].value = f.value, f.observed
	}
	worst := worstOf(turned)
	worst.observed, worst.value = worst.value, worst.observed
	return worst
}

// A phase is what the mask of an active curve is: the time it counts, and the
// same curve over the whole window.
type phase struct {
	active, effective llmbench.Metric
	// while says when the mask is above 0, weighted what the spread is over.
	while, weighted string
	// limit is what the client cannot see; empty where there is nothing to say.
	limit string
}

var phases = []phase{
	{
		llmbench.ActivePrefillThroughput, llmbench.EffectivePrefillThroughput,
		"with a request between send and first token", "time in prefill",
		"seen from the client: queueing before prefill counts as prefill here",
	},
	{
		llmbench.ActiveDecodeThroughput, llmbench.EffectiveDecodeThroughput,
		"with a request between first token and end", "time in decode", "",
	},
	{
		llmbench.ActiveTotalThroughput, llmbench.EffectiveTotalThroughput,
		"with a request in flight", "time with a request in flight", "",
	},
}

// explainNumber adds the rows between the line and the rerun. A rate is shown
// in both its forms: a server that is slow, and one that had nothing to do,
// differ there.
func explainNumber(m *message, st llmbench.Stats, observe func(statistic) float64, r *llmbench.Result) {
	metric := st.Metric()
	p := phaseOf(metric)
	part, span, phased := activeShare(r.Stats(p.active), r.Stats(p.effective), r.Window.Length())
	weighted := "weighted by time"
	switch {
	case metric.Kind() == llmbench.PerRequest:
		weighted = plural(st.N(), "request")
	case phased && metric == p.active:
		m.evidence("active", "%s %s, %s of the window", duration(span), p.while, part)
		weighted = "weighted by " + p.weighted
	case phased:
		m.evidence("active", "%s %s, %s of the window", amount(r.Stats(p.active).Mean().Or(0), metric.Unit()), p.while, part)
	}
	if metric.Kind() != llmbench.Single {
		q := func(p float64) string { return amount(observe(statistic{q: p}), metric.Unit()) }
		m.evidence("spread", "p50 %s  p90 %s  p99 %s  (%s)", q(0.5), q(0.9), q(0.99), weighted)
	}
	if phased && metric == p.active {
		m.evidence("effective", "%s over the whole window, idle time included", amount(r.Stats(p.effective).Mean().Or(0), metric.Unit()))
		if p.limit != "" {
			m.limit("%s", p.limit)
		}
	}
	if metric == llmbench.RequestThroughput && r.Schedule != nil && r.Schedule.Open {
		m.evidence("offered", "%s by the schedule, %s sent",
			amount(r.Stats(llmbench.OfferedRate).Mean().Or(0), "req/s"), amount(r.Stats(llmbench.AchievedRate).Mean().Or(0), "req/s"))
	}
	failuresRow(m, r)
	leftOutRow(m, st)
}

// phaseOf is the phase that a metric is the active or the effective curve of.
func phaseOf(metric llmbench.Metric) phase {
	for _, p := range phases {
		if p.active == metric || p.effective == metric {
			return p
		}
	}
	return phase{}
}

// activeShare is how long the mask of an active curve was above 0, by the
// identity that active mean times active time is effective mean times window.
func activeShare(active, effective llmbench.Stats, window time.Duration) (string, time.Duration, bool) {
	part := effective.Mean().Or(0) / active.Mean().Or(0)
	if math.IsNaN(part) || math.IsInf(part, 0) {
		return "", 0, false
	}
	return share(part), time.Duration(part * float64(window)), true
}

// absence says why a metric has no samples.
func absence(st llmbench.Stats, r *llmbench.Result) string {
	switch {
	case r.Counts.Planned == 0:
		return "no request was measured"
	case r.Counts.OK == 0 && r.Counts.Failed() > 0:
		return fmt.Sprintf("all %s failed", plural(r.Counts.Failed(), "request"))
	}
	return st.Absent()
}
