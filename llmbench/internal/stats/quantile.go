package stats

import (
	"math"
	"math/bits"
)

// Linear says where quantile q of n sorted samples lies under linear
// interpolation, h = q(n-1): between samples i and i+1, at share frac of the
// way. n must be positive and q in [0,1]; i+1 < n whenever frac > 0. It is
// R's type 7, numpy's default, and what vLLM, SGLang and AISBench print.
func Linear(n int, q float64) (i int, frac float64) {
	h := q * float64(n-1)
	i = int(h)
	if i >= n-1 {
		return n - 1, 0
	}
	return i, h - float64(i)
}

// Nearest is the index of quantile q of n sorted samples by nearest rank: the
// smallest sample that at least the share q of all does not exceed.
func Nearest(n int, q float64) int { return int(Rank(int64(n), q)) - 1 }

// ppb is the grain of a quantile argument: q is taken as a whole number of
// billionths, so that 0.9 means nine tenths and not the float beside it.
const ppb = 1_000_000_000

// Rank is the smallest whole number that is at least q times total, and at
// least 1: how much weight must lie at or below quantile q. The product is
// formed in integers, so a quantile that falls on a boundary is decided
// exactly. total must be positive and q in [0,1].
func Rank(total int64, q float64) int64 {
	hi, lo := bits.Mul64(uint64(math.Round(q*ppb)), uint64(total))
	rank, rest := bits.Div64(hi, lo, ppb)
	if rest > 0 {
		rank++
	}
	return max(1, int64(rank))
}
