package llmbench_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
)

// worked is the run of NVIDIA's brief in exact time: closed loop, 16 users,
// 200 requests, ISL 200, OSL 100, first token after 100 ms, a token every 20 ms.
func worked() []llmbench.Record {
	const users, requests, output = 16, 200, 100
	records := make([]llmbench.Record, requests)
	for i := range records {
		at := time.Duration(i/users) * 2080 * time.Millisecond
		r := llmbench.Record{
			ID: fmt.Sprint("r", i), Scheduled: llmbench.Is(at), Sent: llmbench.Is(at), Streamed: true,
			Outcome: llmbench.OK, InputTokens: llmbench.Is(200), OutputTokens: llmbench.Is(output),
		}
		for k := range output {
			r.Chunks = append(r.Chunks, llmbench.Chunk{At: at + 100*time.Millisecond + time.Duration(k)*20*time.Millisecond, Kind: llmbench.ContentChunk})
		}
		r.End = llmbench.Is(r.Chunks[output-1].At)
		records[i] = r
	}
	return records
}

// TestWorkedRun holds the run of NVIDIA's brief to its closed forms. NVIDIA's
// own run, in real time with W = 27.06 s, printed 14.63, 0.75, 1477.97,
// 28140.81, 726.33 and 754.96 for the first six.
func TestWorkedRun(t *testing.T) {
	r := analyze(t, worked())
	const w = 27.04
	require.Equal(t, 27040*time.Millisecond, r.Window.Length())
	require.Equal(t, llmbench.WholeRule, r.Window.Rule)
	for _, c := range []struct {
		metric llmbench.Metric
		key    string
		want   float64
		why    string
	}{
		{llmbench.EffectiveDecodeConcurrency, "avg", 200 * 1.98 / w, "printed as 14.645"},
		{llmbench.EffectivePrefillConcurrency, "avg", 200 * 0.1 / w, "printed as 0.7396"},
		{llmbench.EffectivePrefillThroughput, "avg", 40000 / w, "ISL over W"},
		{llmbench.ActivePrefillThroughput, "avg", 40000 / 1.3, "13 waves of 100 ms in prefill"},
		{llmbench.EffectiveDecodeThroughput, "avg", 200 * 99 / w, "the first token is prefill's"},
		{llmbench.ActiveDecodeThroughput, "avg", 200 * 99 / 25.74, "13 waves of 1.98 s in decode"},
		{llmbench.ActivePrefillThroughput, "p50", 32000, "16 users at 2000 tok/s"},
		{llmbench.EffectivePrefillThroughput, "p50", 0, "no prefill in 95 % of the time"},
		{llmbench.EffectiveConcurrency, "avg", 200 * 2.08 / w, "Little's law"},
		{llmbench.MeanConcurrency, "avg", 200 * 2.08 / w, "the same from the requests"},
		{llmbench.MaxConcurrency, "avg", 16, "a hand-over is no 17th request"},
		{llmbench.TTFT, "avg", 100, ""}, {llmbench.TTFT, "p99", 100, ""}, {llmbench.TTFT, "std", 0, "all equal"},
		{llmbench.EffectiveTTFT, "max", 100, "nothing queued"},
		{llmbench.TPOT, "avg", 20, ""}, {llmbench.ICL, "max", 20, ""}, {llmbench.ITL, "min", 20, ""},
		{llmbench.RequestLatency, "p50", 2080, ""}, {llmbench.EffectiveLatency, "max", 2080, ""},
		{llmbench.QueueWait, "max", 0, "known to be 0, not absent"},
		{llmbench.RequestThroughput, "avg", 200 / w, ""},
		{llmbench.OutputTokenThroughput, "avg", 20000 / w, ""},
		{llmbench.TotalTokenThroughput, "avg", 60000 / w, ""},
		{llmbench.OutputTokenThroughputPerUser, "avg", 50, "1 / 20 ms"},
		{llmbench.ErrorRate, "avg", 0, ""},
		{llmbench.BenchmarkDuration, "avg", w, "in seconds"},
	} {
		near(t, c.want, stat(r.Stats(c.metric), c.key), c.metric.Tag(), c.key, c.why)
	}
	require.Equal(t, 200*99, r.Stats(llmbench.ICL).N())
	require.Equal(t, 200, r.Stats(llmbench.ICL).Requests())
	require.Equal(t, llmbench.Counts{Planned: 200, Sent: 200, OK: 200}, r.Counts)
}

