// Package property lets rapid look for a load that breaks a promise. A *rapid.T is a
// T for claims, and in virtual time a hundred loads take a second.
package property

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// Whatever the load, the mock answers it in full: rapid looks for one that it
// does not. The run is in virtual time; the claims are made outside of it.
func TestServingProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		load := llmbench.Profile{
			Requests: rapid.IntRange(1, 40).Draw(rt, "requests"),
			Arrivals: llmbench.Poisson(llmbench.Rate(rapid.Float64Range(1, 1000).Draw(rt, "rate"))),
			Input:    llmbench.Tokens(50), Output: llmbench.Tokens(5), Seed: 7,
		}
		var result *llmbench.Result
		synctest.Test(t, func(t *testing.T) {
			server := mock.Start(t, mock.Script{TTFT: 20 * time.Millisecond, ITL: 2 * time.Millisecond})
			result = llmbench.Run(t, server, load)
		})
		assert.Require(rt, result, assert.NoErrors{}, assert.Complete{}, assert.NoCoordinatedOmission{})
	})
}
