package assert

import (
	"fmt"
	"slices"
	"time"

	"github.com/llmbench/go/llmbench"
)

// Shed claims that a server under more load than it can carry says so: it
// answers some requests with 429 or 503, each of them soon, and its goodput
// keeps a share of its peak. A server that takes everything in answers nobody.
type Shed struct {
	// Within is the longest time from send to the end of a rejection. Required.
	Within time.Duration
	// Peak is a result of the same server at a load that it carries, and Share,
	// in (0,1], how much of its rate of ok requests must be left. Nil does not ask.
	Peak  *llmbench.Result
	Share float64
}

// RequireShed stops the test unless the server shed what it could not carry.
func RequireShed(t T, r *llmbench.Result, c Shed) {
	helper(t)()
	Require(t, r, c)
}

// CheckShed is RequireShed that lets the test go on; it returns
// whether the claim holds.
func CheckShed(t T, r *llmbench.Result, c Shed) bool {
	helper(t)()
	return Check(t, r, c)
}

// Check judges the claim.
func (c Shed) Check(r *llmbench.Result) Verdict {
	m := about("load shedding", r)
	if why := c.wrong(); why != "" {
		return m.badClaim("%s", why)
	}
	windowRow(m, r)
	if why := unfit(r); why != "" {
		return m.cannot("%s", why)
	}
	waits := rejections(r)
	if len(waits) == 0 {
		failuresRow(m, r)
		return m.cannot("no request was rejected with 429 or 503: the load was within the limit, or the server sheds nothing")
	}
	m.evidence("rejected", "%d of %s, p50 %s  max %s after the send", len(waits), plural(r.Counts.Sent, "request"),
		duration(waits[nearest(len(waits), 0.5)]), duration(waits[len(waits)-1]))
	failuresRow(m, r)
	slow := len(waits)
	for _, w := range waits {
		if w <= c.Within {
			slow--
		}
	}
	if slow > 0 {
		return m.verdict(Fails, "%d of %s took longer than %s, the slowest %s", slow, plural(len(waits), "rejection"),
			duration(c.Within), duration(waits[len(waits)-1]))
	}
	return c.kept(m, r, len(waits))
}

// kept judges what is left of the peak.
func (c Shed) kept(m *message, r *llmbench.Result, rejected int) Verdict {
	if c.Peak == nil {
		return m.verdict(Holds, "all %s came within %s", plural(rejected, "rejection"), duration(c.Within))
	}
	rate, peak := r.Stats(llmbench.RequestThroughput).Mean().Or(0), c.Peak.Stats(llmbench.RequestThroughput).Mean().Or(0)
	if peak == 0 {
		return m.cannot("the peak result has no rate of ok requests")
	}
	m.evidence("goodput", "%s of ok requests, %s at the peak", amount(rate, "req/s"), amount(peak, "req/s"))
	state := Fails
	if rate >= c.Share*peak {
		state = Holds
	}
	return m.verdict(state, "goodput under overload is %s of its peak, want at least %s", share(rate/peak), share(c.Share))
}

func (c Shed) wrong() string {
	switch {
	case c.Within <= 0:
		return fmt.Sprintf("Shed: Within is %v, want > 0", c.Within)
	case c.Peak != nil && !(c.Share > 0 && c.Share <= 1):
		return fmt.Sprintf("Shed: Share is %v, want > 0 and <= 1 with a Peak", c.Share)
	case c.Peak == nil && c.Share != 0:
		return fmt.Sprintf("Shed: Share is %v without a Peak, want both or neither", c.Share)
	}
	return ""
}

// rejections are the times from send to the end of rejected requests, sorted.
func rejections(r *llmbench.Result) []time.Duration {
	var waits []time.Duration
	for record := range r.Requests() {
		if record.Outcome == llmbench.Rejected && record.Sent.Ok() && record.End.Ok() {
			waits = append(waits, record.End.Or(0)-record.Sent.Or(0))
		}
	}
	slices.Sort(waits)
	return waits
}

