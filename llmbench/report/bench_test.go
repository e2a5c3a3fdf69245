package report

import (
	"io"
	"testing"
)

// BenchmarkWrite draws a run of 100,000 requests of 100 chunks each, analysed
// before. Two cores of the CI machine: see CHANGELOG for the figure.
func BenchmarkWrite(b *testing.B) {
	result := analysed(b, synthetic(100_000, 100))
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(io.Discard, result); err != nil {
			b.Fatal(err)
		}
	}
}
