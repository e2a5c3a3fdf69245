package stats_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/llmbench/go/llmbench/internal/stats"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// lengths straddle the switch from comparison to radix sort.
var lengths = rapid.SampledFrom([]int{0, 1, 2, 10, 1023, 1024, 3000})

func TestSortInts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, limit := lengths.Draw(t, "n"), rapid.SampledFrom([]int64{2, 5000, math.MaxInt64}).Draw(t, "limit")
		rng := rapid.Int64Range(-limit, limit-1)
		v := make([]int64, n)
		for i := range v {
			v[i] = rng.Draw(t, "x")
		}
		want := slices.Sorted(slices.Values(v))
		new(stats.Sorter).Ints(v)
		require.Equal(t, len(want), len(v))
		require.True(t, slices.Equal(want, v))
	})
}

func TestSortFloats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := make([]float64, lengths.Draw(t, "n"))
		for i := range v {
			v[i] = rapid.Float64().Draw(t, "x")
		}
		want := slices.Sorted(slices.Values(v))
		new(stats.Sorter).Floats(v)
		require.True(t, slices.Equal(want, v))
	})
}

// TestSortByIsStable: events of one request in one instant rely on it.
func TestSortByIsStable(t *testing.T) {
	type pair struct{ key, at int }
	for _, n := range []int{10, 5000} {
		v := make([]pair, n)
		for i := range v {
			v[i] = pair{i * 7919 % 13, i}
		}
		stats.SortBy(v, func(p pair) uint64 { return uint64(p.key) })
		require.True(t, slices.IsSortedFunc(v, func(a, b pair) int {
			if a.key != b.key {
				return a.key - b.key
			}
			return a.at - b.at
		}), "n=%d", n)
	}
}

func TestMeanStd(t *testing.T) {
	for _, c := range []struct {
		v         []float64
		mean, std float64
		why       string
	}{
		{[]float64{2, 4, 4, 4, 5, 5, 7, 9}, 5, 2, "population, not sample"},
		{[]float64{0.1, 0.1, 0.1}, 0.1, 0, "equal samples: exactly 0"},
		{[]float64{1e16, 1, -1e16}, 1.0 / 3, math.Sqrt(2e32 / 3), "the 1 is not lost"},
	} {
		mean, std := stats.MeanStd(c.v)
		require.InEpsilon(t, c.mean, mean, 1e-15, c.why)
		if c.std == 0 {
			require.Zero(t, std, c.why)
			continue
		}
		require.InEpsilon(t, c.std, std, 1e-12, c.why)
	}
	mean, std := stats.MeanStdInts([]int64{math.MaxInt64, math.MaxInt64 - 2, math.MaxInt64})
	require.InEpsilon(t, float64(math.MaxInt64), mean, 1e-15, "the sum passes 64 bits")
	require.Less(t, std, 1e4)
	mean, _ = stats.MeanStdInts(nil)
	require.True(t, math.IsNaN(mean), "the caller asks for n first")
}

// TestLinear compares with numpy.percentile's default on [10 20 30 40].
func TestLinear(t *testing.T) {
	v := []float64{10, 20, 30, 40}
	for q, want := range map[float64]float64{0: 10, 0.25: 17.5, 0.5: 25, 0.9: 37, 0.99: 39.7, 1: 40} {
		i, frac := stats.Linear(len(v), q)
		got := v[i]
		if frac > 0 {
			got += frac * (v[i+1] - v[i])
		}
		require.InDelta(t, want, got, 1e-12, "q=%v", q)
	}
	i, frac := stats.Linear(1, 0.99)
	require.Equal(t, 0, i)
	require.Zero(t, frac)
}

// TestRank compares with exact rationals, at and beside the boundaries where a
// float product goes wrong: 0.07*100 is 7.000000000000001.
func TestRank(t *testing.T) {
	require.EqualValues(t, 7, stats.Rank(100, 0.07))
	require.EqualValues(t, 9, stats.Rank(10, 0.9))
	require.EqualValues(t, 1, stats.Rank(10, 0))
	require.EqualValues(t, int64(math.MaxInt64), stats.Rank(math.MaxInt64, 1))
	require.Equal(t, 1, stats.Nearest(4, 0.5))
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, math.MaxInt64).Draw(t, "total")
		parts := rapid.Int64Range(0, 1000).Draw(t, "parts")
		want := new(big.Int).Mul(big.NewInt(total), big.NewInt(parts))
		want.Add(want, big.NewInt(999)).Div(want, big.NewInt(1000))
		require.EqualValues(t, max(1, want.Int64()), stats.Rank(total, float64(parts)/1000))
	})
}

