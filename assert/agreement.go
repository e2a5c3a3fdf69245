package assert

import (
	"fmt"
	"strings"

	"github.com/llmbench/go/llmbench"
)

// Agreement claims that the client's figures and the server's own are the same
// within the bounds of llmbench.Agreements: tokens and requests against the
// server's counters, times to first token against its histogram, prefill and
// decode against the times in its replies, as far as the server tells them. It
// is a claim about the measurement: where it fails, a number is wrong, or
// somebody else was using the server.
type Agreement struct{}

// Check judges the claim.
func (Agreement) Check(r *llmbench.Result) Verdict {
	m := about("agreement with the server", r)
	windowRow(m, r)
	all := r.Agreements()
	if s := r.ServerSide; s != nil && s.Trouble != "" {
		m.limit("%d of %s of its metrics failed, the last: %s", s.Missed, plural(s.Missed+len(s.Readings), "reading"), s.Trouble)
	}
	if len(all) == 0 {
		return m.cannot("the server told neither counters nor times that could be compared")
	}
	var apart, same []string
	for _, a := range all {
		if a.Agrees() {
			same = append(same, a.What)
			continue
		}
		apart = append(apart, a.What)
		m.evidence("apart", "%v, want within %s", a, room(a))
	}
	if len(same) > 0 {
		m.evidence("same", "%s", strings.Join(same, ", "))
	}
	if len(apart) == 0 {
		return m.verdict(Holds, "client and server agree on all of %s", plural(len(all), "figure"))
	}
	if more := surplus(all); more > 0 {
		m.cause("the server answered %s more than this run sent: it had other clients", plural(more, "request"))
	}
	return m.verdict(Fails, "client and server disagree on %d of %s, want none: %s",
		len(apart), plural(len(all), "figure"), strings.Join(apart, ", "))
}

// room is how far apart two figures may be.
func room(a llmbench.Agreement) string {
	if a.Unit == "ms" {
		return fmt.Sprintf("%.1f ms", a.Room)
	}
	return fmt.Sprintf("%.0f%%", 100*llmbench.AgreementShare)
}

// surplus is how many more requests the server counted than were sent, as far as
// that is out of bounds.
func surplus(all []llmbench.Agreement) int {
	for _, a := range all {
		if a.Unit == "requests" && !a.Agrees() {
			return int(a.Theirs - a.Ours)
		}
	}
	return 0
}

// RequireAgreement stops the test unless client and server agree.
func RequireAgreement(t T, r *llmbench.Result) {
	helper(t)()
	Require(t, r, Agreement{})
}

// CheckAgreement is RequireAgreement that lets the test go on; it returns
// whether the claim holds.
func CheckAgreement(t T, r *llmbench.Result) bool {
	helper(t)()
	return Check(t, r, Agreement{})
}
