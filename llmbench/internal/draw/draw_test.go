package draw

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogAgreesWithTheStandardLibrary(t *testing.T) {
	s := New(1, 0)
	for range 100_000 {
		x := s.Float()
		if x == 0 {
			continue
		}
		want := math.Log(x)
		require.InDelta(t, want, Log(x), 4e-16*math.Max(1, math.Abs(want)), "x = %v", x)
	}
	require.Equal(t, 0.0, Log(1))
}

func TestStreamsAreFixed(t *testing.T) {
	// Written down so that a change of Go or of this package shows: a schedule
	// of last year must come out the same today.
	s := New(7, Arrivals)
	require.Equal(t, []float64{2.226747948365559, 0.30125049802048515, 0.6295418657831693},
		[]float64{s.Exp(), s.Exp(), s.Exp()})
	require.NotEqual(t, New(7, Arrivals).Float(), New(8, Arrivals).Float(), "seeds differ")
	require.NotEqual(t, New(7, Arrivals).Float(), New(7, Lengths).Float(), "streams differ")
}

func TestExpHasMeanAndDeviationOne(t *testing.T) {
	const n = 200_000
	s := New(3, 0)
	sum, squares := 0.0, 0.0
	for range n {
		x := s.Exp()
		require.GreaterOrEqual(t, x, 0.0)
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / n
	require.InDelta(t, 1, mean, 3/math.Sqrt(n), "three standard errors")
	require.InDelta(t, 1, math.Sqrt(squares/n-mean*mean), 0.01)
}

func TestBelowCoversItsRangeEvenly(t *testing.T) {
	counts := make([]int, 7)
	s := New(5, 0)
	for range 70_000 {
		counts[s.Below(7)]++
	}
	for i, c := range counts {
		require.InDelta(t, 10_000, c, 400, "value %d", i) // 4 standard deviations are 370
	}
}
