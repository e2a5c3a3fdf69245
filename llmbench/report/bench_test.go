package report

import "testing"

// pageSize counts what is written to it.
type pageSize int

func (s *pageSize) Write(p []byte) (int, error) {
	*s += pageSize(len(p))
	return len(p), nil
}

// BenchmarkWrite draws a run of 100,000 requests of 100 chunks each, analysed
// before: 1.9 s on two quiet cores (AMD EPYC, Go 1.26.8), and 386 MB allocated;
// half of the time is the sweep of [llmbench.Result.Spans]. The page must stay
// under 2 MB.
//
//	go test -run '^$' -bench Write -benchtime 1x ./llmbench/report
func BenchmarkWrite(b *testing.B) {
	result := analysed(b, synthetic(100_000, 100))
	b.ReportAllocs()
	var page pageSize
	for b.Loop() {
		page = 0
		if err := Write(&page, result); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(page)/1e6, "MB/page")
	if page > 2e6 {
		b.Fatalf("the page has %d bytes, want at most 2 MB", page)
	}
}
