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
// in another process: go test -run '^$' -bench 'Run/|Floor|Warm' -benchtime 1x.
// BenchmarkFloor reads the same streams and parses nothing. On two cores of a
// virtual machine (Intel Xeon, Go 1.26.8, November 2026, idle else), medians of
// three runs in turn:
//
//	streams x tok/s    CPU µs per event   gap p99 ms    TTFT error ms   KiB per stream
//	                   run     floor      run   floor   run    floor
//	 256 x 20          27.5    29.7       1.8   1.0     0.54   0.43     20
//	1000 x 20          14.8    12.8       2.2   4.2     0.66   0.52     20
//	2000 x 20          12.0     9.7       4.9   4.1     0.96   0.78     20
//	 256 x 50          13.7    14.9       2.3   2.8     0.60   0.39     24
//	 500 x 50          11.4     9.4       2.5   4.8     0.61   0.59     24
//
// The client costs 1.2 times the floor at 1000 and at 2000 streams. Each stream
// dials, the floor's are connected before its clock starts; on connections that
// exist BenchmarkWarm has a TTFT error of 0.71 ms. By net/http it was 25 to 30 µs at 1000 streams and 39 KiB, since each
// event was read twice, the second time in vain, and woke a goroutine; and 1.7 ms
// TTFT error, since the kernel makes a process that opens its 256th and its 512th
// file wait for 10 ms, see makeRoom.
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

// BenchmarkWarm is the TTFT of 1000 streams on connections that exist, as those of
// BenchmarkFloor do: a burst of short replies opens them first. In BenchmarkRun
// each stream dials, and its TTFT has that in it, as a user's would.
func BenchmarkWarm(b *testing.B) {
	c := crowd{1000, 20}
	server := elsewhere(b, mock.Script{TTFT: crowdTTFT, ITL: c.itl()})
	trace := &llmbench.Trace{Timed: true}
	for i := range c.streams { // all of them are in flight after 90 ms
		trace.Rows = append(trace.Rows, llmbench.TraceRow{At: time.Duration(i) * 90 * time.Microsecond, Input: 16, Output: 1})
	}
	for i := range c.streams {
		at := 1500*time.Millisecond + time.Duration(i)*time.Second/time.Duration(c.streams)
		trace.Rows = append(trace.Rows, llmbench.TraceRow{At: at, Input: 16, Output: c.tokens()})
	}
	for b.Loop() {
		result, err := llmbench.Do(b.Context(), server, llmbench.Profile{Arrivals: llmbench.Replay(trace), Seed: 7})
		require.NoError(b, err)
		require.Equal(b, len(trace.Rows), result.Counts.OK)
		m, kept := measured{cpu: result.Generator.CPU.Or(0)}, 0
		for i := range result.Records {
			r := &result.Records[i]
			if i < c.streams {
				m.events += len(r.Chunks) // the CPU is for these too
				continue
			}
			m.addRecord(r, c.itl())
			if r.HTTP.Reused {
				kept++
			}
		}
		m.report(b, c)
		b.ReportMetric(float64(kept)/float64(c.streams), "kept/stream")
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
