package report

import (
	"io"
	"testing"
)

// BenchmarkWrite draws a run of 100,000 requests of 100 chunks each, analysed
// before: 1.9 s of CPU on one core of a two-core machine (AMD EPYC) that others
// kept busy, and 386 MB allocated; half of it is the sweep of [llmbench.Result.Spans].
//
//	go test -run xxx -bench Write -benchtime 3x ./llmbench/report
func BenchmarkWrite(b *testing.B) {
	result := analysed(b, synthetic(100_000, 100))
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(io.Discard, result); err != nil {
			b.Fatal(err)
		}
	}
}
