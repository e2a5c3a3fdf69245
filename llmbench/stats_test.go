package llmbench_test

import (
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
)

// ramp is n ok requests of one token, the i-th (from 1) with TTFT i ms, and
// failures failed ones.
func ramp(n, failures int) []llmbench.Record {
	var records []llmbench.Record
	for i := range n + failures {
		at := time.Duration(i+1) * time.Millisecond
		r := llmbench.Record{Streamed: true, Sent: llmbench.Is(time.Duration(0)), End: llmbench.Is(at), Outcome: llmbench.Error}
		if i < n {
			r.Outcome = llmbench.OK
			r.Chunks = []llmbench.Chunk{{At: at, Kind: llmbench.ContentChunk}}
		}
		records = append(records, r)
	}
	return records
}

func TestInterval(t *testing.T) {
	s := analyze(t, ramp(100, 0)).Stats(llmbench.TTFT)
	low, high := s.Interval(0.5, 0.95)
	require.Equal(t, llmbench.Is(40.0), low, "rank 40 of 100")
	require.Equal(t, llmbench.Is(61.0), high)
	low, high = s.Interval(0.99, 0.95)
	require.Equal(t, llmbench.Is(97.0), low)
	require.False(t, high.Ok(), "100 samples do not bound p99 above")
	require.False(t, s.Carries(0.99))
	require.True(t, s.Carries(0.95), "59 samples carry p95")
	require.True(t, analyze(t, ramp(299, 0)).Stats(llmbench.TTFT).Carries(0.99))
	require.False(t, analyze(t, ramp(298, 0)).Stats(llmbench.TTFT).Carries(0.99))
	require.Equal(t, 299, llmbench.SamplesFor(0.99, 0.95))
	for _, bad := range []float64{0, 1, -1, 99} {
		require.Zero(t, llmbench.SamplesFor(bad, 0.95))
		require.False(t, s.Carries(bad))
		low, high = s.Interval(bad, 0.95)
		require.False(t, low.Ok() || high.Ok())
	}
}

// TestCurvesCarryNoQuantile: time is no independent sample.
func TestCurvesCarryNoQuantile(t *testing.T) {
	s := analyze(t, ramp(500, 0)).Stats(llmbench.EffectiveConcurrency)
	require.True(t, s.Mean().Ok())
	require.False(t, s.Carries(0.5))
	low, high := s.Interval(0.5, 0.95)
	require.False(t, low.Ok() || high.Ok())
}

func TestWithFailures(t *testing.T) {
	s := analyze(t, ramp(90, 10)).Stats(llmbench.TTFT).WithFailures()
	require.Equal(t, 100, s.N())
	require.Equal(t, llmbench.Is(50.0), s.Quantile(0.5), "nearest rank")
	require.Equal(t, llmbench.Is(90.0), s.Quantile(0.9), "the last that is no failure")
	require.False(t, s.Quantile(0.91).Ok(), "a failure")
	require.False(t, s.Mean().Ok(), "infinite")
	require.False(t, s.Max().Ok(), "infinite")
	require.Equal(t, llmbench.Is(1.0), s.Min())

	clean := analyze(t, ramp(3, 0)).Stats(llmbench.TTFT).WithFailures()
	require.Equal(t, llmbench.Is(2.0), clean.Mean())
	require.Equal(t, llmbench.Is(3.0), clean.Max())

	lost := analyze(t, ramp(0, 3)).Stats(llmbench.TTFT).WithFailures()
	require.Equal(t, 3, lost.N())
	require.False(t, lost.Quantile(0).Ok(), "all failed")

	for _, m := range []llmbench.Metric{llmbench.ICL, llmbench.E2EOutputTokenThroughput, llmbench.EffectiveConcurrency} {
		require.NotEmpty(t, analyze(t, ramp(3, 1)).Stats(m).WithFailures().Absent(), m.Tag())
	}
}
