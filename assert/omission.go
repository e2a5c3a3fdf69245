package assert

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
)

// DefaultMaxShortfall is the share of the offered rate that may be missing when
// NoCoordinatedOmission.MaxShortfall is zero.
const DefaultMaxShortfall = 0.05

// NoCoordinatedOmission claims that the schedule set the pace of the requests
// and not the server's replies: an open loop, sent on time and in full. Where it
// does not hold, latencies from send leave out the waiting that a slow server
// caused, and only the effective ones, from schedule, can be believed. The term
// is Gil Tene's (How NOT to Measure Latency).
//
// Under a closed loop it is a bad claim: there the replies set the pace by
// design. See Unsaturated for a claim that such a run can keep.
type NoCoordinatedOmission struct {
	// MaxLag is how late the p99 of sends may be, by nearest rank; 0 is
	// llmbench.LateSend.
	MaxLag time.Duration
	// MaxShortfall is the share of the offered rate that the achieved one may
	// miss, in [0,1); 0 is DefaultMaxShortfall.
	MaxShortfall float64
}

// RequireNoCoordinatedOmission stops the test unless the schedule set the pace,
// with the default bounds.
func RequireNoCoordinatedOmission(t T, r *llmbench.Result) {
	helper(t)()
	Require(t, r, NoCoordinatedOmission{})
}

// CheckNoCoordinatedOmission is RequireNoCoordinatedOmission that lets the test
// go on; it returns whether the claim holds.
func CheckNoCoordinatedOmission(t T, r *llmbench.Result) bool {
	helper(t)()
	return Check(t, r, NoCoordinatedOmission{})
}

// Check judges the claim.
func (c NoCoordinatedOmission) Check(r *llmbench.Result) Verdict {
	m := about("coordinated omission", r)
	if why := c.wrong(); why != "" {
		return m.badClaim("%s", why)
	}
	c = c.withDefaults()
	if r.Schedule == nil {
		windowRow(m, r)
		return m.cannot("the records do not say what load made them, and a closed loop leaves no trace in them")
	}
	m.window("schedule", "%s", r.Schedule)
	if !r.Schedule.Open {
		return closedLoop(m, r)
	}
	p := punctualityOf(r, c.MaxLag)
	if p.sent == 0 {
		return m.cannot("no request was sent")
	}
	return c.judge(m, p, r)
}

func (c NoCoordinatedOmission) wrong() string {
	switch {
	case c.MaxLag < 0:
		return fmt.Sprintf("MaxLag is %v, want >= 0", c.MaxLag)
	case !(c.MaxShortfall >= 0 && c.MaxShortfall < 1): // NaN too
		return fmt.Sprintf("MaxShortfall is %v, want >= 0 and < 1", c.MaxShortfall)
	}
	return ""
}

func (c NoCoordinatedOmission) withDefaults() NoCoordinatedOmission {
	if c.MaxLag == 0 {
		c.MaxLag = llmbench.LateSend
	}
	if c.MaxShortfall == 0 {
		c.MaxShortfall = DefaultMaxShortfall
	}
	return c
}

// closedLoop words the bad claim, and offers the open loop that comes nearest.
func closedLoop(m *message, r *llmbench.Result) Verdict {
	users := r.Profile.Arrivals.Users()
	if latency := meanInFlight(r); latency > 0 {
		rate := float64(users) / latency.Seconds()
		m.hint("Arrivals: llmbench.Poisson(%s) keeps as many requests in flight: %s / %s mean latency (Little's law)",
			figure(precise, rate), plural(users, "user"), duration(latency))
	}
	return m.badClaim("in a closed loop of %s responses set the pace by design, want an open loop", plural(users, "user"))
}

