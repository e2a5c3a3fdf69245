package llmbench_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawRun draws consistent requests of all kinds that the curves tell apart,
// with instants in whole milliseconds so that ties are common.
func drawRun(t *rapid.T) []llmbench.Record {
	step := rapid.IntRange(0, 4)
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	records := make([]llmbench.Record, rapid.IntRange(1, 12).Draw(t, "requests"))
	for i := range records {
		at := rapid.IntRange(0, 60).Draw(t, "scheduled")
		r := llmbench.Record{ID: fmt.Sprint("r", i), Scheduled: llmbench.Is(ms(at))}
		at += step.Draw(t, "wait")
		r.Sent = llmbench.Is(ms(at))
		r.Outcome = rapid.SampledFrom([]llmbench.Outcome{llmbench.OK, llmbench.OK, llmbench.OK, llmbench.Error, llmbench.Cancelled}).Draw(t, "outcome")
		r.InputTokens = llmbench.Is(rapid.IntRange(1, 500).Draw(t, "input"))
		r.Streamed = rapid.Bool().Draw(t, "streamed") || r.Outcome == llmbench.OK
		counted, output := rapid.Bool().Draw(t, "counted"), 0
		for range rapid.IntRange(1, 6).Draw(t, "chunks") {
			at += step.Draw(t, "gap")
			n := rapid.IntRange(1, 5).Draw(t, "tokens")
			output += n
			r.Chunks = append(r.Chunks, llmbench.Chunk{At: ms(at), Kind: llmbench.ContentChunk, Tokens: int32(n), Counted: counted})
		}
		at += step.Draw(t, "tail")
		r.End, r.OutputTokens = llmbench.Is(ms(at)), llmbench.Is(output)
		records[i] = r
	}
	return records
}

// decoded is how many tokens of an ok request the decode curve must carry:
// those that have a stretch of time to be decoded in.
func decoded(r llmbench.Record) float64 {
	first, last, end := r.Chunks[0].At, r.Chunks[len(r.Chunks)-1].At, r.End.Or(0)
	output := r.OutputTokens.Or(0)
	switch {
	case end == first:
		return 0
	case last > first && r.Chunks[0].Counted:
		for _, c := range r.Chunks {
			if c.At == first {
				output -= int(c.Tokens)
			}
		}
		return float64(output)
	}
	return float64(output - 1)
}

// unionOf is how long at least one of the intervals holds.
func unionOf(intervals [][2]time.Duration) float64 {
	slices.SortFunc(intervals, func(a, b [2]time.Duration) int { return cmp.Compare(a[0], b[0]) })
	var total, until time.Duration
	for _, i := range intervals {
		if from := max(i[0], until); i[1] > from {
			total += i[1] - from
			until = i[1]
		}
	}
	return total.Seconds()
}

// TestIdentities: average times window is what was moved, the parts make the
// total, and the active average over the active time is the effective one over
// the window.
func TestIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRun(t)
		r := analyze(t, records)
		w := r.Window.Length().Seconds()
		var input, tokens, flight float64
		var prefill, decode [][2]time.Duration
		for _, q := range records {
			flight += (q.End.Or(0) - q.Sent.Or(0)).Seconds()
			if q.Outcome != llmbench.OK {
				continue
			}
			tokens += decoded(q)
			if q.Chunks[0].At > q.Sent.Or(0) {
				input += float64(q.InputTokens.Or(0))
			}
			prefill = append(prefill, [2]time.Duration{q.Sent.Or(0), q.Chunks[0].At})
			decode = append(decode, [2]time.Duration{q.Chunks[0].At, q.End.Or(0)})
		}
		if w == 0 {
			require.NotEmpty(t, r.Stats(llmbench.EffectiveConcurrency).Absent())
			return
		}
		moved := func(m llmbench.Metric) float64 { return r.Stats(m).Mean().Or(0) * w }
		require.InDelta(t, flight, moved(llmbench.EffectiveConcurrency), 1e-9*(1+flight), "Little's law")
		require.InDelta(t, flight, moved(llmbench.MeanConcurrency), 1e-9*(1+flight))
		require.InDelta(t, input, moved(llmbench.EffectivePrefillThroughput), 1e-9*(1+input))
		require.InDelta(t, tokens, moved(llmbench.EffectiveDecodeThroughput), 1e-9*(1+tokens))
		require.InDelta(t, input+tokens, moved(llmbench.EffectiveTotalThroughput), 1e-9*(1+input+tokens))
		activeIs(t, r, llmbench.ActivePrefillThroughput, unionOf(prefill), input)
		activeIs(t, r, llmbench.ActiveDecodeThroughput, unionOf(decode), tokens)
	})
}

