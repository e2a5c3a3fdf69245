package realserver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/fixtures/servers"
	"github.com/llmbench/go/llmbench"
)

// The same engine by each protocol that it has, streamed and not. What one does
// not tell is absent, not 0.
func TestEachProtocolOfTheEngine(t *testing.T) {
	for _, c := range []struct {
		api      string
		noStream bool
		absent   []llmbench.Metric
	}{
		{"openai-chat", false, nil},
		{"openai-chat", true, []llmbench.Metric{llmbench.TTFT, llmbench.ICL}},
		{"openai-completions", false, nil},
		{"openai-completions", true, []llmbench.Metric{llmbench.TTFT, llmbench.ICL}},
	} {
		server := servers.LlamaCPP(t, servers.API(c.api), servers.Reuse())
		result := whenFit(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(2), Requests: 6,
			Input: llmbench.Tokens(50), Output: llmbench.Tokens(20),
			Body: llmbench.Body{IgnoreEOS: true, NoStream: c.noStream}, Seed: 7,
		})
		assert.RequireNoErrors(t, result)
		assert.RequireTokenCounts(t, result)
		assert.RequireOutputLength(t, result, assert.OutputLength{})
		requireCountsAgree(t, result)
		require.Equal(t, 20.0, result.Stats(llmbench.OSL).Max().Or(-1), c.api)
		for _, metric := range c.absent {
			require.NotEmpty(t, result.Stats(metric).Absent(), "%s of a reply in one piece", metric.Tag())
		}
	}
}

// requireCountsAgree holds our tokens against the engine's counters, to the
// token. Times agree too, where there is a processor to take them: a reply of few
// milliseconds on a machine with other work has not that, so
// TestOurClockAgreesWithTheEngines takes longer ones.
func requireCountsAgree(t *testing.T, result *llmbench.Result) {
	t.Helper()
	compared := 0
	for _, a := range result.Agreements() {
		if a.Unit == "tokens" {
			require.Equal(t, a.Theirs, a.Ours, a.What)
			compared++
		}
	}
	require.GreaterOrEqual(t, compared, 2, "prompt and output tokens")
}

// A prompt that does not fit is refused, and the record says so in the engine's
// own words.
func TestThePromptThatDoesNotFit(t *testing.T) {
	server := servers.LlamaCPP(t, servers.Reuse())
	result := llmbench.Run(t, server, llmbench.Profile{Requests: 1, Input: llmbench.Tokens(5000), Output: llmbench.Tokens(5)})
	require.Equal(t, 1, result.Counts.Error)
	record := result.Records[0]
	require.Equal(t, 400, record.Status)
	require.Contains(t, record.Error, "exceeds the available context size (4096 tokens)")
}
