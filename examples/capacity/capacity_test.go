// Package capacity asks how much load a server carries under a promise: a ladder
// doubles the load until the promise breaks, then halves the interval.
//
// The engine takes 10 ms for a step, and 0.5 ms more for each request in its
// batch; replies have 101 tokens, 100 gaps. The promise is a token every 20 ms.
// So the answer is known: n users make steps of 10 + n/2 ms, and 20 users one of
// 20. Sent at a rate, by users who do not wait, the same 20 are in flight at
// 10 req/s, as each stays for 2 s (Little's law). One more breaks the promise,
// though the engine then does more requests per second, not fewer: throughput
// alone would have called for 40 users.
package capacity

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

const (
	base, perRequest = 10 * time.Millisecond, 500 * time.Microsecond
	gaps             = 100
)

// promise is what a rung must keep.
var promise = assert.AllOf(assert.TPOT{Max: 20 * time.Millisecond}, assert.NoErrors{})

// climb searches the highest load of the kind of the first rung. Prompts take no
// time here, so that the formulas above are the whole truth.
func climb(t *testing.T, first llmbench.Arrivals) (found *llmbench.Capacity) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Engine{StepTime: mock.LinearStep(base, perRequest)})
		found = llmbench.Ladder(t, server, llmbench.Profile{
			Arrivals: first, Requests: 100,
			Input: llmbench.Tokens(50), Output: llmbench.Tokens(1 + gaps), Seed: 7,
		}, llmbench.LadderOptions{Judge: promise, Precision: 0.04})
	})
	return found
}

func TestUsers(t *testing.T) {
	found := climb(t, llmbench.Closed(5))
	assert.RequireCapacity(t, found, assert.Capacity{AtLeast: 20})
	require.Equal(t, [2]float64{20, 21}, [2]float64{found.Holds.Or(0), found.Breaks.Or(0)})

	for _, rung := range found.Rungs[:3] { // 5, 10 and 20 users share 100 requests evenly
		latency := gaps * (base + time.Duration(rung.Load)*perRequest)
		require.InEpsilon(t, llmbench.Millis(latency), rung.Result.Stats(llmbench.RequestLatency).Mean().Or(0), 1e-6)
		require.InEpsilon(t, rung.Load/latency.Seconds(), rung.Result.Stats(llmbench.RequestThroughput).Mean().Or(0), 1e-6)
	}

	// Throughput over latency is n/(base + n*perRequest)², at its greatest where
	// both parts of the step cost the same.
	knee, ok := found.Knee()
	require.True(t, ok)
	require.InDelta(t, float64(base/perRequest), knee.Load, 0)

	short := assert.Capacity{AtLeast: 24}.Judge(found)
	t.Logf("this is how a capacity that is missed reads:\n%v", short)
	require.Equal(t, "capacity is 20 users, want at least 24 users", short.Line)
}

func TestRate(t *testing.T) {
	found := climb(t, llmbench.Constant(2))
	users, latency := 20.0, 2*time.Second
	rate := users / latency.Seconds() // Little's law
	require.InEpsilon(t, rate, found.Holds.Or(0), 0.05)
	require.InEpsilon(t, rate, found.Breaks.Or(0), 0.05)

	most := found.Rungs[0]
	for _, rung := range found.Rungs {
		if rung.Load > most.Load {
			most = rung
		}
	}
	require.Equal(t, "fails", most.Judgement.State)
	require.Greater(t, most.Result.Stats(llmbench.RequestThroughput).Mean().Or(0), rate, "more work done, and nobody content")
}
