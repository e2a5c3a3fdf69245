package llmbench_test

import (
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
)

// TestContradictingInstants: no such request may give a negative sample, or any
// at all; it is counted, and so are its tokens.
func TestContradictingInstants(t *testing.T) {
	ms := func(n int) llmbench.Known[time.Duration] { return llmbench.Is(time.Duration(n) * time.Millisecond) }
	chunk := func(at int) llmbench.Chunk {
		return llmbench.Chunk{At: time.Duration(at) * time.Millisecond, Kind: llmbench.ContentChunk}
	}
	for why, spoil := range map[string]func(*llmbench.Record){
		"a chunk before the send":      func(r *llmbench.Record) { r.Sent = ms(150) },
		"headers before the send":      func(r *llmbench.Record) { r.Headers = ms(5) },
		"an end before the last chunk": func(r *llmbench.Record) { r.End = ms(250) },
		"an end before the send":       func(r *llmbench.Record) { r.End = ms(5) },
		"a chunk before the schedule":  func(r *llmbench.Record) { r.Scheduled = ms(150) },
		"an end before the schedule":   func(r *llmbench.Record) { r.Chunks, r.Scheduled = nil, ms(900) },
		"chunks out of order":          func(r *llmbench.Record) { r.Chunks[0], r.Chunks[1] = r.Chunks[1], r.Chunks[0] },
		"an instant beyond any run":    func(r *llmbench.Record) { r.Chunks[1].At = 1 << 62 },
	} {
		r := llmbench.Record{Streamed: true, Outcome: llmbench.OK, Scheduled: ms(0), Sent: ms(10), End: ms(300),
			Chunks: []llmbench.Chunk{chunk(100), chunk(290)}, InputTokens: llmbench.Is(7), OutputTokens: llmbench.Is(2)}
		sound := analyze(t, []llmbench.Record{r})
		require.Zero(t, sound.Counts.Inconsistent)
		near(t, 90, sound.Stats(llmbench.TTFT).Mean())

		spoil(&r)
		got := analyze(t, []llmbench.Record{r})
		require.Equal(t, 1, got.Counts.Inconsistent, why)
		require.Equal(t, 1, got.Counts.OK, why)
		near(t, 2, got.Stats(llmbench.OSL).Mean(), why)
		for _, m := range llmbench.Metrics() {
			if m.Group() == llmbench.LatencyGroup {
				require.Equal(t, "instants contradict each other", got.Stats(m).Absent(), "%s: %s", why, m.Tag())
			}
			require.GreaterOrEqual(t, got.Stats(m).Min().Or(0), 0.0, "%s: %s", why, m.Tag())
		}
	}
}

// TestEarlySend: a send before its schedule, as tools that stamp in
// milliseconds have it, is no contradiction; it waited for nothing, and lies
// inside the window.
func TestEarlySend(t *testing.T) {
	r := span("early", 1000, 1500, 1200)
	r.Scheduled = llmbench.Is(1001 * time.Millisecond)
	got := analyze(t, []llmbench.Record{r})
	require.Equal(t, 1, got.Counts.EarlySends)
	require.Zero(t, got.Counts.Inconsistent)
	near(t, 0, got.Stats(llmbench.QueueWait).Mean())
	near(t, 499, got.Stats(llmbench.EffectiveLatency).Mean())
	require.Equal(t, 500*time.Millisecond, got.Window.Length())
}

// TestOutputLengthMismatch: off by more than the lesser of 5 % and 50 tokens.
func TestOutputLengthMismatch(t *testing.T) {
	for _, c := range []struct {
		asked, got int
		want       float64
	}{{100, 95, 0}, {100, 94, 1}, {100, 105, 0}, {100, 106, 1}, {2000, 1950, 0}, {2000, 1949, 1}, {0, 1, 1}} {
		r := span("a", 0, 100, 50)
		r.RequestedOutputTokens, r.OutputTokens = llmbench.Is(c.asked), llmbench.Is(c.got)
		near(t, c.want, analyze(t, []llmbench.Record{r}).Stats(llmbench.OSLMismatchCount).Mean(), c)
	}
}

// TestBundledFirstChunk: TPOT divides by what came after the first chunk, where
// its count is known.
func TestBundledFirstChunk(t *testing.T) {
	r := span("a", 0, 300, 100, 200, 300)
	r.OutputTokens = llmbench.Is(10)
	r.Chunks[0].Tokens = 6
	near(t, 200.0/4, analyze(t, []llmbench.Record{r}).Stats(llmbench.TPOT).Mean())
	for i := range r.Chunks {
		r.Chunks[i].Counted = false
	}
	near(t, 200.0/9, analyze(t, []llmbench.Record{r}).Stats(llmbench.TPOT).Mean(), "unknown: one token")
	r.Chunks[0].Counted, r.Chunks[0].Tokens = true, 10
	require.Equal(t, "no token after the first", analyze(t, []llmbench.Record{r}).Stats(llmbench.TPOT).Absent())
}

// TestLeftOutOfCurves: each curve tells how many requests it left out, and why.
func TestLeftOutOfCurves(t *testing.T) {
	plain := span("plain", 0, 100)
	plain.Streamed, plain.OutputTokens = false, llmbench.Is(5)
	failed := span("failed", 0, 100, 50, 90)
	failed.Outcome = llmbench.Error
	endless := span("endless", 0, 100, 50, 90)
	endless.Outcome, endless.End = llmbench.Cancelled, llmbench.Known[time.Duration]{}
	one := span("one token", 0, 100, 50)
	one.InputTokens = llmbench.Is(9)
	r := analyze(t, []llmbench.Record{span("ok", 0, 100, 50, 90), plain, failed, endless, one})
	for _, c := range []struct {
		metric llmbench.Metric
		n      int
		want   map[string]int
	}{
		{llmbench.EffectiveConcurrency, 4, map[string]int{"end instant unknown": 1}},
		{llmbench.EffectiveDecodeConcurrency, 2, map[string]int{"end instant unknown": 1, "request was not ok": 1, "reply was not streamed": 1}},
		{llmbench.EffectivePrefillThroughput, 1, map[string]int{"end instant unknown": 1, "request was not ok": 1, "reply was not streamed": 1, "input tokens unknown": 1}},
		{llmbench.ActiveDecodeThroughput, 1, map[string]int{"end instant unknown": 1, "request was not ok": 1, "reply was not streamed": 1, "fewer than 2 output tokens": 1}},
		{llmbench.EffectiveTotalThroughput, 2, map[string]int{"end instant unknown": 1, "request was not ok": 1, "reply was not streamed": 1}},
		{llmbench.TokensInFlight, 1, map[string]int{"end instant unknown": 1, "request was not ok": 1, "input tokens unknown": 2}},
	} {
		s := r.Stats(c.metric)
		require.Equal(t, c.n, s.N(), c.metric.Tag())
		require.Equal(t, c.want, s.LeftOut(), c.metric.Tag())
	}
}
