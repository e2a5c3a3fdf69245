package llmbench_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
)

// synthetic is an open-loop run of n requests at 1000 req/s with as many
// content chunks each, 20 ms apart on average: about 200 requests in flight at
// 10 chunks, 2000 at 100.
func synthetic(n, chunks int) []llmbench.Record {
	rng := rand.New(rand.NewPCG(1, 2))
	records := make([]llmbench.Record, n)
	all := make([]llmbench.Chunk, n*chunks)
	for i := range records {
		scheduled := time.Duration(i)*time.Millisecond + time.Duration(rng.IntN(1e6))
		sent := scheduled + time.Duration(rng.IntN(50_000))
		at := sent + 50*time.Millisecond + time.Duration(rng.IntN(100e6))
		own := all[i*chunks : (i+1)*chunks]
		for k := range own {
			own[k] = llmbench.Chunk{At: at, Kind: llmbench.ContentChunk, Tokens: 1, Counted: i%2 == 0}
			at += 10*time.Millisecond + time.Duration(rng.IntN(20e6))
		}
		records[i] = llmbench.Record{
			ID: fmt.Sprint("r", i), Scheduled: llmbench.Is(scheduled), Sent: llmbench.Is(sent), Streamed: true, Outcome: llmbench.OK,
			Headers: llmbench.Is(own[0].At - time.Millisecond), End: llmbench.Is(own[chunks-1].At + time.Millisecond), Chunks: own,
			InputTokens: llmbench.Is(100 + rng.IntN(1000)), OutputTokens: llmbench.Is(chunks),
			InputFrom: llmbench.FromUsage, OutputFrom: llmbench.FromUsage,
		}
	}
	return records
}

// BenchmarkAnalyze is the cost of every metric: per request, in time and in
// bytes allocated beside the records.
func BenchmarkAnalyze(b *testing.B) {
	for _, size := range []struct{ n, chunks int }{{1e3, 100}, {1e4, 100}, {1e5, 100}, {1e6, 10}} {
		b.Run(fmt.Sprintf("%.0e", float64(size.n)), func(b *testing.B) {
			records := synthetic(size.n, size.chunks)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			perRequest := 1 / float64(b.N) / float64(size.n)
			b.ReportMetric(float64(b.Elapsed())*perRequest, "ns/request")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)*perRequest, "B/request")
		})
	}
}
