package assert

import (
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench"
)

// NoStall claims that streams did not freeze: no gap between content chunks is
// longer than Longest, and at most Gaps of them, of all requests together, are
// longer than Over. Means and TPOT average such freezes away. Longest or Over
// must be set. A failed request says nothing here: add NoErrors.
type NoStall struct {
	// Longest is the longest gap allowed, inclusive; 0 is no limit.
	Longest time.Duration
	// Over is the gap from which on Gaps counts, exclusive; 0 does not count.
	Over time.Duration
	Gaps int
}

// RequireNoStall stops the test unless streams did not freeze.
func RequireNoStall(t T, r *llmbench.Result, c NoStall) {
	helper(t)()
	Require(t, r, c)
}

// CheckNoStall is RequireNoStall that lets the test go on; it returns
// whether the claim holds.
func CheckNoStall(t T, r *llmbench.Result, c NoStall) bool {
	helper(t)()
	return Check(t, r, c)
}

// Check judges the claim.
func (c NoStall) Check(r *llmbench.Result) Verdict {
	m := about("stalls", r)
	if why := c.wrong(); why != "" {
		return m.badClaim("%s", why)
	}
	windowRow(m, r)
	if why := unfit(r); why != "" {
		return m.cannot("%s", why)
	}
	stalls := r.Stats(llmbench.MaxStall)
	if stalls.N() == 0 {
		failuresRow(m, r)
		return m.cannot("no samples: %s", absence(stalls, r))
	}
	longest := time.Duration(stalls.Max().Or(0) * 1e6)
	where, at := longestGap(r)
	m.evidence("longest", "%s in request %s, at %s", duration(longest), where, instant(at))
	m.evidence("spread", "longest gap of each request: p50 %s  p90 %s  p99 %s  (%s)", amount(stalls.Quantile(0.5).Or(0), "ms"),
		amount(stalls.Quantile(0.9).Or(0), "ms"), amount(stalls.Quantile(0.99).Or(0), "ms"), plural(stalls.N(), "request"))
	failuresRow(m, r)
	leftOutRow(m, stalls)
	return c.verdict(m, longest, r)
}

func (c NoStall) verdict(m *message, longest time.Duration, r *llmbench.Result) Verdict {
	over, all := 0, r.Stats(llmbench.ICL).N()
	if c.Over > 0 {
		over = sampleOf(llmbench.ICL, r, order{okOnly: true}).over(limit{value: llmbench.Millis(c.Over)})
		m.evidence("over", "%d of %s over %s", over, plural(all, "gap"), duration(c.Over))
	}
	switch {
	case c.Longest > 0 && longest > c.Longest:
		observed, wanted := apart(llmbench.Millis(longest), llmbench.Millis(c.Longest), "ms")
		return m.verdict(Fails, "longest stall is %s, want at most %s", observed, wanted)
	case over > c.Gaps:
		return m.verdict(Fails, "%s over %s, want at most %d", plural(over, "gap"), duration(c.Over), c.Gaps)
	case r.Counts.Inconsistent > 0:
		return m.cannot("%s with instants that contradict each other", plural(r.Counts.Inconsistent, "request"))
	}
	return m.verdict(Holds, "longest stall is %s in %s", duration(longest), plural(all, "gap"))
}

func (c NoStall) wrong() string {
	switch {
	case c.Longest < 0 || c.Over < 0 || c.Gaps < 0:
		return fmt.Sprintf("NoStall: Longest is %v, Over %v and Gaps %d, want all >= 0", c.Longest, c.Over, c.Gaps)
	case c.Longest == 0 && c.Over == 0:
		return "NoStall: Longest and Over are both 0, want at least one of them > 0"
	}
	return ""
}

// longestGap finds the request with the longest gap between content chunks, and
// when that gap began.
func longestGap(r *llmbench.Result) (id string, at time.Duration) {
	longest := time.Duration(-1)
	for _, record := range bySend(r) {
		if record.Outcome != llmbench.OK {
			continue
		}
		previous := llmbench.Known[time.Duration]{}
		for _, chunk := range record.Chunks {
			if !chunk.Content() {
				continue
			}
			if before, ok := previous.Get(); ok && chunk.At-before > longest {
				longest, id, at = chunk.At-before, record.ID, before
			}
			previous = llmbench.Is(chunk.At)
		}
	}
	return id, at
}
