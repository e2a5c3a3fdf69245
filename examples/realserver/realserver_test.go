// Package realserver drives a real engine, llama.cpp in a container, and holds
// our clock against the engine's own. The model is made of random weights and
// written by the test, so nothing is downloaded.
//
// Without a container engine or the image the test skips with the reason; with
// LLMBENCH_REQUIRE_CONTAINERS=1, as in CI, it fails.
package realserver

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/fixtures/servers"
	"github.com/llmbench/go/llmbench"
)

// The engine times its own work, we time what a user sees of it. What lies
// between is HTTP, the tokenizer and, on a shared machine, the scheduler: a few
// milliseconds here, so a median within 20 ms or a quarter is agreement, and a
// clock that starts at the wrong instant, or a chunk that is stamped late by
// its parsing, is not.
const (
	roomTime  = 20 * time.Millisecond
	roomShare = 0.25
)

func TestOurClockAgreesWithTheEngines(t *testing.T) {
	server := servers.LlamaCPP(t)
	result := whenFit(t, server, llmbench.Profile{
		Arrivals: llmbench.Closed(1), // alone in the engine: no slot to wait for
		Requests: 12,
		Warmup:   llmbench.WarmupPart{Requests: 2},
		Input:    llmbench.Tokens(300),
		Output:   llmbench.Tokens(128),
		Body:     llmbench.Body{IgnoreEOS: true, Extra: map[string]any{"cache_prompt": false}},
		Seed:     7,
	})
	assert.RequireNoErrors(t, result)
	require.Equal(t, 12, result.Counts.OK)

	var ttft, prefill, gaps, decode []time.Duration
	for _, r := range result.Records {
		if !r.Measured() {
			continue
		}
		requireTokensCounted(t, r)
		require.NotNil(t, r.Server, "llama.cpp sends timings")
		require.Equal(t, r.InputTokens, r.Server.PromptTokens, "the whole prompt was prefilled: usage and timings agree")
		require.Equal(t, r.OutputTokens, r.Server.OutputTokens, "usage and timings agree")
		first, _ := r.FirstContent()
		last, _ := r.LastContent()
		ttft, prefill = append(ttft, first-r.Sent.Or(0)), append(prefill, r.Server.Prompt.Or(0))
		gaps, decode = append(gaps, last-first), append(decode, r.Server.Decode.Or(0))
		require.Greater(t, first-r.Sent.Or(0), r.Server.Prompt.Or(0), "no first token before its prefill is over")
	}
	requireAgreement(t, "TTFT against prompt_ms", median(ttft), median(prefill))
	requireAgreement(t, "last - first chunk against predicted_ms", median(gaps), median(decode))
	assert.RequireAgreement(t, result) // the same of the means, and the engine's counters against our tokens
}

// requireTokensCounted holds the engine's usage against the chunks we saw: with
// ignore_eos llama.cpp sends one token a chunk and exactly as many as asked.
func requireTokensCounted(t *testing.T, r llmbench.Record) {
	t.Helper()
	require.Equal(t, llmbench.FromUsage, r.InputFrom)
	require.Equal(t, llmbench.FromUsage, r.OutputFrom)
	require.Equal(t, r.RequestedOutputTokens, r.OutputTokens)
	content := 0
	for _, c := range r.Chunks {
		if c.Kind.Content() {
			content++
		}
	}
	require.Equal(t, content, r.OutputTokens.Or(-1), "one token a chunk")
	require.Equal(t, "length", r.FinishReason)
}

func requireAgreement(t *testing.T, what string, ours, engines time.Duration) {
	t.Helper()
	room := max(roomTime, time.Duration(roomShare*float64(engines)))
	t.Logf("%s: %v ours, %v the engine's, room %v", what, ours, engines, room)
	require.InDelta(t, engines, ours, float64(room), what)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// More users than slots: the engine queues, and time to first token shows it.
func TestQueueingInTheEngineIsSeen(t *testing.T) {
	server := servers.LlamaCPP(t) // four slots
	load := func(users int) *llmbench.Result {
		return llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(users), Requests: 3 * users,
			Input: llmbench.Tokens(50), Output: llmbench.Tokens(100),
			Body: llmbench.Body{IgnoreEOS: true}, Seed: 7,
		})
	}
	alone, crowd := load(1), load(16)
	require.Equal(t, 3, alone.Counts.OK)
	require.Equal(t, 48, crowd.Counts.OK)
	p50 := func(r *llmbench.Result) float64 { return r.Stats(llmbench.TTFT).Quantile(0.5).Or(0) }
	require.Greater(t, p50(crowd), 3*p50(alone), "16 users on 4 slots wait for three others' replies")
	require.Greater(t, crowd.Stats(llmbench.EffectiveConcurrency).Max().Or(0), 8.0)
}
