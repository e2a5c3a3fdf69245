package frameworks

import (
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// Whatever the load, the mock answers it in full: rapid looks for one that it
// does not. The run is in virtual time; the claims are made outside of it.
func TestServingProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		load := profile
		load.Requests = rapid.IntRange(1, 40).Draw(rt, "requests")
		load.Arrivals = llmbench.Poisson(llmbench.Rate(rapid.Float64Range(1, 1000).Draw(rt, "rate")))
		var result *llmbench.Result
		synctest.Test(t, func(t *testing.T) { result = llmbench.Run(t, mock.Start(t, script), load) })
		assert.Require(rt, result, assert.NoErrors{}, assert.Complete{}, assert.NoCoordinatedOmission{})
	})
}
