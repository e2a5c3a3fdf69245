package assert

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
)

// DefaultMaxWait is the share of the effective latency that may be queue wait
// when Unsaturated.AtMost is zero.
const DefaultMaxWait = 0.05

// Unsaturated claims that requests did not queue in the harness: the sum of
// their queue waits is at most a share of the sum of their effective latencies.
// It holds or fails for closed loops too, unlike NoCoordinatedOmission.
type Unsaturated struct {
	// AtMost is the share, in (0,1); 0 is DefaultMaxWait.
	AtMost float64
}

// RequireUnsaturated stops the test unless requests did not queue in the harness.
func RequireUnsaturated(t T, r *llmbench.Result, c Unsaturated) {
	helper(t)()
	Require(t, r, c)
}

// CheckUnsaturated is RequireUnsaturated that lets the test go on; it returns
// whether the claim holds.
func CheckUnsaturated(t T, r *llmbench.Result, c Unsaturated) bool {
	helper(t)()
	return Check(t, r, c)
}

// Check judges the claim.
func (c Unsaturated) Check(r *llmbench.Result) Verdict {
	m := about("saturation", r)
	if !(c.AtMost >= 0 && c.AtMost < 1) {
		return m.badClaim("Unsaturated: AtMost is %v, want >= 0 and < 1", c.AtMost)
	}
	if c.AtMost == 0 {
		c.AtMost = DefaultMaxWait
	}
	windowRow(m, r)
	wait, felt := r.Stats(llmbench.QueueWait), r.Stats(llmbench.EffectiveLatency)
	all := felt.Mean().Or(0) * float64(felt.N())
	if all <= 0 || !wait.Mean().Ok() {
		failuresRow(m, r)
		return m.cannot("no samples: %s", absence(felt, r))
	}
	part := wait.Mean().Or(0) * float64(wait.N()) / all
	m.evidence("wait", "p50 %s  p90 %s  p99 %s  max %s, of an effective latency of %s on average", amount(wait.Quantile(0.5).Or(0), "ms"),
		amount(wait.Quantile(0.9).Or(0), "ms"), amount(wait.Quantile(0.99).Or(0), "ms"), amount(wait.Max().Or(0), "ms"), amount(felt.Mean().Or(0), "ms"))
	if part <= c.AtMost {
		return m.verdict(Holds, "queue wait is %s of effective latency, want at most %s", share(part), share(c.AtMost))
	}
	if full := fullCap(r); full != "" {
		m.cause("client cap %s was full for %s", full, plural(r.Generator.CapFull, "arrival"))
		roomHint(m, punctualityOf(r, llmbench.LateSend), r)
	} else {
		m.cause("no client cap held requests up: the generator itself was slow")
	}
	return m.verdict(Fails, "queue wait is %s of effective latency, want at most %s", share(part), share(c.AtMost))
}

// FitGenerator claims that the harness kept up with its own schedule: requests
// that nothing held up left on time, and few reads held several events at once,
// whose gaps then read as zero. The other claims ask for the first part by
// themselves and cannot be judged without it.
type FitGenerator struct {
	// MaxCoalesced is the share of reads that may hold more than one event, in
	// (0,1); 0 does not ask. A server or proxy that sends events together looks
	// the same, so it has no default.
	MaxCoalesced float64
}

// RequireFitGenerator stops the test unless the harness kept up with its own schedule.
func RequireFitGenerator(t T, r *llmbench.Result, c FitGenerator) {
	helper(t)()
	Require(t, r, c)
}

// CheckFitGenerator is RequireFitGenerator that lets the test go on; it returns
// whether the claim holds.
func CheckFitGenerator(t T, r *llmbench.Result, c FitGenerator) bool {
	helper(t)()
	return Check(t, r, c)
}

