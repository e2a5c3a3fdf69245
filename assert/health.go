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
	helper(t)
	Require(t, r, NoErrors{})
}

// CheckNoErrors is RequireNoErrors that lets the test go on; it returns whether
// the claim holds.
func CheckNoErrors(t T, r *llmbench.Result) bool {
	helper(t)
	return Check(t, r, NoErrors{})
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
