package assert

import (
	"fmt"

	"github.com/llmbench/go/llmbench"
)

// NoErrors claims that no measured request failed: none ended in an error, a
// timeout, a rejection, an empty or an incomplete reply. Deliberate
// cancellations are no failures.
type NoErrors struct{}

// Check judges the claim.
func (NoErrors) Check(r *llmbench.Result) Verdict {
	m := about("errors", r)
	windowRow(m, r)
	failed, finished := r.Counts.Failed(), r.Counts.OK+r.Counts.Failed()
	if finished == 0 {
		return m.cannot("%s", nothingFinished(r))
	}
	if failed == 0 {
		return m.verdict(Holds, "none of %s failed", plural(finished, "request"))
	}
	m.evidence("failed", "%s", outcomes(r.Counts))
	firstFailureRow(m, r)
	return m.verdict(Fails, "%d of %s failed, want none", failed, plural(finished, "request"))
}

// RequireNoErrors stops the test if any request failed.
func RequireNoErrors(t T, r *llmbench.Result) {
	helper(t)()
	Require(t, r, NoErrors{})
}

// CheckNoErrors is RequireNoErrors that lets the test go on; it returns whether
// the claim holds.
func CheckNoErrors(t T, r *llmbench.Result) bool {
	helper(t)()
	return Check(t, r, NoErrors{})
}

// ErrorRate claims that at most a share of the measured requests failed:
// failures / (ok + failures), deliberate cancellations in neither.
type ErrorRate struct {
	// AtMost is the share, in (0,1); for none at all there is NoErrors.
	AtMost float64
	// Confidence is the confidence with which the true share must be known to be
	// within AtMost or beyond, in (0,1); 0 compares the share of the sample.
	Confidence float64

	strict bool // excludes AtMost itself
}

// Check judges the claim.
func (c ErrorRate) Check(r *llmbench.Result) Verdict {
	m := about("error rate", r)
	if !(c.AtMost > 0 && c.AtMost < 1) {
		return m.badClaim("ErrorRate: AtMost is %v, want > 0 and < 1", c.AtMost)
	}
	if why := wrongConfidence("ErrorRate", c.Confidence); why != "" {
		return m.badClaim("%s", why)
	}
	windowRow(m, r)
	failed, finished := r.Counts.Failed(), r.Counts.OK+r.Counts.Failed()
	if finished == 0 {
		return m.cannot("%s", nothingFinished(r))
	}
	if failed > 0 {
		m.evidence("failed", "%s", outcomes(r.Counts))
		firstFailureRow(m, r)
	}
	p := proportion{bad: failed, n: finished, allowed: c.AtMost, confidence: c.Confidence, strict: c.strict}
	return p.verdict(m, fmt.Sprintf("error rate is %s (%d of %s failed)", share(p.share()), failed, plural(finished, "request")),
		limit{strict: c.strict}.most()+" "+share(c.AtMost))
}

// RequireErrorRate stops the test unless at most a share of the requests failed.
func RequireErrorRate(t T, r *llmbench.Result, c ErrorRate) {
	helper(t)()
	Require(t, r, c)
}

// CheckErrorRate is RequireErrorRate that lets the test go on; it returns
// whether the claim holds.
func CheckErrorRate(t T, r *llmbench.Result, c ErrorRate) bool {
	helper(t)()
	return Check(t, r, c)
}

// Complete claims that the run did all it planned: every measured request was
// sent, none was cut off, and each ended with a finish reason and content.
type Complete struct{}

// Check judges the claim.
func (Complete) Check(r *llmbench.Result) Verdict {
	m := about("completeness", r)
	windowRow(m, r)
	if r.Counts.Planned == 0 {
		return m.cannot("no request was measured")
	}
	missing := r.Counts.Planned - r.Counts.OK
	if missing == 0 {
		return m.verdict(Holds, "all %s were completed", plural(r.Counts.OK, "request"))
	}
	failuresRow(m, r)
	if n := r.Counts.Unsent + r.Counts.Cancelled; n > 0 {
		m.evidence("cut off", "%d never sent, %d cancelled by the harness", r.Counts.Unsent, r.Counts.Cancelled)
	}
	firstFailureRow(m, r)
	if r.Stopped != "" {
		m.cause("the run was stopped before its end: %s", r.Stopped)
	}
	if r.Decided != "" {
		m.cause("the run was ended as soon as its verdict was decided: %s", r.Decided)
	}
	return m.verdict(Fails, "%d of %s were not completed, want all", missing, plural(r.Counts.Planned, "request"))
}

// RequireComplete stops the test unless every planned request was completed.
func RequireComplete(t T, r *llmbench.Result) {
	helper(t)()
	Require(t, r, Complete{})
}

// CheckComplete is RequireComplete that lets the test go on; it returns
// whether the claim holds.
func CheckComplete(t T, r *llmbench.Result) bool {
	helper(t)()
	return Check(t, r, Complete{})
}

// nothingFinished says why there is no request to judge.
func nothingFinished(r *llmbench.Result) string {
	switch {
	case r.Counts.Planned == 0:
		return "no request was measured"
	case r.Stopped != "":
		return "the run was stopped before a request finished: " + r.Stopped
	}
	return fmt.Sprintf("none of %s finished, %d cancelled and %d never sent",
		plural(r.Counts.Planned, "request"), r.Counts.Cancelled, r.Counts.Unsent)
}

// firstFailureRow shows the failure that ended first, whole: one message of a
// server says more than a hundred counts.
func firstFailureRow(m *message, r *llmbench.Result) {
	var first *llmbench.Record
	for record := range r.Requests() {
		if record.Outcome.Failed() && (first == nil || record.End.Or(0) < first.End.Or(0)) {
			first = record
		}
	}
	if first == nil {
		return
	}
	text := fmt.Sprintf("request %s", first.ID)
	if sent, ok := first.Sent.Get(); ok {
		text += ", sent " + instant(sent)
	}
	text += ": " + string(first.Outcome)
	if first.Status != 0 {
		text += fmt.Sprintf(", status %d", first.Status)
	}
	if first.Error != "" {
		text += ": " + clip(first.Error, 120)
	}
	m.evidence("first", "%s", text)
}

// clip shortens a text to so many runes.
func clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}
