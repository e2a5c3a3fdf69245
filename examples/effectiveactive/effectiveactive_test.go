// Package effectiveactive tells why one run has a prefill throughput of 1.5k
// tok/s and of 31k tok/s, and when to use which.
//
// Sixteen users send prompts of 200 tokens; prefill takes 100 ms and decode 2 s.
// So somebody is in prefill for 1.3 of 27.04 seconds. Over the whole window
// 40,000 prompt tokens are 1,479 tok/s: that is the demand of this load, and
// twice the users make twice the figure on the same server. While prefill is
// going on they are 30,769 tok/s: that is what the server can do.
//
// The load decides the effective figure, the server the active one, which is why
// a claim about a server asks for active throughput.
package effectiveactive

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// prefill runs one user or more against a server and returns the mean prefill
// throughput, effective and active, in tok/s.
func prefill(t *testing.T, ttft time.Duration, output int) (effective, active float64) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: ttft, ITL: 20 * time.Millisecond})
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(16), Requests: 200,
			Input: llmbench.Tokens(200), Output: llmbench.Tokens(output), Seed: 7,
		})
		effective = result.Stats(llmbench.EffectivePrefillThroughput).Mean().Or(-1)
		active = result.Stats(llmbench.ActivePrefillThroughput).Mean().Or(-1)
	})
	return effective, active
}

func TestTheLoadMovesOneAndTheServerTheOther(t *testing.T) {
	effective, active := prefill(t, 100*time.Millisecond, 100)
	require.InEpsilon(t, 40000/27.04, effective, 1e-9)
	require.InEpsilon(t, 40000/1.3, active, 1e-9)

	shorter, same := prefill(t, 100*time.Millisecond, 50) // replies of half the length, the same server
	require.Greater(t, shorter, 1.8*effective, "users come back sooner and ask for more prefill")
	require.InEpsilon(t, active, same, 1e-9, "the server is what it was")

	diluted, halved := prefill(t, 200*time.Millisecond, 100) // a server that takes twice as long to prefill
	require.InEpsilon(t, 40000/28.34, diluted, 1e-9, "5 % less: hardly a regression to see")
	require.InEpsilon(t, active/2, halved, 1e-9, "half: here it is")

	t.Logf("prefill tok/s            effective    active")
	t.Logf("the brief's run          %9.0f %9.0f", effective, active)
	t.Logf("replies of half length   %9.0f %9.0f", shorter, same)
	t.Logf("prefill twice as slow    %9.0f %9.0f", diluted, halved)
}
