package realserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/fixtures"
	"github.com/llmbench/go/fixtures/servers"
	"github.com/llmbench/go/llmbench"
)

// Every request begins with the same 2000 words. With the prefix cache the
// engine processes them once, and says so in its usage; without it each time.
func TestThePrefixCachePaysOff(t *testing.T) {
	server := servers.LlamaCPP(t)
	var prompt []string
	for len(prompt) < 2000 {
		prompt = append(prompt, fixtures.Words()...)
	}
	load := func(cache bool) *llmbench.Result {
		result := whenFit(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(1),
			Requests: 6,
			Warmup:   llmbench.WarmupPart{Requests: 1},
			Input:    llmbench.Tokens(20),
			Output:   llmbench.Tokens(5),
			Body: llmbench.Body{
				IgnoreEOS: true,
				System:    strings.Join(prompt[:2000], " "),
				Extra:     map[string]any{"cache_prompt": cache},
			},
			Seed: 7,
		})
		assert.RequireNoErrors(t, result)
		requireCountsAgree(t, result)
		return result
	}
	cold, cached := load(false), load(true)

	tokens := func(r *llmbench.Result) float64 { return r.Stats(llmbench.UsageCachedTokens).Min().Or(-1) }
	require.Zero(t, tokens(cold))
	require.GreaterOrEqual(t, tokens(cached), 2000.0, "the whole shared prefix, in every measured request")

	// 20 tokens to process in place of 2020.
	assert.RequireRatio(t, cached, assert.Ratio{
		Metric: llmbench.TTFT, Stat: "p50",
		Of: assert.Class{Cache: assert.CacheHit}, To: assert.Class{Cache: assert.CacheMiss}, Base: cold,
		AtMost: 0.5,
	})
}