// meanInFlight is how long a request was in flight on average: a user's whole
// cycle, as there is no think time.
func meanInFlight(r *llmbench.Result) time.Duration {
	var sum time.Duration
	n := 0
	for record := range r.Requests() {
		if sent, ok := record.Sent.Get(); ok && record.End.Ok() {
			sum += record.End.Or(0) - sent
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / time.Duration(n)
}

// Punctuality is how the sends of an open loop kept to its schedule.
type punctuality struct {
	sent, unsent, late int
	p99                time.Duration
	// first and last are the late requests that were scheduled first and sent
	// last; nil if none was late.
	first, last       *llmbench.Record
	offered, achieved float64
}

func punctualityOf(r *llmbench.Result, maxLag time.Duration) punctuality {
	p := punctuality{unsent: r.Counts.Unsent}
	var lags []time.Duration
	for record := range r.Requests() {
		lag, ok := lagOf(record)
		if !ok {
			continue
		}
		lags = append(lags, lag)
		if lag <= maxLag {
			continue
		}
		p.late++
		if p.first == nil || record.Scheduled.Or(0) < p.first.Scheduled.Or(0) {
			p.first = record
		}
		if p.last == nil || record.Sent.Or(0) > p.last.Sent.Or(0) {
			p.last = record
		}
	}
	if p.sent = len(lags); p.sent > 0 {
		slices.Sort(lags)
		p.p99 = lags[nearest(len(lags), 0.99)]
	}
	p.offered = r.Stats(llmbench.OfferedRate).Mean().Or(0)
	p.achieved = r.Stats(llmbench.AchievedRate).Mean().Or(0)
	return p
}

// lagOf is how late a request was sent; false if it never was.
func lagOf(record *llmbench.Record) (time.Duration, bool) {
	sent, ok := record.Sent.Get()
	scheduled, known := record.Scheduled.Get()
	return sent - scheduled, ok && known
}

// shortfall is the share of the offered rate that was not reached; 0 where
// there are too few requests for a rate.
func (p punctuality) shortfall() float64 {
	if p.offered == 0 || p.achieved == 0 {
		return 0
	}
	return 1 - p.achieved/p.offered
}

func (c NoCoordinatedOmission) judge(m *message, p punctuality, r *llmbench.Result) Verdict {
	late, short := p.p99 > c.MaxLag, p.shortfall() > c.MaxShortfall
	left := p.unsent > 0 && r.Stopped == "" && r.Decided == ""
	if left {
		m.evidence("unsent", "%s waited for a slot until the run was over", plural(p.unsent, "request"))
	}
	if p.late > 0 {
		m.evidence("first", "request %s: scheduled %s, sent %s; last late send %s", p.first.ID,
			instant(p.first.Scheduled.Or(0)), instant(p.first.Sent.Or(0)), instant(p.last.Sent.Or(0)))
	}
	if short {
		m.evidence("rate", "%s sent of %s offered, %s", amount(p.achieved, "req/s"),
			amount(p.offered, "req/s"), share(p.achieved/p.offered))
	}
	if !late && !short && !left {
		return m.verdict(Holds, "%s left on time (p99 lag %s, want at most %s)", plural(p.sent, "request"),
			duration(p.p99), duration(c.MaxLag))
	}
	felt(m, p, r)
	full := fullCap(r)
	if full == "" {
		return m.cannot("%s, though no client cap held it up: the generator itself was slow", c.line(p, late, left))
	}
	if own := ownLag(r); own > c.MaxLag {
		return m.cannot("%s, and the generator itself was late by %s at p99", c.line(p, late, left), duration(own))
	}
	m.cause("client cap %s was full", full)
	roomHint(m, p, r)
	return m.verdict(Fails, "%s: responses set the pace, not the schedule", c.line(p, late, left))
}

// line is what was observed and what was wanted.
func (c NoCoordinatedOmission) line(p punctuality, late, left bool) string {
	switch {
	case late:
		return fmt.Sprintf("%d of %s left late (p99 lag %s, want at most %s)", p.late,
			plural(p.sent, "request"), duration(p.p99), duration(c.MaxLag))
	case left:
		return fmt.Sprintf("%d of %s never left, want all sent", p.unsent, plural(p.sent+p.unsent, "request"))
	}
	return fmt.Sprintf("%s were sent of %s offered, want at least %s of them", amount(p.achieved, "req/s"),
		amount(p.offered, "req/s"), share(1-c.MaxShortfall))
}

// felt adds what the lateness hides: the same requests measured from send and
// from schedule. Counts over a threshold come before percentiles, as a stall
// that is long enough moves both p99 alike.
func felt(m *message, p punctuality, r *llmbench.Result) {
	waited, fromSend, fromSchedule, name := "a first token", llmbench.TTFT, llmbench.EffectiveTTFT, "TTFT"
	if r.Stats(llmbench.TTFT).N() == 0 {
		waited, fromSend, fromSchedule, name = "the last byte", llmbench.RequestLatency, llmbench.EffectiveLatency, "latency"
	}
	sent, scheduled := sampleOf(fromSend, r, order{okOnly: true}), sampleOf(fromSchedule, r, order{okOnly: true})
	if len(sent.values) == 0 || len(scheduled.values) == 0 {
		return
	}
	threshold := roundBelow(p.p99)
	ms := limit{value: llmbench.Millis(threshold)}
	over := sent.over(ms)
	of := widest(sent, scheduled)
	if over == scheduled.over(ms) && sent.observed(of) == scheduled.observed(of) {
		return // the lateness is not in the replies that came
	}
	m.effect("%s waited over %s for %s measured from send, %d from schedule; %s%s %s from send, %s from schedule",
		plural(over, "request"), duration(threshold), waited, scheduled.over(ms), name, of.name,
		amount(sent.observed(of), "ms"), amount(scheduled.observed(of), "ms"))
}

// roundBelow is the largest 1, 2 or 5 times a power of ten that is not above d:
// a threshold that people would choose. At least a millisecond.
func roundBelow(d time.Duration) time.Duration {
	best := time.Millisecond
	for unit := time.Millisecond; unit <= d && unit < math.MaxInt64/10; unit *= 10 {
		for _, times := range []time.Duration{1, 2, 5} {
			if times*unit <= d {
				best = times * unit
			}
		}
	}
	return best
}

// widest is the percentile at which the two samples differ most, the higher one
// of equals.
func widest(a, b sample) statistic {
	best, gap := pth("p99", 0.99), -1.0
	for _, of := range []statistic{pth("p50", 0.5), pth("p90", 0.9), pth("p95", 0.95), pth("p99", 0.99)} {
		if d := math.Abs(b.observed(of) - a.observed(of)); d >= gap {
			best, gap = of, d
		}
	}
	return best
}

// below reports whether a rate is under the one that was asked for, where one
// was: the sample of a short Poisson run can lie above it by chance.
func below(rate float64, asked llmbench.Rate) bool { return asked == 0 || rate < float64(asked) }

// roomHint says how many requests must have room: as many as were due and not
// yet answered at one time, which is the most there can be in flight if a
// request that leaves earlier ends no later. (To keep each request's latency
// instead is too little: those that a stalled server holds all end with the
// stall, whenever they left.) Where the slots were too few for the mean latency,
// it offers the rate that they can carry.
func roomHint(m *message, p punctuality, r *llmbench.Result) {
	var hints []string
	slots := r.Profile.MaxInFlight
	if slots == 0 {
		return // a cap on prefill has no such model
	}
	if need := offeredInFlight(r); need > slots {
		hints = append(hints, fmt.Sprintf("raise MaxInFlight to %d, the most that were due and unanswered at once", need))
	}
	if latency := meanInFlight(r); latency > 0 {
		if rate := float64(slots) / latency.Seconds(); rate < p.offered && below(rate, r.Profile.Arrivals.Rate()) {
			hints = append(hints, fmt.Sprintf("lower the rate to %s req/s, %d / %s mean latency (Little's law)",
				figure(precise, rate), slots, duration(latency)))
		}
	}
	if len(hints) > 0 {
		m.hint("%s; effective latencies already start at the schedule", strings.Join(hints, ", or "))
	}
}

// offeredInFlight is the greatest number of requests, warm-up included, that
// were due and had not ended at one time. Those that never left wait to the end.
func offeredInFlight(r *llmbench.Result) int {
	var starts, ends []time.Duration
	for i := range r.Records {
		if scheduled, ok := r.Records[i].Scheduled.Get(); ok {
			starts = append(starts, scheduled)
			ends = append(ends, r.Records[i].End.Or(math.MaxInt64))
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	most, ended := 0, 0
	for i, at := range starts {
		for ; ended < len(ends) && ends[ended] <= at; ended++ {
		}
		most = max(most, i+1-ended)
	}
	return most
}