// Recovery claims that a server is itself again within a time after a burst:
// every request that was due later than that is ok and has its first content, or
// its end if it was not streamed, within a limit of the instant it was due.
type Recovery struct {
	// BurstEnd is when the burst was over, from the start of the run.
	BurstEnd time.Duration
	// Within is the time the server has from then on. Required.
	Within time.Duration
	// TTFT is the limit on the effective time to first token. Required.
	TTFT time.Duration
}

// RequireRecovery stops the test unless the server is itself again in time after a burst.
func RequireRecovery(t T, r *llmbench.Result, c Recovery) {
	helper(t)()
	Require(t, r, c)
}

// CheckRecovery is RequireRecovery that lets the test go on; it returns
// whether the claim holds.
func CheckRecovery(t T, r *llmbench.Result, c Recovery) bool {
	helper(t)()
	return Check(t, r, c)
}

// Check judges the claim.
func (c Recovery) Check(r *llmbench.Result) Verdict {
	m := about("recovery", r)
	if c.BurstEnd < 0 || c.Within <= 0 || c.TTFT <= 0 {
		return m.badClaim("Recovery: BurstEnd is %v, Within %v and TTFT %v, want >= 0, > 0 and > 0", c.BurstEnd, c.Within, c.TTFT)
	}
	windowRow(m, r)
	if why := unfit(r); why != "" {
		return m.cannot("%s", why)
	}
	a := aftermathOf(c, r)
	if a.after == 0 {
		return m.cannot("no request was due after %s, %s after the burst", instant(c.BurstEnd+c.Within), duration(c.Within))
	}
	m.evidence("burst", "over at %s; %d of %s in the %s after it were slow or failed", instant(c.BurstEnd),
		a.during, plural(a.inTime, "request"), duration(c.Within))
	if a.last != nil {
		m.evidence("last", "request %s, due %s after the burst: %s", a.last.ID, duration(dueOf(a.last)-c.BurstEnd), a.lastWas)
	}
	if a.slow == 0 {
		return m.verdict(Holds, "all %s from %s after the burst on had a first token within %s",
			plural(a.after, "request"), duration(c.Within), duration(c.TTFT))
	}
	return m.verdict(Fails, "%d of %s from %s after the burst on had no first token within %s, want none",
		a.slow, plural(a.after, "request"), duration(c.Within), duration(c.TTFT))
}

// An aftermath is what became of the requests that were due after a burst.
type aftermath struct {
	inTime, during int // due before the server had to be itself again, and the bad of them
	after, slow    int // due later, and the bad of them
	last           *llmbench.Record
	lastWas        string
}

func aftermathOf(c Recovery, r *llmbench.Result) aftermath {
	var a aftermath
	for record := range r.Requests() {
		due := dueOf(record)
		if due < c.BurstEnd || record.Outcome == llmbench.Cancelled {
			continue
		}
		what := tooLate(record, c.TTFT)
		late := due >= c.BurstEnd+c.Within
		switch {
		case late:
			a.after++
		default:
			a.inTime++
		}
		if what == "" {
			continue
		}
		if late {
			a.slow++
		} else {
			a.during++
		}
		if a.last == nil || due >= dueOf(a.last) {
			a.last, a.lastWas = record, what
		}
	}
	return a
}

// dueOf is when a request was due: its scheduled instant, else its send.
func dueOf(record *llmbench.Record) time.Duration {
	return record.Scheduled.Or(record.Sent.Or(-1))
}

// tooLate says what is wrong with a request; empty when nothing is.
func tooLate(record *llmbench.Record, limit time.Duration) string {
	if record.Outcome != llmbench.OK {
		return string(record.Outcome)
	}
	first, ok := record.FirstContent()
	if !ok {
		first = record.End.Or(0)
	}
	if wait := first - dueOf(record); wait > limit {
		return "first token after " + duration(wait)
	}
	return ""
}
