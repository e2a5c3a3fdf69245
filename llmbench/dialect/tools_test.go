package dialect_test

import (
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/dialect"
	"github.com/stretchr/testify/require"
)

// odd is a run in which every tool's rule gives another figure: a role chunk
// before the first content, reasoning before the answer, a bundled first chunk,
// finish and usage events after the last content, and a wait for a slot.
func odd() []llmbench.Record {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	chunk := func(at int, kind llmbench.ChunkKind, tokens int32) llmbench.Chunk {
		return llmbench.Chunk{At: ms(at), Kind: kind, Tokens: tokens, Counted: kind.Content()}
	}
	return []llmbench.Record{
		{
			ID: "a", Streamed: true, Outcome: llmbench.OK, Scheduled: llmbench.Is(ms(0)), Sent: llmbench.Is(ms(100)), End: llmbench.Is(ms(500)),
			InputTokens: llmbench.Is(50), OutputTokens: llmbench.Is(7),
			Chunks: []llmbench.Chunk{
				chunk(150, llmbench.RoleChunk, 0), chunk(200, llmbench.ReasoningChunk, 3), chunk(300, llmbench.ContentChunk, 2),
				chunk(400, llmbench.ContentChunk, 2), chunk(440, llmbench.FinishChunk, 0), chunk(480, llmbench.UsageChunk, 0),
			},
		},
		{
			ID: "b", Outcome: llmbench.OK, Scheduled: llmbench.Is(ms(0)), Sent: llmbench.Is(ms(0)), End: llmbench.Is(ms(1000)),
			InputTokens: llmbench.Is(50), OutputTokens: llmbench.Is(20),
		},
		{ID: "x", Streamed: true, Outcome: llmbench.Error, Scheduled: llmbench.Is(ms(0)), Sent: llmbench.Is(ms(0)), End: llmbench.Is(ms(5))},
	}
}

func oddResult(t *testing.T) *llmbench.Result {
	r, err := llmbench.Analyze(odd(), llmbench.AnalyzeOptions{Concurrency: 2})
	require.NoError(t, err)
	return r
}

// TestToolsDiffer works the rules out by hand on one stream: sent 100, role
// 150, reasoning 200, content 300 and 400, finish 440, usage 480, end 500.
func TestToolsDiffer(t *testing.T) {
	r := oddResult(t)
	aiperf, vllm, guide := dialect.AIPerf(r), dialect.VLLM(r), dialect.GuideLLM(r)
	ais := dialect.AISBench(r).Whole
	for _, c := range []struct {
		table *dialect.Table
		row   string
		n     int
		mean  float64
		why   string
	}{
		{aiperf, "Time to First Token", 1, 100, "reasoning is content"},
		{vllm, "TTFT", 1, 50, "the role chunk has choices"},
		{ais, "TTFT", 1, 0.05, "so has any event"},
		{guide, "time_to_first_token_ms", 1, 100, "first token"},
		{aiperf, "Time to Second Token", 1, 100, "300 - 200"},
		{aiperf, "Time to First Output Token", 1, 200, "300 - 100"},
		{guide, "time_to_first_output_token_ms", 1, 200, "300 - 100"},
		{aiperf, "Inter Token Latency", 1, 200.0 / 6, "7 tokens, though three came at once"},
		{guide, "inter_token_latency_ms", 1, 200.0 / 6, "the same"},
		{vllm, "TPOT", 1, 290.0 / 6, "role to finish"},
		{ais, "TPOT", 1, 0.33 / 6, "role to usage"},
		{guide, "time_per_output_token_ms", 2, (300.0/7 + 1000.0/20) / 2, "latency over tokens"},
		{vllm, "ITL", 4, (440.0 - 150) / 4, "role to finish in four gaps"},
		{ais, "ITL", 5, (0.48 - 0.15) / 5, "role to usage in five"},
		{aiperf, "Inter Chunk Latency", 2, 100, "content only"},
		{aiperf, "Request Latency", 2, (300.0 + 1000) / 2, "to the last content"},
		{vllm, "E2EL", 2, (340.0 + 1000) / 2, "to the finish"},
		{ais, "E2EL", 2, (0.38 + 1) / 2, "to the usage"},
		{guide, "request_latency", 2, (0.4 + 1) / 2, "to the end"},
		{aiperf, "Effective Latency", 2, (400.0 + 1000) / 2, "the wait for the slot is missing"},
		{vllm, "E2EL including client queue", 2, (440.0 + 1000) / 2, "the wait is in"},
		{guide, "scheduled_latency", 2, (0.5 + 1) / 2, "the wait is in"},
		{aiperf, "Prefill Throughput Per User", 1, 500, "50 tokens in 100 ms"},
		{guide, "output_tokens_per_second", 2, (7/0.4 + 20) / 2, ""},
		{ais, "OutputTokenThroughput", 2, (7/0.38 + 20) / 2, ""},
	} {
		row, ok := c.table.Row(c.row)
		require.True(t, ok, c.row)
		require.Equal(t, c.n, row.Sample.Len(), c.row)
		near(t, c.mean, row.Sample.Mean().Or(0), c.table.Tool, c.row, c.why)
		require.NotEmpty(t, row.Rule)
	}
	for _, c := range []struct {
		table *dialect.Table
		entry string
		want  float64
	}{
		{aiperf, "Request Count", 2}, {aiperf, "Error Request Count", 1}, {aiperf, "Output Token Throughput", 27},
		{vllm, "Successful requests", 2}, {vllm, "Failed requests", 1}, {vllm, "Total token throughput (tok/s)", 127},
		{vllm, "Peak concurrent requests", 2}, {guide, "requests_per_second", 2}, {guide, "tokens_per_second", 127},
		{ais, "Total Requests", 3}, {ais, "Failed Requests", 1},
	} {
		e, ok := c.table.Entry(c.entry)
		require.True(t, ok, c.entry)
		near(t, c.want, e.Value.Or(-1), c.entry)
	}
	row, ok := aiperf.Row("Effective Concurrency")
	require.True(t, ok)
	require.Equal(t, r.Stats(llmbench.EffectiveConcurrency).Mean(), row.Curve.Mean())
}

// TestReconcile holds the page on which two reports meet.
func TestReconcile(t *testing.T) {
	golden(t, "reconcile.golden", dialect.Reconcile(oddResult(t)))
}

func TestTablesText(t *testing.T) {
	r := oddResult(t)
	golden(t, "tables.golden", dialect.AIPerf(r).Text()+"\n"+dialect.VLLM(r).Text()+"\n"+dialect.GuideLLM(r).Text())
}

// TestTablesOfNothing: no rows, no figures, no panic.
func TestTablesOfNothing(t *testing.T) {
	r, err := llmbench.Analyze(nil, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	for _, table := range []*dialect.Table{dialect.AIPerf(r), dialect.VLLM(r), dialect.GuideLLM(r)} {
		require.Empty(t, table.Rows)
		out, err := table.MarshalJSON()
		require.NoError(t, err)
		require.NotRegexp(t, "NaN|Inf", string(out))
	}
	require.NotEmpty(t, dialect.Reconcile(r))
}
