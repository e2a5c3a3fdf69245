package assert

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/llmbench/go/llmbench"
)

// What this package computes over samples is what Stats computes.
func TestSampleAgreesWithStats(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := made(t, ttfts(rapid.SliceOfN(rapid.IntRange(1, 500), 1, 60).Draw(rt, "times")...)...)
		s, st := sampleOf(llmbench.TTFT, r, order{}), r.Stats(llmbench.TTFT)
		for _, q := range []float64{0, 0.25, 0.5, 0.9, 0.99, 1} {
			require.InDelta(rt, st.Quantile(q).Or(-1), s.observed(statistic{q: q}), 1e-9, "q %v", q)
		}
		require.Equal(rt, st.Mean().Or(-1), s.observed(mean))
		require.Equal(rt, st.Min().Or(-1), s.observed(low))
		require.Equal(rt, st.Max().Or(-1), s.observed(high))
	})
}

// The order of records means nothing, not even to the batch means.
func TestSampleForgetsTheOrderOfRecords(t *testing.T) {
	r := growing(t, 100)
	shuffled := slices.Clone(r.Records)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	again, err := llmbench.Analyze(shuffled, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	require.Equal(t, TTFT{P90: ms}.Check(r), TTFT{P90: ms}.Check(again))
}

// Batch means against a series of known autocorrelation: for a first-order
// autoregression with rho the truth is n(1-rho)/(1+rho).
func TestIndependent(t *testing.T) {
	const n = 40_000
	for _, rho := range []float64{0, 0.5, 0.9} {
		random := rand.New(rand.NewPCG(7, 7))
		series := make([]float64, n)
		for i := range series {
			if i > 0 {
				series[i] = rho * series[i-1]
			}
			series[i] += random.NormFloat64()
		}
		require.InEpsilon(t, n*(1-rho)/(1+rho), independent(series), 0.3, "rho %v", rho)
	}
	require.Equal(t, 35, independent(make([]float64, 35)), "too short to tell")
	require.Equal(t, 100, independent(make([]float64, 100)), "all the same")
	alternating := make([]float64, 100)
	for i := range alternating {
		alternating[i] = math.Mod(float64(i), 2)
	}
	require.Equal(t, 100, independent(alternating), "never more than there are")
}

func TestProportionInterval(t *testing.T) {
	for _, c := range []struct {
		bad, n    int
		low, high float64
		why       string
	}{
		{0, 10, 0, 1 - math.Pow(0.05, 0.1), "none bad: the rule of three, exact"},
		{10, 10, math.Pow(0.05, 0.1), 1, "all bad: its mirror"},
		{1, 1, 0.05, 1, "one of one"},
		{1, 2, 1 - math.Sqrt(0.95), math.Sqrt(0.95), "one of two: 1-(1-q)^2 and q^2"},
	} {
		low, high := proportion{bad: c.bad, n: c.n}.interval(0.95)
		require.InDelta(t, c.low, low, 1e-9, c.why)
		require.InDelta(t, c.high, high, 1e-9, c.why)
	}
}