// TestWeighted unrolls small weights into a plain sorted sample.
func TestWeighted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var plain []float64
		var pieces []stats.Piece
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			p := stats.Piece{
				Value:  rapid.SampledFrom([]float64{0, 1, 2.5, 7}).Draw(t, "value"),
				Weight: rapid.Int64Range(1, 5).Draw(t, "weight"),
			}
			pieces = append(pieces, p)
			plain = append(plain, slices.Repeat([]float64{p.Value}, int(p.Weight))...)
		}
		zero := rapid.Int64Range(0, 6).Draw(t, "zero")
		w := stats.NewWeighted(pieces).WithZero(zero)
		plain = append(plain, make([]float64, zero)...)
		slices.Sort(plain)
		mean, std := stats.MeanStd(plain)
		require.InDelta(t, mean, w.Mean(), 1e-12)
		require.InDelta(t, std, w.Std(), 1e-12)
		require.EqualValues(t, len(plain), w.Total())
		require.Equal(t, plain[0], w.Min())
		require.Equal(t, plain[len(plain)-1], w.Max())
		for _, q := range []float64{0, 0.1, 0.5, 0.9, 0.99, 1} {
			got, ok := w.Quantile(q)
			require.True(t, ok)
			require.Equal(t, plain[stats.Nearest(len(plain), q)], got, "q=%v", q)
		}
	})
}

func TestWeightedOfNothing(t *testing.T) {
	w := stats.NewWeighted(nil)
	require.Zero(t, w.Total())
	w = w.WithZero(5)
	require.EqualValues(t, 5, w.Total())
	require.Zero(t, w.Mean())
	require.Zero(t, w.Std())
	require.Zero(t, w.Max())
	last, _ := w.Quantile(1)
	require.Zero(t, last)
}

func TestSamplesFor(t *testing.T) {
	for q, want := range map[float64]int{0.99: 299, 0.5: 5, 0.9: 29, 0.95: 59, 0.999: 2995, 0.01: 299} {
		require.Equal(t, want, stats.SamplesFor(q, 0.95), "q=%v", q)
		require.GreaterOrEqual(t, 1-math.Pow(max(q, 1-q), float64(want)), 0.95)
		require.Less(t, 1-math.Pow(max(q, 1-q), float64(want-1)), 0.95)
	}
}

// TestIntervalCovers computes the coverage of every interval by adding up the
// binomial in big floats, and demands that no narrower one would do.
func TestIntervalCovers(t *testing.T) {
	for _, n := range []int{1, 5, 6, 20, 59, 300, 367, 368, 400} {
		for _, q := range []float64{0.01, 0.5, 0.9, 0.99} {
			low, high := stats.Interval(n, q, 0.95)
			below := binomialAtMost(n, low-1, q)      // the true quantile is under X(low)
			above := 1 - binomialAtMost(n, high-1, q) // over X(high)
			require.LessOrEqual(t, below, 0.025+1e-12, "n=%d q=%v", n, q)
			require.Greater(t, binomialAtMost(n, low, q), 0.025, "n=%d q=%v: wider than needed", n, q)
			if high <= n {
				require.LessOrEqual(t, above, 0.025+1e-12, "n=%d q=%v", n, q)
			}
			require.Greater(t, 1-binomialAtMost(n, high-2, q), 0.025-1e-12, "n=%d q=%v: wider than needed", n, q)
		}
	}
	low, high := stats.Interval(6, 0.5, 0.95)
	require.Equal(t, []int{1, 6}, []int{low, high}, "six samples are the first to bound a median")
	_, high = stats.Interval(367, 0.99, 0.95)
	require.Equal(t, 368, high, "367 do not bound p99 above")
	low, high = stats.Interval(9_000_000, 0.5, 0.95)
	require.InDelta(t, 4_500_000-1.959964*1500, low, 2, "the normal limit")
	require.InDelta(t, 4_500_000+1.959964*1500, high, 2)
}

func binomialAtMost(n, k int, q float64) float64 {
	sum := new(big.Float).SetPrec(200)
	for i := 0; i <= k; i++ {
		term := new(big.Float).SetPrec(200).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		for j := range n {
			f := 1 - q
			if j < i {
				f = q
			}
			term.Mul(term, big.NewFloat(f))
		}
		sum.Add(sum, term)
	}
	f, _ := sum.Float64()
	return f
}
