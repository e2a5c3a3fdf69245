package report

import (
	"io"
	"testing"
)

// BenchmarkWrite draws a run of 100,000 requests of 100 chunks each, analysed
// before: 1.9 s on two quiet cores (AMD EPYC, Go 1.26.8), and 386 MB allocated;
// half of the time is the sweep of [llmbench.Result.Spans].
//
//	go test -run '^$' -bench Write -benchtime 1x ./llmbench/report
func BenchmarkWrite(b *testing.B) {
	result := analysed(b, synthetic(100_000, 100))
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(io.Discard, result); err != nil {
			b.Fatal(err)
		}
	}
}
