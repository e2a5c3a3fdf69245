package infer

import (
	"math"
	"slices"
	"sync"
)

// MannWhitney is the two-sided P value of the hypothesis that a and b are drawn
// from one distribution, in (0,1]: exact, by the permutation distribution of
// the rank sum given the ties there are, for up to 200 values in all, and by the
// normal approximation beyond. It is 1 where either sample is empty
// or all values are equal. Values must not be NaN.
//
// Two-sided means twice the smaller tail. With ties and samples of unequal size
// the distribution is skewed, and the other usual rule, all outcomes as far
// from the mean as the observed one, would call {115,114,115,115} against five
// times 78.8 P = 1/126 although only one tail was looked at.
//
// With ties time and memory grow with n1·(n1+n2)³ and n1·(n1+n2)²: 10 + 10 values
// take 0.1 ms and 100 + 100 two seconds. Without ties only the first test of a size
// does; the next takes 3 us for 10 + 10 (BenchmarkMannWhitney, one core
// of the CI machine while others worked). Counts are exact to 15 digits. Source:
// Mann and Whitney 1947; the recursion over tied ranks is that of Streitberg and
// Röhmel 1986.
func MannWhitney(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	if len(a) > len(b) {
		a, b = b, a // the statistic of one sample mirrors that of the other
	}
	ranks, tied := doubledRanks(slices.Concat(a, b))
	observed := 0
	for _, r := range ranks[:len(a)] {
		observed += r
	}
	switch {
	case len(ranks) > exactLimit:
		return approximate(ranks, len(a), observed)
	case !tied:
		return twoSided(untied(len(a), len(b)), observed/2)
	}
	return twoSided(rankSums(ranks, len(a)), observed)
}

// exactLimit is the number of values from which on both rank tests take the normal
// approximation: exact tables of 300 + 300 tied values would need a gigabyte. From
// 110 values on the two differ by less than 0.002 (TestManyValues).
const exactLimit = 200

// approximate is the P value by the normal distribution with the mean and variance
// of the rank sum given the ties, and a continuity correction of half a rank.
func approximate(doubled []int, n1, observed int) float64 {
	n := float64(len(doubled))
	var variance float64
	for _, r := range doubled {
		away := float64(r)/2 - (n+1)/2
		variance += away * away
	}
	variance *= float64(n1) * (n - float64(n1)) / (n * (n - 1))
	away := math.Abs(float64(observed)/2 - float64(n1)*(n+1)/2)
	return tails(away, variance)
}

// tails is the chance of a normal variable to be so far from its mean or farther,
// on either side, with a continuity correction; 1 without variance.
func tails(away, variance float64) float64 {
	if variance == 0 {
		return 1
	}
	return math.Erfc(max(0, away-0.5) / math.Sqrt(2*variance))
}

// nulls keeps the distributions of samples without ties, by their sizes.
var nulls sync.Map

// untied counts the subsets of n1 of the ranks 1 to n1+n2 by their sum. Samples
// without ties all have this distribution, so it is worked out once.
func untied(n1, n2 int) []float64 {
	sizes := [2]int{n1, n2}
	if known, ok := nulls.Load(sizes); ok {
		return known.([]float64)
	}
	ranks := make([]int, n1+n2)
	for i := range ranks {
		ranks[i] = i + 1
	}
	counts := rankSums(ranks, n1)
	nulls.Store(sizes, counts)
	return counts
}

// rankSums counts, for every sum s, the subsets of n ranks that add up to it.
func rankSums(ranks []int, n int) []float64 {
	widest := 0
	for _, r := range ranks {
		widest += r
	}
	ways := make([][]float64, n+1)
	for k := range ways {
		ways[k] = make([]float64, widest+1)
	}
	ways[0][0] = 1
	reach := 0
	for i, r := range ranks {
		for k := min(i, n-1); k >= 0; k-- {
			from, to := ways[k][:reach+1], ways[k+1][r:]
			for s, count := range from {
				to[s] += count
			}
		}
		reach += r
	}
	return ways[n]
}

// LeastP is the smallest P that [MannWhitney] can reach with n1 and n2 values:
// that of two samples that do not overlap, 2/C(n1+n2, n1). It is 1 without
// values.
func LeastP(n1, n2 int) float64 {
	if n1 == 0 || n2 == 0 {
		return 1
	}
	ways := 1.0
	for i := 1; i <= n1; i++ {
		ways *= float64(n2+i) / float64(i)
	}
	return min(1, 2/math.Round(ways))
}

// Needed is the smallest n for which n + n values can reach a P below alpha
// after Holm's correction over so many tests.
func Needed(alpha float64, tests int) int {
	n := 1
	for float64(tests)*LeastP(n, n) >= alpha {
		n++
	}
	return n
}
