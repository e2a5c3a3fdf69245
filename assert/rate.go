package assert

import (
	"fmt"
	"math"
	"time"

	"github.com/llmbench/go/llmbench"
)

// ActivePrefill claims a least prefill throughput in tok/s while at least one
// request is in prefill, between send and first token. Time without prompts to
// work on does not count against the server.
type ActivePrefill Floor

// Check judges the claim.
func (f ActivePrefill) Check(r *llmbench.Result) Verdict {
	return Floor(f).judge(llmbench.ActivePrefillThroughput, r)
}

// RequireActivePrefill stops the test unless the active prefill throughput
// reaches f.
func RequireActivePrefill(t T, r *llmbench.Result, f Floor) {
	helper(t)
	Require(t, r, ActivePrefill(f))
}

// CheckActivePrefill is RequireActivePrefill that lets the test go on; it
// returns whether the claim holds.
func CheckActivePrefill(t T, r *llmbench.Result, f Floor) bool {
	helper(t)
	return Check(t, r, ActivePrefill(f))
}

// judge is the check of every claim on a rate.
func (f Floor) judge(metric llmbench.Metric, r *llmbench.Result) Verdict {
	m := about(called(metric), r)
	if why := wrong("Floor", f.limits(), metric.Unit()); why != "" {
		return m.badClaim("%s", why)
	}
	windowRow(m, r)
	if why := unfit(r); why != "" {
		return m.cannot("%s", why)
	}
	st := r.Stats(metric)
	if st.N() == 0 || st.Absent() != "" || !st.Mean().Ok() {
		failuresRow(m, r)
		return m.cannot("no samples: %s", absence(st, r))
	}
	var findings []finding
	for _, l := range f.limits() {
		findings = append(findings, findRate(st, l, r))
	}
	worst := worstRate(findings)
	explainRate(m, st, r)
	alsoRow(m, metric, "at least", worst, findings)
	m.subject += worst.name
	if worst.state == CannotJudge {
		return m.cannot("%s", worst.why)
	}
	observed, wanted := apart(worst.observed, worst.value, metric.Unit())
	return m.verdict(worst.state, "%s is %s, want at least %s", m.subject, observed, wanted)
}

// findRate judges one limit.
func findRate(st llmbench.Stats, l limit, r *llmbench.Result) finding {
	f := finding{limit: l, observed: statisticOf(st, l.statistic), state: Fails}
	switch {
	case math.IsNaN(f.observed):
		f.state, f.why = CannotJudge, fmt.Sprintf("a %s has a mean only, want a limit on Mean", called(st.Metric()))
	case f.observed >= l.value:
		f.state = Holds
	}
	if f.state == Holds && r.Counts.Inconsistent > 0 {
		f.state = CannotJudge
		f.why = plural(r.Counts.Inconsistent, "request") + " with instants that contradict each other"
	}
	return f
}

// worstRate is worstOf for limits from below: their quotients the other way
// round, so that the farthest under its limit is the worst.
func worstRate(findings []finding) finding {
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
	effective llmbench.Metric
	// while says when the mask is above 0, weighted what the spread is over.
	while, weighted string
	// limit is what the client cannot see; empty where there is nothing to say.
	limit string
}

var phases = map[llmbench.Metric]phase{
	llmbench.ActivePrefillThroughput: {
		llmbench.EffectivePrefillThroughput, "with a request between send and first token", "time in prefill",
		"seen from the client: queueing before prefill counts as prefill here",
	},
}

// explainRate adds the rows between the line and the rerun.
func explainRate(m *message, st llmbench.Stats, r *llmbench.Result) {
	unit := st.Metric().Unit()
	p, active := phases[st.Metric()]
	if active {
		if share, span, ok := activeShare(st, r.Stats(p.effective), r.Window.Length()); ok {
			m.evidence("active", "%s %s, %s of the window", duration(span), p.while, share)
		}
	}
	q := func(p float64) string { return amount(st.Quantile(p).Or(math.NaN()), unit) }
	if st.Quantile(0.5).Ok() {
		weighted := "weighted by time"
		if active {
			weighted = "weighted by " + p.weighted
		}
		if st.Metric().Kind() != llmbench.Curve {
			weighted = plural(st.N(), "request")
		}
		m.evidence("spread", "p50 %s  p90 %s  p99 %s  (%s)", q(0.5), q(0.9), q(0.99), weighted)
	}
	if active {
		m.evidence("effective", "%s over the whole window, idle time included",
			amount(r.Stats(p.effective).Mean().Or(0), unit))
		if p.limit != "" {
			m.limit("%s", p.limit)
		}
	}
	failuresRow(m, r)
	leftOutRow(m, st)
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
