package llmbench

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInputTokensAreUsageElsePlanElseAbsent(t *testing.T) {
	for _, row := range []struct {
		why     string
		usage   *Usage
		planned int
		want    Known[int]
		from    Source
	}{
		{"the server's own count", &Usage{Prompt: Is(7)}, 5, Is(7), FromUsage},
		{"the plan, where the server says nothing", nil, 5, Is(5), FromPlan},
		{"a prompt whose length nobody knows has none, not 0", nil, 0, Known[int]{}, ""},
	} {
		r := Record{Usage: row.usage}
		r.countTokens(row.planned)
		require.Equal(t, row.want, r.InputTokens, row.why)
		require.Equal(t, row.from, r.InputFrom, row.why)
	}
}

func TestOutputTokensWithoutUsageAreContentChunks(t *testing.T) {
	r := Record{Chunks: []Chunk{
		{Kind: RoleChunk}, {Kind: ContentChunk}, {Kind: ReasoningChunk},
		{Kind: ContentChunk, Counted: true}, // known to hold none
		{Kind: FinishChunk},
	}}
	r.countTokens(0)
	require.Equal(t, Is(2), r.OutputTokens)
	require.Equal(t, FromChunks, r.OutputFrom)
}
