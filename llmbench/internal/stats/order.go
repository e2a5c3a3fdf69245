package stats

import "math"

// SamplesFor is the least number of samples that carries quantile q: with it,
// the largest sample (the smallest, for q below one half) lies beyond the true
// quantile with the given confidence, 1 - q^n >= confidence. For p99 at 95 % it
// is 299, for the median 5. Both arguments must lie in (0,1).
func SamplesFor(q, confidence float64) int {
	n := math.Log1p(-confidence) / math.Log(max(q, 1-q))
	return int(math.Ceil(n - 1e-9))
}

// Interval gives the ranks, counted from 1, of the two order statistics of n
// samples that enclose the true quantile q with at least the given confidence,
// whatever the distribution. The tails are equal, so each side may miss with
// (1 - confidence)/2. Rank 0, or n+1, says that n is too small to bound that
// side. n must be positive, both other arguments in (0,1).
//
// The number of samples below the true quantile is binomial(n, q); see David
// and Nagaraja, Order Statistics, 3rd ed., section 7.1.
func Interval(n int, q, confidence float64) (low, high int) {
	tail := (1 - confidence) / 2
	return lowRank(n, q, tail), n + 1 - lowRank(n, 1-q, tail)
}

// lowRank is the largest rank l with P(binomial(n,q) <= l-1) <= tail.
func lowRank(n int, q, tail float64) int {
	// Twelve standard deviations below the mean the probability is under 1e-30.
	mean := float64(n) * q
	k := int(max(0, mean-12*math.Sqrt(mean*(1-q))-1))
	p := math.Exp(logPMF(n, k, q))
	odds := q / (1 - q)
	for sum := p; sum <= tail; sum += p {
		p *= float64(n-k) / float64(k+1) * odds
		k++
	}
	return k
}

func logPMF(n, k int, q float64) float64 {
	return logChoose(n, k) + float64(k)*math.Log(q) + float64(n-k)*math.Log1p(-q)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
