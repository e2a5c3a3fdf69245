package infer

import "math"

// SignedRank is the two-sided P value of the hypothesis that differences are
// symmetric around 0, in (0,1]: Wilcoxon's test, exact, by the distribution of
// the rank sum over all signs given the ties there are, for up to 200 differences,
// and by the normal approximation beyond. Differences of 0 say
// nothing and are left out; P is 1 where none is left. Values must not be NaN.
//
// Source: Wilcoxon 1945; tied ranks as in [MannWhitney].
func SignedRank(differences []float64) float64 {
	var sizes []float64
	var positive []bool
	for _, d := range differences {
		if d != 0 {
			sizes = append(sizes, math.Abs(d))
			positive = append(positive, d > 0)
		}
	}
	if len(sizes) == 0 {
		return 1
	}
	ranks, _ := doubledRanks(sizes)
	observed, widest := 0, 0
	for i, r := range ranks {
		widest += r
		if positive[i] {
			observed += r
		}
	}
	if len(ranks) > exactLimit {
		return approximateSigned(ranks, observed)
	}
	ways := make([]float64, widest+1)
	ways[0] = 1
	reach := 0
	for _, r := range ranks {
		for s := reach; s >= 0; s-- {
			ways[s+r] += ways[s]
		}
		reach += r
	}
	return twoSided(ways, observed)
}

// approximateSigned is the P value by the normal distribution with the mean and
// variance of the sum of ranks that are in or out with even odds.
func approximateSigned(doubled []int, observed int) float64 {
	var mean, variance float64
	for _, r := range doubled {
		mean += float64(r) / 4
		variance += float64(r) * float64(r) / 16
	}
	return tails(math.Abs(float64(observed)/2-mean), variance)
}

// LeastPaired is the smallest P that [SignedRank] can reach with n differences:
// all of one sign, 2/2^n. It is 1 for n < 2.
func LeastPaired(n int) float64 { return min(1, math.Ldexp(2, -n)) }

// NeededPairs is the smallest n for which n differences can reach a P below
// alpha after Holm's correction over so many tests.
func NeededPairs(alpha float64, tests int) int {
	n := 1
	for float64(tests)*LeastPaired(n) >= alpha {
		n++
	}
	return n
}
