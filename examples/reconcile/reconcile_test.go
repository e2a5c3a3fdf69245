// Package reconcile settles an argument: four tools, one server, and four
// opinions on its time between tokens. One run is shown here under the names and
// rules of AIPerf, AISBench, vLLM's benchmark and guidellm, beside ours.
//
// Each reply opens with a role frame at once; then come 100 tokens, 20 of them
// reasoning, two by two every 40 ms from 100 ms to 2060 ms, and a frame each for
// finish and usage. Is the role frame a token? Then the first token took 0 ms.
// Does one divide by 99 tokens, by 100, or by the frames? The answers go from
// 19.8 ms to 40.4 ms, and two tools call very different ones by one name. No tool
// breaks its own rule: the table says which rule makes which figure, so that two
// reports of one server can be laid side by side.
package reconcile

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/dialect"
	"github.com/llmbench/go/mock"
)

const users = 4

// run is the one run that all tools look at.
func run(t *testing.T) (result *llmbench.Result) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{
			TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond,
			Reasoning: 20, TokensPerChunk: 2, Role: mock.RoleAtOnce,
		})
		result = llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(users), Requests: 40,
			Input: llmbench.Tokens(200), Output: llmbench.Tokens(100), Seed: 7,
		})
	})
	return result
}

func TestOneRunInFiveTongues(t *testing.T) {
	result := run(t)
	t.Logf("\n%s", dialect.Reconcile(result))

	aiperf, vllm, guidellm := dialect.AIPerf(result), dialect.VLLM(result), dialect.GuideLLM(result)
	aisbench := dialect.AISBench(result).Whole
	const s = 1e-3 // AISBench counts in seconds, the others in milliseconds
	for _, row := range []struct {
		tool *dialect.Table
		name string
		want float64
		why  string
	}{
		{aiperf, "Time to First Token", 100, "reasoning is content, a role is not"},
		{guidellm, "time_to_first_token_ms", 100, "the same"},
		{vllm, "TTFT", 0, "the role frame has a choice"},
		{aisbench, "TTFT", 0 * s, "any event will do"},

		{aiperf, "Inter Token Latency", 1960. / 99, "a mean per request, over the tokens after the first"},
		{guidellm, "inter_token_latency_ms", 1960. / 99, "the same under nearly the same name"},
		{vllm, "ITL", 2060. / 51, "gaps between frames: the role, 50 of content, the finish"},
		{aisbench, "ITL", 2060. / 52 * s, "and the usage frame"},
		{aiperf, "Inter Chunk Latency", 40, "gaps between frames of content, which is what the server did"},

		{vllm, "TPOT", 2060. / 99, "from the role frame, so that prefill is in it"},
		{aisbench, "TPOT", 2060. / 99 * s, "the same"},
		{guidellm, "time_per_output_token_ms", 2060. / 100, "the whole latency over all tokens"},
	} {
		got, ok := row.tool.Row(row.name)
		require.True(t, ok, "%s has no %s", row.tool.Tool, row.name)
		require.InDelta(t, row.want, got.Sample.Mean().Or(-1), 1e-9, "%s %s: %s", row.tool.Tool, row.name, row.why)
	}
}

// Ours has a name for each: the time per token that a user sees, and the gap
// between frames as the server sends them.
func TestOurWords(t *testing.T) {
	result := run(t)
	for _, row := range []struct {
		metric llmbench.Metric
		want   float64
		why    string
	}{
		{llmbench.TTFT, 100, "the first content, reasoning included"},
		{llmbench.TimeToFirstOutputToken, 500, "the first of the answer: ten frames of reasoning came before"},
		{llmbench.TPOT, 1960. / 99, "the mock does not say how many tokens a frame has, so the first counts as one"},
		{llmbench.ICL, 40, "content to content"},
		{llmbench.ITL, 2060. / 52, "event to event, as AISBench has it"},
	} {
		require.InDelta(t, row.want, result.Stats(row.metric).Mean().Or(-1), 1e-9, "%v: %s", row.metric, row.why)
	}
}