func activeIs(t *rapid.T, r *llmbench.Result, m llmbench.Metric, active, moved float64) {
	mean, ok := r.Stats(m).Mean().Get()
	if !ok {
		require.InDelta(t, 0, moved, 1e-9)
		return
	}
	require.InDelta(t, moved, mean*active, 1e-9*(1+moved), m.Tag())
	require.GreaterOrEqual(t, mean*(1+1e-12), moved/r.Window.Length().Seconds(), "%s: active is at least effective", m.Tag())
}

// TestOrderOfAnyRun: no figure depends on the order of the records.
func TestOrderOfAnyRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRun(t)
		want, err := json.Marshal(analyze(t, records))
		require.NoError(t, err)
		got, err := json.Marshal(analyze(t, rapid.Permutation(records).Draw(t, "order")))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}

// TestPartition: the tokens that arrive in the windows of a partition add up to
// those of the whole, and so do completions and areas.
func TestPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRun(t)
		cuts := []time.Duration{-time.Second, 10 * time.Second}
		for range rapid.IntRange(0, 4).Draw(t, "cuts") {
			cuts = append(cuts, rapid.SampledFrom([]time.Duration{5, 20, 21, 40, 59, 70}).Draw(t, "cut")*time.Millisecond)
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		var tokens, ended, area, covered float64
		for i := 1; i < len(cuts); i++ {
			r, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{From: cuts[i-1], To: cuts[i]})
			require.NoError(t, err)
			w := r.Window.Length().Seconds()
			tokens += r.Stats(llmbench.WindowOutputTokenThroughput).Mean().Or(0) * w
			ended += r.Stats(llmbench.WindowCompletionRate).Mean().Or(0) * w
			area += r.Stats(llmbench.WindowInFlightMean).Mean().Or(0) * w
			covered += r.Stats(llmbench.RequestCount).Mean().Or(0)
		}
		var allTokens, ok, allArea float64
		for _, q := range records {
			allArea += (q.End.Or(0) - q.Sent.Or(0)).Seconds()
			if q.Outcome == llmbench.OK {
				ok++
				allTokens += float64(q.OutputTokens.Or(0))
			}
		}
		require.InDelta(t, allTokens, tokens, 1e-6)
		require.InDelta(t, ok, ended, 1e-6)
		require.InDelta(t, ok, covered, 1e-9)
		require.InDelta(t, allArea, area, 1e-6)
	})
}

// TestQuantilesOfAnyRun: q(0) is the minimum, q(1) the maximum, and quantiles
// rise with q, for every metric.
func TestQuantilesOfAnyRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := analyze(t, drawRun(t))
		for _, m := range llmbench.Metrics() {
			s := r.Stats(m)
			if !s.Quantile(0).Ok() {
				continue
			}
			require.Equal(t, s.Min(), s.Quantile(0), m.Tag())
			require.Equal(t, s.Max(), s.Quantile(1), m.Tag())
			last := s.Min().Or(0)
			for _, q := range []float64{0.001, 0.01, 0.3, 0.5, 0.77, 0.99, 0.9999} {
				value := s.Quantile(q).Or(-1)
				require.GreaterOrEqual(t, value, last, "%s q=%v", m.Tag(), q)
				last = value
			}
			mean, slack := s.Mean().Or(0), 1e-12*s.Max().Or(0)
			require.GreaterOrEqual(t, mean+slack, s.Min().Or(0), m.Tag())
			require.LessOrEqual(t, mean-slack, s.Max().Or(0), m.Tag())
			require.GreaterOrEqual(t, s.Std().Or(-1), 0.0, m.Tag())
		}
	})
}

// TestStableWindowRule: with distinct times as many requests end in (a, b] as
// start there, which is one less than are selected, and exactly the configured
// number is in flight at both ends.
func TestStableWindowRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		users := rapid.IntRange(1, 4).Draw(t, "users")
		instants := rapid.Permutation(indexes(2*rapid.IntRange(1, 20).Draw(t, "requests"))).Draw(t, "instants")
		var records []llmbench.Record
		for i := 0; i < len(instants); i += 2 {
			from, to := min(instants[i], instants[i+1]), max(instants[i], instants[i+1])
			records = append(records, span(fmt.Sprint(i), from, to, to))
		}
		w, err := llmbench.StableWindow(records, users)
		if err != nil {
			t.Skip("no stable stage")
		}
		selected, ends, atFrom, atTo := 0, 0, 0, 0
		for _, r := range records {
			start, end := r.Sent.Or(0), r.End.Or(0)
			if start >= w.From && start <= w.To {
				selected++
			}
			if end > w.From && end <= w.To {
				ends++
			}
			if start <= w.From && end > w.From {
				atFrom++
			}
			if start <= w.To && end > w.To {
				atTo++
			}
		}
		require.Equal(t, selected-1, ends)
		require.Equal(t, users, atFrom)
		require.Equal(t, users, atTo)
	})
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
