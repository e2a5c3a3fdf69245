package llmbench

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestVerdictOnTheGenerator(t *testing.T) {
	const ms = time.Millisecond
	for _, row := range []struct {
		why     string
		seen    Generator
		want    Fitness
		reasons []string
	}{
		{"nothing known, as in a bubble", Generator{}, Fit, nil},
		{"a slot that was not free is no fault of the harness", Generator{LagP99: Is(time.Second), Late: 9, CapFull: 9}, Fit, nil},
		{"at the threshold", Generator{DelayP99: Is(5 * ms), WakeP99: Is(5 * ms), CPUShare: Is(0.8)}, Fit, nil},
		{"late sends", Generator{DelayP99: Is(5*ms + 1)}, Strained,
			[]string{"requests left late by the harness's own doing, p99: 5ms, want at most 5ms"}},
		{"very late sends", Generator{DelayP99: Is(50*ms + 12345)}, Unfit,
			[]string{"requests left late by the harness's own doing, p99: 50ms, want at most 50ms"}},
		{"late timers", Generator{WakeP99: Is(12345678 * time.Nanosecond)}, Strained,
			[]string{"a 10 ms timer came late, p99: 12.3ms, want at most 5ms"}},
		{"no processor", Generator{SchedP99: Is(61 * ms)}, Unfit,
			[]string{"goroutines waited for a processor, p99: 61ms, want at most 50ms"}},
		{"a long pause of the collector", Generator{GCPauseMax: Is(7 * ms)}, Strained,
			[]string{"the collector stopped the process, longest: 7ms, want at most 5ms"}},
		{"busy and on time", Generator{CPUShare: Is(0.99), SchedP99: Is(ms)}, Strained,
			[]string{"the process used 99 % of its processors, want at most 80 %"}},
		{"busy and late", Generator{CPUShare: Is(0.99), SchedP99: Is(6 * ms)}, Unfit,
			[]string{"goroutines waited for a processor, p99: 6ms, want at most 5ms", "the process used 99 % of its processors, want at most 95 %"}},
		{"one fault is enough", Generator{Faults: 1}, Unfit,
			[]string{"1 requests failed for want of a file descriptor, a port or memory on this side, want 0"}},
		{"descriptors run out", Generator{Files: Is(950), FileLimit: Is(1000)}, Strained,
			[]string{"950 of 1000 file descriptors were open, want at most 90 %"}},
		{"strained does not undo unfit", Generator{DelayP99: Is(time.Second), GCPauseMax: Is(7 * ms)}, Unfit,
			[]string{"requests left late by the harness's own doing, p99: 1s, want at most 50ms", "the collector stopped the process, longest: 7ms, want at most 5ms"}},
	} {
		row.seen.judge()
		require.Equal(t, row.want, row.seen.Fitness, row.why)
		require.Equal(t, row.reasons, row.seen.Reasons, row.why)
	}
}

func TestHistogramOfTheRuntime(t *testing.T) {
	h := histogram{bounds: []float64{math.Inf(-1), 0, 0.001, 0.002, math.Inf(1)}, counts: []uint64{0, 5, 94, 1}}
	require.Equal(t, Is(2*time.Millisecond), h.quantile(0.99))
	require.Equal(t, Is(time.Millisecond), h.quantile(0.05))
	require.Equal(t, Is(2*time.Millisecond), h.quantile(1), "beyond the last bound all that is known is the bound")
	rest := h.since(histogram{counts: []uint64{0, 5, 94, 0}})
	require.Equal(t, uint64(1), rest.n())
	require.False(t, histogram{}.quantile(0.5).Ok())
}

// The probe of a real run has seen something of everything.
func TestProbeSeesTheProcess(t *testing.T) {
	p := startProbe(false)
	for until := time.Now().Add(200 * time.Millisecond); time.Now().Before(until); {
		_ = make([]byte, 1<<16)
	}
	p.stop()
	var g Generator
	g.addProcess(&p.facts)
	require.GreaterOrEqual(t, len(p.facts.beats), 2)
	require.GreaterOrEqual(t, g.WakeMax.Or(-1), g.WakeP50.Or(0))
	require.Positive(t, g.CPU.Or(0))
	require.Positive(t, g.CPUShare.Or(0))
	require.Greater(t, g.Files.Or(0), 2)
	require.Greater(t, g.FileLimit.Or(0), g.Files.Or(0))

	bubble := startProbe(true)
	bubble.stop()
	require.Empty(t, bubble.facts)
}

func TestStatusIsOneLine(t *testing.T) {
	s, err := Plan(Profile{Arrivals: Poisson(40), Duration: time.Minute, Seed: 7})
	require.NoError(t, err)
	l := newLoad(s, nil)
	l.began = time.Now().Add(-20 * time.Second)
	l.progress = progress{done: 784, inFlight: 16, failed: 2}
	text, share := l.status()
	require.Equal(t, "784 of 2493 done, 16 in flight, 40 req/s of 40, 2 failed, 40s left", text)
	require.InDelta(t, 1.0/3, share, 0.01)

	closed, err := Plan(Profile{Arrivals: Closed(4), Duration: time.Minute})
	require.NoError(t, err)
	l = newLoad(closed, nil)
	l.began = time.Now().Add(-20 * time.Second)
	text, _ = l.status()
	require.Equal(t, "0 done, 0 in flight, 0 req/s", text, "nothing has begun")
	l.admit()
	l.progress = progress{done: 36, inFlight: 4}
	text, share = l.status()
	require.Equal(t, "36 done, 4 in flight, 2 req/s, 1m0s left", text)
	require.Less(t, share, 0.5)
	for _, timer := range l.timers {
		timer.Stop()
	}
}

func TestReserveLeavesTimeForTheReport(t *testing.T) {
	require.Equal(t, time.Second, reserve(4*time.Second), "at least")
	require.Equal(t, 6*time.Second, reserve(2*time.Minute))
	require.Equal(t, 10*time.Second, reserve(10*time.Minute), "at most")
}
