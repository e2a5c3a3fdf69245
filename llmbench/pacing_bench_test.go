package llmbench_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// BenchmarkPacing is how late requests leave at 500 req/s, with short replies of
// a mock in another process: go test -run '^$' -bench Pacing -benchtime 1x. It
// lasts 2 s each, with LLMBENCH_FULL=1 the 10 s of the figures in the docs.
func BenchmarkPacing(b *testing.B) {
	for _, pace := range []llmbench.Pace{llmbench.Relaxed, llmbench.Precise} {
		b.Run(pace.String(), func(b *testing.B) {
			server := elsewhere(b, mock.Script{})
			profile := llmbench.Profile{
				Arrivals: llmbench.Constant(500), Duration: 2 * time.Second, Pace: pace,
				Input: llmbench.Tokens(16), Output: llmbench.Tokens(2), Warmup: llmbench.WarmupPart{Requests: 250},
			}
			if os.Getenv("LLMBENCH_FULL") != "" {
				profile.Duration = 10 * time.Second
			}
			for b.Loop() {
				result, err := llmbench.Do(b.Context(), server, profile)
				require.NoError(b, err)
				require.Zero(b, result.Counts.Failed())
				reportPacing(b, result)
			}
		})
	}
}

func reportPacing(b *testing.B, r *llmbench.Result) {
	us := func(d llmbench.Known[time.Duration]) float64 { return float64(d.Or(0)) / 1e3 }
	g := r.Generator
	b.ReportMetric(us(g.LagP50), "lag-p50-us")
	b.ReportMetric(us(g.LagP99), "lag-p99-us")
	b.ReportMetric(us(g.LagMax), "lag-max-us")
	b.ReportMetric(us(g.WakeP99), "wake-p99-us")
	b.ReportMetric(100*g.CPUShare.Or(0), "cpu-%")
	first, last := time.Duration(1<<62), time.Duration(0)
	for i := range r.Records {
		if sent, ok := r.Records[i].Sent.Get(); ok && r.Records[i].Measured() {
			first, last = min(first, sent), max(last, sent)
		}
	}
	rate := float64(r.Counts.Sent-1) / (last - first).Seconds()
	b.ReportMetric(100*(rate/500-1), "rate-error-%")
}