// Check judges the claim.
func (c FitGenerator) Check(r *llmbench.Result) Verdict {
	m := about("the generator", r)
	if !(c.MaxCoalesced >= 0 && c.MaxCoalesced < 1) {
		return m.badClaim("FitGenerator: MaxCoalesced is %v, want >= 0 and < 1", c.MaxCoalesced)
	}
	windowRow(m, r)
	if r.Generator == nil {
		return m.cannot("the records do not say how late it was")
	}
	if r.Counts.Sent == 0 {
		return m.cannot("no request was sent")
	}
	g := r.Generator
	coalesced := 0.0
	if g.Reads > 0 {
		coalesced = float64(g.CoalescedReads) / float64(g.Reads)
	}
	lag := ownLag(r)
	m.evidence("lag", "p50 %s  p99 %s  max %s, %d of %s later than %s", duration(g.LagP50.Or(0)), duration(g.LagP99.Or(0)),
		duration(g.LagMax.Or(0)), g.Late, plural(r.Counts.Sent, "request"), duration(llmbench.LateSend))
	m.evidence("reads", "%d of %s held more than one event, %s", g.CoalescedReads, plural(g.Reads, "read"), share(coalesced))
	for _, reason := range g.Reasons {
		m.evidence(string(g.Fitness), "%s", reason)
	}
	switch {
	case g.Fitness == llmbench.Unfit:
		return m.verdict(Fails, "the generator was the bottleneck: %s", strings.Join(g.Reasons, "; "))
	case lag > fitLag(r):
		return m.verdict(Fails, "the generator was late by %s at p99, want at most %s", duration(lag), duration(fitLag(r)))
	case c.MaxCoalesced > 0 && coalesced > c.MaxCoalesced:
		m.limit("a server or proxy that sends events together looks the same")
		return m.verdict(Fails, "%s of reads held more than one event, want at most %s", share(coalesced), share(c.MaxCoalesced))
	}
	return m.verdict(Holds, "the generator was late by %s at p99, want at most %s", duration(lag), duration(fitLag(r)))
}

// LittlesLaw claims that the run was long enough to be looked at as a whole:
// mean concurrency = rate of arrivals x mean time in flight (Little, Operations
// Research 9, 1961) within a tolerance. The law itself is exact for a window
// that no request overlaps; where it misses, requests were cut by the window's
// ends, or records lost.
type LittlesLaw struct {
	// Tolerance is the relative difference allowed, in (0,1); 0 is 0.05.
	Tolerance float64
}

// RequireLittlesLaw stops the test unless the window agrees with Little's law.
func RequireLittlesLaw(t T, r *llmbench.Result, c LittlesLaw) {
	helper(t)()
	Require(t, r, c)
}

// CheckLittlesLaw is RequireLittlesLaw that lets the test go on; it returns
// whether the claim holds.
func CheckLittlesLaw(t T, r *llmbench.Result, c LittlesLaw) bool {
	helper(t)()
	return Check(t, r, c)
}

// Check judges the claim.
func (c LittlesLaw) Check(r *llmbench.Result) Verdict {
	m := about("Little's law", r)
	if !(c.Tolerance >= 0 && c.Tolerance < 1) {
		return m.badClaim("LittlesLaw: Tolerance is %v, want >= 0 and < 1", c.Tolerance)
	}
	if c.Tolerance == 0 {
		c.Tolerance = 0.05
	}
	windowRow(m, r)
	in, length := r.Stats(llmbench.EffectiveConcurrency).Mean().Or(math.NaN()), r.Window.Length()
	latency := meanInFlight(r)
	if math.IsNaN(in) || in == 0 || length <= 0 || latency == 0 {
		return m.cannot("no samples: %s", absence(r.Stats(llmbench.EffectiveConcurrency), r))
	}
	rate := float64(r.Counts.Sent) / length.Seconds()
	product := rate * latency.Seconds()
	off := math.Abs(product-in) / in
	m.evidence("curve", "%s in flight on average", figure(precise, in))
	m.evidence("product", "%s = %s req/s x %s in flight each", figure(precise, product), figure(precise, rate), duration(latency))
	text := fmt.Sprintf("concurrency and rate x latency differ by %s, want at most %s", share(off), share(c.Tolerance))
	if off <= c.Tolerance {
		return m.verdict(Holds, "%s", text)
	}
	if inside := length + time.Duration(float64(latency)/c.Tolerance); r.Window.Rule != llmbench.WholeRule {
		m.hint("a window of %s: %s of latency overhang then weigh %s", duration(inside), duration(latency), share(c.Tolerance))
	}
	return m.verdict(Fails, "%s", text)
}