// TestOrderChangesNothing compares the whole result, to the byte, under
// shuffles.
func TestOrderChangesNothing(t *testing.T) {
	records := worked()
	want, err := json.Marshal(analyze(t, records))
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(7, 7))
	for range 5 {
		rng.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		got, err := json.Marshal(analyze(t, records))
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
		require.Equal(t, string(want), string(got))
	}
}

// TestNothingIsAbsent demands reasons instead of figures where there is nothing
// to measure, and JSON that a strict reader takes.
func TestNothingIsAbsent(t *testing.T) {
	r := analyze(t, nil)
	out, err := json.Marshal(r)
	require.NoError(t, err)
	var file struct {
		Metrics map[string]*struct{ Avg float64 }
		Absent  map[string]string
	}
	require.NoError(t, json.Unmarshal(out, &file))
	for _, m := range llmbench.Metrics() {
		s := r.Stats(m)
		if m.Group() == llmbench.CountsGroup && m.Unit() == "requests" && s.Absent() == "" {
			near(t, 0, s.Mean(), m.Tag())
			continue
		}
		require.NotEmpty(t, s.Absent(), m.Tag())
		require.Equal(t, s.Absent(), file.Absent[m.Tag()])
		require.Nil(t, file.Metrics[m.Tag()], m.Tag())
		for _, v := range []llmbench.Known[float64]{s.Mean(), s.Std(), s.Min(), s.Max(), s.Quantile(0.5)} {
			require.False(t, v.Ok(), m.Tag())
		}
	}
	require.Equal(t, "no ok request", r.Stats(llmbench.TTFT).Absent())
}

func TestAnalyzeOptionErrors(t *testing.T) {
	for _, c := range []struct {
		opts llmbench.AnalyzeOptions
		want string
	}{
		{llmbench.AnalyzeOptions{Concurrency: -1}, "llmbench: analyze: Concurrency is -1, want >= 0"},
		{llmbench.AnalyzeOptions{Devices: -2}, "llmbench: analyze: Devices is -2, want >= 0"},
		{llmbench.AnalyzeOptions{Blocks: llmbench.Blocks{Hit: 2, Total: 1}}, "llmbench: analyze: Blocks.Hit is 2, want in [0, Total], and Total is 1"},
		{llmbench.AnalyzeOptions{SLOs: []llmbench.SLO{{Limit: 1}}}, "llmbench: analyze: SLO has no Metric"},
		{llmbench.AnalyzeOptions{SLOs: []llmbench.SLO{{Metric: llmbench.ITL, Limit: 1}}}, "llmbench: analyze: SLO on inter_token_latency, which is pooled, want a metric per request"},
		{llmbench.AnalyzeOptions{SLOs: []llmbench.SLO{{Metric: llmbench.TTFT, Limit: math.NaN()}}}, "llmbench: analyze: SLO on time_to_first_token: Limit is NaN, want a finite number >= 0"},
		{llmbench.AnalyzeOptions{From: 2, To: 2}, "llmbench: analyze: To is 2ns, want after From, 2ns"},
	} {
		_, err := llmbench.Analyze(nil, c.opts)
		require.EqualError(t, err, c.want)
	}
}

// TestQuantileArgument demands absence instead of a guess outside [0,1].
func TestQuantileArgument(t *testing.T) {
	r := analyze(t, worked())
	for _, m := range []llmbench.Metric{llmbench.TTFT, llmbench.EffectiveConcurrency} {
		for _, q := range []float64{-0.1, 1.1, 99} {
			require.False(t, r.Stats(m).Quantile(q).Ok(), "%s q=%v", m, q)
		}
		require.Equal(t, r.Stats(m).Min(), r.Stats(m).Quantile(0))
		require.Equal(t, r.Stats(m).Max(), r.Stats(m).Quantile(1))
	}
	require.False(t, r.Stats(llmbench.RequestThroughput).Quantile(0.5).Ok())
}
