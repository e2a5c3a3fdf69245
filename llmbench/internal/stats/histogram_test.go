package stats_test

import (
	"testing"

	"github.com/llmbench/go/llmbench/internal/stats"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTwoLooks compares with a sample that is kept whole: values far outside
// the buckets' range, values that share one, zeros, and parts merged.
func TestTwoLooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SampledFrom([]float64{0, 1e-9, 1e-8, 0.5, 50, 50.0001, 50.0002, 51, 1e3, 1e15, 1e16})
		parts := make([][]stats.Piece, rapid.IntRange(1, 3).Draw(t, "parts"))
		var all []stats.Piece
		for i := range parts {
			for range rapid.IntRange(0, 8).Draw(t, "n") {
				p := stats.Piece{Value: values.Draw(t, "value"), Weight: rapid.Int64Range(1, 1000).Draw(t, "weight")}
				parts[i], all = append(parts[i], p), append(all, p)
			}
		}
		zero := rapid.SampledFrom([]int64{0, 1, 5000}).Draw(t, "zero")
		first := stats.NewHistogram()
		for _, part := range parts {
			h := stats.NewHistogram()
			for _, p := range part {
				h.Add(p)
			}
			first.Merge(h)
		}
		plan := first.Plan(zero)
		second := plan.Select()
		for _, part := range parts {
			s := plan.Select()
			for _, p := range part {
				s.Add(p)
			}
			second.Merge(s)
		}
		alone, with := second.Summaries()
		whole := stats.NewWeighted(all)
		same(t, whole, alone)
		same(t, whole.WithZero(zero), with)
	})
}

func same(t *rapid.T, want *stats.Weighted, got *stats.Summary) {
	require.Equal(t, want.Total(), got.Total())
	if want.Total() == 0 {
		return
	}
	require.InEpsilon(t, 1+want.Mean(), 1+got.Mean(), 1e-12)
	require.InEpsilon(t, 1+want.Std(), 1+got.Std(), 1e-9)
	require.Equal(t, want.Min(), got.Min())
	require.Equal(t, want.Max(), got.Max())
	for _, q := range append([]float64{0, 1}, stats.Standard...) {
		a, _ := want.Quantile(q)
		b, ok := got.Quantile(q)
		require.True(t, ok, "q=%v", q)
		require.Equal(t, a, b, "q=%v", q)
	}
	_, ok := got.Quantile(0.33)
	require.False(t, ok, "not a standard quantile: no guess")
}
