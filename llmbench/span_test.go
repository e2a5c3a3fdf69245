package llmbench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// reply is an ok request: sent, first chunk, last chunk, 10 tokens in, 3 out.
func reply(id string, sent, first, last time.Duration) llmbench.Record {
	return llmbench.Record{
		ID: id, Streamed: true, Outcome: llmbench.OK,
		Scheduled: llmbench.Is(sent), Sent: llmbench.Is(sent), End: llmbench.Is(last),
		InputTokens: llmbench.Is(10), OutputTokens: llmbench.Is(3),
		Chunks: []llmbench.Chunk{
			{At: first, Kind: llmbench.ContentChunk}, {At: (first + last) / 2, Kind: llmbench.ContentChunk},
			{At: last, Kind: llmbench.ContentChunk},
		},
	}
}

func analysed(t *testing.T, records ...llmbench.Record) *llmbench.Result {
	t.Helper()
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	return result
}

const second = time.Second

func TestSpansAreTheStepsWhereTheyFit(t *testing.T) {
	result := analysed(t, reply("a", 0, 1*second, 3*second), reply("b", 2*second, 3*second, 5*second))
	want := []llmbench.Span{
		{From: 0, To: 2 * second, Low: 1, High: 1, Mean: 1},
		{From: 2 * second, To: 3 * second, Low: 2, High: 2, Mean: 2},
		{From: 3 * second, To: 5 * second, Low: 1, High: 1, Mean: 1},
	}
	spans := result.Spans(100)
	require.Equal(t, want, spans[llmbench.EffectiveConcurrency])
	require.Len(t, spans, 9, "one per curve")
}

// A peak of one nanosecond in ten seconds is in its column, whatever its width,
// and the columns' areas add up to the curve's.
func TestSpansLoseNoPeak(t *testing.T) {
	at := 3333333333 * time.Nanosecond
	records := []llmbench.Record{reply("long", 0, 1*second, 10*second)}
	for i := range 5 {
		records = append(records, reply(string(rune('a'+i)), at, at+1, at+4))
	}
	result := analysed(t, records...)
	spans := result.Spans(4)[llmbench.EffectiveConcurrency]
	require.Equal(t, 3, len(spans), "three steps fit")
	spans = result.Spans(2)[llmbench.EffectiveConcurrency]
	require.Len(t, spans, 2)
	require.Equal(t, [2]float64{1, 6}, [2]float64{spans[0].Low, spans[0].High})
	require.Equal(t, [2]float64{1, 1}, [2]float64{spans[1].Low, spans[1].High})

	for _, m := range []llmbench.Metric{llmbench.EffectiveConcurrency, llmbench.EffectivePrefillThroughput, llmbench.TokensInFlight} {
		require.Len(t, result.Spans(2)[m], 2, "%v has more steps than that", m)
		area, previous := 0.0, result.Window.From
		for _, s := range result.Spans(2)[m] {
			require.Equal(t, previous, s.From, "no gap")
			previous = s.To
			area += s.Mean * (s.To - s.From).Seconds()
		}
		require.Equal(t, result.Window.To, previous)
		require.InEpsilon(t, result.Stats(m).Mean().Or(-1), area/result.Window.Length().Seconds(), 1e-9, "%v", m)
	}
}

func TestSpansOfNothing(t *testing.T) {
	require.Empty(t, analysed(t).Spans(10), "no record, no window")
	require.Empty(t, analysed(t, reply("a", 0, second, 2*second)).Spans(0))
}
