// Package trace replays recorded traffic in the form of Mooncake's traces, where
// each request lists the hashes of its prompt's blocks of 512 tokens: prompts
// that begin with the same hashes begin with the same words.
//
// testdata/agents.jsonl is half a minute of two agents behind one system prompt,
// whose prompts grow by a block a turn, and of somebody who asks again and again
// about one long document; it was made by hand. Of its 57 blocks an endless cache
// would have 38 when they come. The engine reads a block in 100 ms. So without a
// prefix cache prompts wait 570 ms on average, and with one 190 ms, to the
// nanosecond. With too little memory for all three the cache forgets what comes
// next, and the claim says how far it is from what was possible. Ten times as
// fast, only the engine with the cache keeps up.
package trace

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/trace"
	"github.com/llmbench/go/mock"
)

const perBlock = 100.0 // ms

// engine reads a block of 512 tokens in 100 ms; kv is its memory in tokens, 0
// without end.
func engine(cache bool, kv int) mock.Engine {
	return mock.Engine{
		PrefillRate: 5120, StepTime: mock.LinearStep(20*time.Millisecond, 0),
		PrefixCache: cache, KVTokens: kv,
	}
}

func agents(t *testing.T) *llmbench.Trace {
	t.Helper()
	file, err := os.Open("testdata/agents.jsonl")
	require.NoError(t, err)
	defer file.Close()
	requests, err := trace.Mooncake(file)
	require.NoError(t, err)
	return requests
}

func replay(t *testing.T, requests *llmbench.Trace, server mock.Engine) (result *llmbench.Result) {
	synctest.Test(t, func(t *testing.T) {
		result = llmbench.Run(t, mock.Start(t, server), llmbench.Profile{Arrivals: llmbench.Replay(requests), Seed: 7})
	})
	assert.Require(t, result, assert.NoErrors{}, assert.NoCoordinatedOmission{})
	return result
}

// waits are the effective times to first token in ms, in the order of the trace.
func waits(r *llmbench.Result) (all []float64) {
	for request := range r.Requests() {
		all = llmbench.EffectiveTTFT.AppendSamples(all, request)
	}
	return all
}

// held is how many blocks of row i an endless cache has when the row comes.
func held(t *llmbench.Trace, i int) int {
	until := func(n int) int {
		part := *t
		part.Rows = t.Rows[:n]
		return part.PrefixBlocks().Hit
	}
	return until(i+1) - until(i)
}

func TestCacheSparesWhatItHolds(t *testing.T) {
	requests := agents(t)
	require.Equal(t, llmbench.Blocks{Hit: 38, Total: 57}, requests.PrefixBlocks())

	without, with := replay(t, requests, engine(false, 0)), replay(t, requests, engine(true, 0))
	cold, warm := waits(without), waits(with)
	t.Logf("blocks  held  without cache  with cache")
	for i, row := range requests.Rows {
		t.Logf("%6d %5d %11.0f ms %8.0f ms", len(row.Blocks), held(requests, i), cold[i], warm[i])
		require.InDelta(t, perBlock*float64(len(row.Blocks)), cold[i], 1e-6)
		require.InDelta(t, perBlock*float64(len(row.Blocks)-held(requests, i)), warm[i], 1e-6)
	}
	require.InDelta(t, 570, without.Stats(llmbench.TTFT).Mean().Or(0), 1e-6)
	require.InDelta(t, 190, with.Stats(llmbench.TTFT).Mean().Or(0), 1e-6)

	assert.RequireCacheHitRate(t, with, assert.CacheHitRate{AtLeast: 0.66}) // 38 of 57
	require.False(t, without.Stats(llmbench.PrefixCacheHitRate).Mean().Ok(), "who has no cache has no hit rate, not one of 0")
}

func TestTooLittleMemoryForgets(t *testing.T) {
	requests := agents(t)
	small := replay(t, requests, engine(true, 8192)) // 16 blocks: the document takes 10 of them in the end
	verdict := assert.CacheHitRate{AtLeast: 0.65}.Check(small)
	t.Logf("\n%v", verdict)
	require.Equal(t, assert.Fails, verdict.State)
	require.Contains(t, verdict.Rows, assert.Row{Label: "limit", Value: "an endless cache would have hit 66.7% of this trace"})

	last := len(requests.Rows) - 1
	require.Equal(t, 9, held(requests, last), "all of the document but its newest block")
	require.Greater(t, waits(small)[last], 2*perBlock, "and yet it was read again in part")
}

func TestTenTimesAsFast(t *testing.T) {
	fast := agents(t).Speed(10) // a request every 300 ms, of 570 ms each without the cache
	cold, warm := waits(replay(t, fast, engine(false, 0))), waits(replay(t, fast, engine(true, 0)))
	t.Logf("without cache %5.0f ms", cold)
	t.Logf("with cache    %5.0f ms", warm)
	last := len(cold) - 1
	require.Greater(t, cold[last], 3000.0, "ten requests bring 5.7 s of work within 2.7 s: the last ones wait for the rest")
	require.Less(t, warm[last], 1.5*perBlock, "1.9 s of work: the queue behind the document is gone again")
}
