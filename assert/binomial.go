package assert

import (
	"math"
	"sort"
)

// The rules here decide a limit on a quantile by counting: of n independent
// samples, k are over the limit. If the quantile p were the limit exactly, k
// would be binomial with n and 1-p, so too small a k shows that the quantile
// is under the limit, and too great a k that it is over. It is the rule of
// MLPerf LoadGen's early stopping (tolerance 0), with a third verdict in
// between, and needs no assumption on the shape of the distribution. What it
// does assume is independence; queueing makes neighbours alike, so that the
// true confidence is a little lower.

// atMost is P(X <= k) of a binomial X of n trials that succeed with chance q.
func atMost(k, n int, q float64) float64 {
	if float64(k) > float64(n)*q {
		return 1 - tail(k+1, +1, n, q)
	}
	return tail(k, -1, n, q)
}

// atLeast is P(X >= k).
func atLeast(k, n int, q float64) float64 {
	if float64(k) < float64(n)*q {
		return 1 - tail(k-1, -1, n, q)
	}
	return tail(k, +1, n, q)
}

// tail is the sum of the chances of k, k+step, and so on outwards. Away from
// the mean they fall ever faster, so it ends once they no longer count, after
// some multiple of the square root of n. Each chance comes from its logarithm,
// as q^n underflows from a few thousand trials on; Lgamma is good to 1e-13.
func tail(k, step, n int, q float64) float64 {
	all, _ := math.Lgamma(float64(n) + 1)
	sum := 0.0
	for i := k; i >= 0 && i <= n; i += step {
		some, _ := math.Lgamma(float64(i) + 1)
		rest, _ := math.Lgamma(float64(n-i) + 1)
		chance := math.Exp(all - some - rest + float64(i)*math.Log(q) + float64(n-i)*math.Log1p(-q))
		sum += chance
		if chance < sum*1e-18 {
			break
		}
	}
	return min(sum, 1)
}

// decide judges quantile p of n samples of which k are over the limit, at the
// confidence given for each direction.
func decide(k, n int, p, confidence float64) State {
	switch {
	case shownUnder(k, n, p, confidence):
		return Holds
	case shownOver(k, n, p, confidence):
		return Fails
	}
	return CannotJudge
}

// shownUnder reports that quantile p is known to be under a limit.
func shownUnder(k, n int, p, confidence float64) bool { return atMost(k, n, 1-p) < 1-confidence }

// shownOver reports that quantile p is known to be over a limit.
func shownOver(k, n int, p, confidence float64) bool { return atLeast(k, n, 1-p) < 1-confidence }

// enough is the least n of which k may be over the limit on quantile p, so that
// the limit is known to hold: 299 for p99 at 0.95 with none over.
func enough(k int, p, confidence float64) int {
	high := k + 1
	for !shownUnder(k, high, p, confidence) {
		high *= 2
	}
	return k + 1 + sort.Search(high-k-1, func(i int) bool { return shownUnder(k, k+1+i, p, confidence) })
}

// bounds are the ranks, from 0, of the sorted samples between which quantile p
// lies: not under lower, at the confidence given, and not over upper, at the
// same. A rank of -1, or of n, is no sample: too few of them for a bound.
func bounds(n int, p, confidence float64) (lower, upper int) {
	// A limit at sample i has the n-1-i samples above it over it; one just under
	// sample i has that one over it too.
	upper = sort.Search(n, func(i int) bool { return shownUnder(n-1-i, n, p, confidence) })
	lower = sort.Search(n, func(i int) bool { return !shownOver(n-i, n, p, confidence) }) - 1
	return lower, upper
}
