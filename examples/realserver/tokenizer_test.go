package realserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/fixtures"
	"github.com/llmbench/go/fixtures/servers"
	"github.com/llmbench/go/llmbench"
)

// A server that reports no usage is counted by its own tokenizer, and the record
// says so. The tiny model has one token for each of its words.
func TestTheEnginesTokenizerCountsWhereUsageIsMissing(t *testing.T) {
	server := servers.LlamaCPP(t, servers.Reuse())
	endpoint := llmbench.Endpoint{URL: server.URL(), Model: server.Model()}
	count, err := llmbench.ServerTokenizer(t.Context(), endpoint)
	require.NoError(t, err)
	require.Equal(t, 50, count(" "+strings.Join(fixtures.Words()[:50], " ")))

	endpoint.CountTokens = count
	result := llmbench.Run(t, endpoint, llmbench.Profile{
		Requests: 3, Input: llmbench.Tokens(20), Output: llmbench.Tokens(30),
		Body: llmbench.Body{IgnoreEOS: true, NoUsage: true}, Seed: 7,
	})
	require.Equal(t, 3, result.Counts.OK, result.Counts)
	for _, r := range result.Records {
		require.Equal(t, llmbench.FromTokenizer, r.OutputFrom)
		require.Equal(t, 30, r.OutputTokens.Or(-1), "as many as were asked for")
	}
}
