package llmbench

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// streamed is an ok streamed record with content at the instants given.
func streamed(id string, sent time.Duration, contents ...time.Duration) Record {
	r := Record{ID: id, Outcome: OK, Streamed: true, Sent: Is(sent), Scheduled: Is(sent),
		InputTokens: Is(10), OutputTokens: Is(len(contents))}
	for _, at := range contents {
		r.Chunks = append(r.Chunks, Chunk{At: at, Kind: ContentChunk})
		r.End = Is(at)
	}
	return r
}

func TestAppendSamplesIsTheSampleOfStats(t *testing.T) {
	failed := streamed("failed", 0, 40*time.Millisecond)
	failed.Outcome = Error
	warm := streamed("warm", 0, 90*time.Millisecond)
	warm.Phase = Warmup
	result, err := Analyze([]Record{
		streamed("a", 0, 100*time.Millisecond, 130*time.Millisecond, 150*time.Millisecond),
		streamed("b", 0, 70*time.Millisecond),
		failed, warm,
	}, AnalyzeOptions{})
	require.NoError(t, err)

	for _, m := range Metrics() {
		if m.Kind() != PerRequest && m.Kind() != Pooled {
			continue
		}
		var all []float64
		for r := range result.Requests() {
			all = m.AppendSamples(all, r)
		}
		st := result.Stats(m)
		require.Len(t, all, st.N(), m.Tag())
		if st.N() > 0 {
			require.Equal(t, st.Min(), Is(slices.Min(all)), m.Tag())
			require.Equal(t, st.Max(), Is(slices.Max(all)), m.Tag())
		}
	}
	require.Equal(t, []float64{7, 100}, TTFT.AppendSamples([]float64{7}, &result.Records[0]), "appends, in milliseconds")
	require.Equal(t, []float64{30, 20}, ICL.AppendSamples(nil, &result.Records[0]), "every gap")
	require.Empty(t, TTFT.AppendSamples(nil, &failed), "a failed request has no sample")
	require.Empty(t, ErrorRate.AppendSamples(nil, &result.Records[0]), "no distribution")
	require.Empty(t, Metric{}.AppendSamples(nil, &result.Records[0]), "no metric")
}

func TestRequestsOfAWindow(t *testing.T) {
	records := []Record{streamed("before", 0, time.Second), streamed("in", time.Second, 2*time.Second),
		{ID: "unsent", Outcome: Unsent, Scheduled: Is(1500 * time.Millisecond)}, streamed("after", 3*time.Second, 4*time.Second)}
	result, err := Analyze(records, AnalyzeOptions{From: time.Second, To: 2 * time.Second})
	require.NoError(t, err)
	var ids []string
	for r := range result.Requests() {
		ids = append(ids, r.ID)
	}
	require.Equal(t, []string{"in", "unsent"}, ids)
	require.Equal(t, result.Counts.Planned, len(ids))
	for range result.Requests() {
		break // an early end must not panic
	}
}
