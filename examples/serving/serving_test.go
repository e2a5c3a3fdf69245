package serving

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

func TestServing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // virtual time: 27 s of load in a blink, every figure exact
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})

		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(16), // or Constant(r), Poisson(r): users who do not wait
			Requests: 200,
			Input:    llmbench.Tokens(200),
			Output:   llmbench.Tokens(100),
			Seed:     7,
		})

		assert.RequireNoErrors(t, result)
		assert.RequireActivePrefill(t, result, assert.Floor{Mean: 25_000})
		assert.RequireTTFT(t, result, assert.Ceiling{P99: 150 * time.Millisecond})
	})
}
