package llmbench_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// A crowd is many streams at once: they begin within a second, and each lasts
// eight.
type crowd struct {
	streams int
	rate    int // tokens per second of each
}

var crowds = []crowd{{256, 20}, {1000, 20}, {2000, 20}, {256, 50}, {500, 50}}

const crowdTTFT = 100 * time.Millisecond

func (c crowd) itl() time.Duration { return time.Second / time.Duration(c.rate) }
func (c crowd) tokens() int        { return 8 * c.rate }

func (c crowd) String() string { return fmt.Sprintf("streams=%d/rate=%d", c.streams, c.rate) }

// BenchmarkRun is what the client costs and how exact it is at scale, the mock
// in another process: go test -run '^$' -bench 'Run/|Floor' -benchtime 1x.
// BenchmarkFloor reads the same streams and parses nothing. On two quiet cores
// (AMD EPYC, Go 1.26.8, November 2026), one run each:
//
//	streams x tok/s    CPU µs per event   gap p99 ms    TTFT error ms   KiB per stream
//	                   run     floor      run   floor   run    floor
//	 256 x 20          51.0    28.3       0.8   0.7     1.0    0.6      42
//	1000 x 20          25.1    13.6       1.3   0.7     1.3    0.5      39
//	2000 x 20          18.1    11.9       6.0   4.4     2.6    0.9      38
//	 256 x 50          28.5    17.3       0.8   0.7     0.8    0.6      44
//	 500 x 50          20.2    11.8       1.4   1.0     0.9    0.8      44
//
// (memory at 256 and 500 streams with buffers 3 KiB larger than now). The client
// costs 1.4 to 1.8 times the floor. Decoding and recording are 9 % of its CPU at
// 2000 streams, the poller 11 %, reading 43 %: after each event net/http reads
// once more to learn that there is nothing. strace -f -c counted 97,992 reads for
// 40,960 events, 48,598 of them in vain. A reader of our own on the poller would
// save that half and the two goroutines of a connection.
func BenchmarkRun(b *testing.B) {
	for _, c := range crowds {
		b.Run(c.String(), func(b *testing.B) {
			server := elsewhere(b, mock.Script{TTFT: crowdTTFT, ITL: c.itl()})
			for b.Loop() {
				memory := held(7500 * time.Millisecond) // the first stream ends at 8.1 s
				result, err := llmbench.Do(b.Context(), server, llmbench.Profile{
					Arrivals: llmbench.Constant(llmbench.Rate(c.streams)), Requests: c.streams,
					Input: llmbench.Tokens(16), Output: llmbench.Tokens(c.tokens()), Seed: 7,
				})
				require.NoError(b, err)
				require.Equal(b, c.streams, result.Counts.OK)
				m := measured{cpu: result.Generator.CPU.Or(0)}
				for i := range result.Records {
					m.addRecord(&result.Records[i], c.itl())
				}
				m.report(b, c)
				b.ReportMetric(float64(<-memory)/1024/float64(c.streams), "KiB/stream")
				b.ReportMetric(float64(result.Generator.DelayP99.Or(0))/1e6, "delay-p99-ms")
			}
		})
	}
}

// held is how much more memory the process holds after a while than now.
func held(after time.Duration) <-chan uint64 {
	before := live()
	said := make(chan uint64, 1)
	time.AfterFunc(after, func() { said <- live() - before })
	return said
}

// live is the memory of stacks and of what the heap holds after a collection.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// measured is what a reader of streams saw and what it cost.
type measured struct {
	cpu    time.Duration
	events int
	gaps   []time.Duration // |gap − ITL|
	ttft   []time.Duration // TTFT − the script's
}

func (m *measured) addRecord(r *llmbench.Record, itl time.Duration) {
	m.events += len(r.Chunks)
	var last time.Duration
	for _, chunk := range r.Chunks {
		if !chunk.Content() {
			continue
		}
		if last == 0 {
			m.ttft = append(m.ttft, chunk.At-r.Sent.Or(0)-crowdTTFT)
		} else {
			m.gaps = append(m.gaps, (chunk.At - last - itl).Abs())
		}
		last = chunk.At
	}
}

func (m *measured) report(b *testing.B, c crowd) {
	b.ReportMetric(float64(m.cpu.Microseconds())/float64(m.events), "cpu-us/event")
	b.ReportMetric(float64(c.streams*c.rate), "events/s")
	slices.Sort(m.gaps)
	b.ReportMetric(float64(m.gaps[len(m.gaps)/2])/1e6, "gap-p50-ms")
	b.ReportMetric(float64(m.gaps[len(m.gaps)*99/100])/1e6, "gap-p99-ms")
	var sum time.Duration
	for _, d := range m.ttft {
		sum += d
	}
	b.ReportMetric(float64(sum)/float64(len(m.ttft))/1e6, "ttft-error-ms")
}
