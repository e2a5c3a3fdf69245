package draw

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRaiseAgreesWithTheLibrary(t *testing.T) {
	for x := -700.0; x < 700; x += 0.37 {
		require.InEpsilon(t, math.Exp(x), Raise(x), 1e-15, "e^%v", x)
	}
	require.Equal(t, 1.0, Raise(0))
	require.Equal(t, 0.0, Raise(-1000))
	require.Equal(t, math.Inf(1), Raise(1000))
}

// Means and variances within four standard errors of n draws.
func TestShapesHaveTheirMoments(t *testing.T) {
	const n = 200_000
	for _, row := range []struct {
		why                  string
		draw                 func(*Stream) float64
		mean, variance, kurt float64 // kurt: the fourth central moment over variance²
	}{
		{"normal", (*Stream).Normal, 0, 1, 3},
		{"gamma 1 is the exponential", func(s *Stream) float64 { return s.Gamma(1) }, 1, 1, 9},
		{"gamma above 1, smoother", func(s *Stream) float64 { return s.Gamma(4) }, 4, 4, 3 + 6.0/4},
		{"gamma below 1, burstier, by the boost", func(s *Stream) float64 { return s.Gamma(0.25) }, 0.25, 0.25, 3 + 6/0.25},
	} {
		s := New(7, 1)
		sum, squares := 0.0, 0.0
		for range n {
			x := row.draw(s) - row.mean
			sum, squares = sum+x, squares+x*x
		}
		require.InDelta(t, 0, sum/n, 4*math.Sqrt(row.variance/n), row.why)
		require.InDelta(t, row.variance, squares/n, 4*row.variance*math.Sqrt((row.kurt-1)/n), row.why)
	}
}

// A golden draw of each: a schedule of last year must come out the same today,
// on amd64 and on arm64.
func TestShapesAreTheSameOnEveryMachine(t *testing.T) {
	s := New(7, 1)
	require.Equal(t, []float64{0.45384479528235583, 0.47690985919242407, 1.9958339199752764, 0.5204482610573612},
		[]float64{Raise(-0.79), s.Normal(), s.Gamma(2.5), s.Gamma(0.4)})
}
