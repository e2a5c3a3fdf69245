package sweep_test

import (
	"math/big"
	"testing"

	"github.com/llmbench/go/llmbench/internal/sweep"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const tiny = 1.0 / (1 << 62)

// rational demands that f is num/den to the resolution of a float.
func rational(t *rapid.T, num, den *big.Int, f sweep.Fixed) {
	want, _ := new(big.Rat).SetFrac(num, den).Float64()
	require.InDelta(t, want, f.Float(), want*1e-15+tiny)
}

// TestFixed compares with big rationals.
func TestFixed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		num := rapid.Int64Range(0, 1e18).Draw(t, "num")
		den := rapid.Int64Range(1, 1e18).Draw(t, "den")
		n := rapid.Int64Range(1, 1e6).Draw(t, "n")
		k := rapid.Int64Range(0, n).Draw(t, "k")
		rational(t, big.NewInt(num), big.NewInt(den), sweep.Ratio(num, den))
		rational(t, big.NewInt(num), new(big.Int).Mul(big.NewInt(den), big.NewInt(n)), sweep.Ratio(num, den).Over(n))
		rational(t, new(big.Int).Mul(big.NewInt(num), big.NewInt(k)), big.NewInt(n), sweep.Share(num, k, n))
		require.Equal(t, sweep.Whole(num), sweep.Share(num, n, n), "the last share leaves nothing over")
	})
}

// TestFixedForgets: whatever went up and down again leaves no residue, in any
// order; floats leave one here.
func TestFixedForgets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []sweep.Fixed
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			parts = append(parts, sweep.Ratio(rapid.Int64Range(0, 1e18).Draw(t, "num"), rapid.Int64Range(1, 1e12).Draw(t, "den")))
		}
		var sum sweep.Fixed
		for _, p := range parts {
			sum = sum.Add(p)
		}
		for _, i := range rapid.Permutation(indices(len(parts))).Draw(t, "order") {
			sum = sum.Sub(parts[i])
		}
		require.True(t, sum.Zero())
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// TestWalk: stretches cover the window, clip at its edges, skip instants, and
// show what held on them.
func TestWalk(t *testing.T) {
	events := []sweep.Event{{At: 30, Step: 2}, {At: 10, Step: 1}, {At: 20, Step: 2}, {At: 20, Step: 1}, {At: 40, Step: 1}, {At: 90, Step: 2}}
	sweep.Sort(events)
	apply := func(e sweep.Event, h *sweep.Heights) {
		if e.Step == 1 {
			h.Concurrency++
		} else {
			h.Concurrency--
		}
	}
	for _, c := range []struct {
		from, to int64
		want     [][3]int64 // at, length, height
		why      string
	}{
		{0, 50, [][3]int64{{0, 10, 0}, {10, 10, 1}, {20, 10, 1}, {30, 10, 0}, {40, 10, 1}}, "one ends where one starts: never 2, never 0"},
		{15, 35, [][3]int64{{15, 5, 1}, {20, 10, 1}, {30, 5, 0}}, "clipped on both sides"},
		{50, 60, [][3]int64{{50, 10, 1}}, "between events"},
		{100, 110, [][3]int64{{100, 10, 0}}, "after all"},
		{20, 20, nil, "no length"},
	} {
		var got [][3]int64
		sweep.Walk(sweep.Heights{}, events, c.from, c.to, apply, func(at, length int64, h *sweep.Heights) {
			got = append(got, [3]int64{at, length, h.Concurrency})
		})
		require.Equal(t, c.want, got, c.why)
	}
}
