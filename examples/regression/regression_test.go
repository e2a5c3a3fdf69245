// Package regression holds a server to what it was: against a file of figures in
// the repository, and against the build before it, side by side.
//
// Both stories run on a mock in virtual time, where runs repeat to the bit and two
// are enough. Against a real server make ten: POWER.md tells what so many can see.
// Leave HardwareTrait out there, as figures of another machine say nothing.
package regression

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// load is what the server is measured under.
var load = llmbench.Profile{
	Arrivals: llmbench.Closed(8), Requests: 64,
	Input: llmbench.Tokens(200), Output: llmbench.Tokens(50), Seed: 7,
}

// anywhere allows another machine: in virtual time it makes no difference.
var anywhere = llmbench.Comparer{MayDiffer: []llmbench.Trait{llmbench.HardwareTrait}}

// The file testdata/serving.baseline.json was written by
//
//	LLMBENCH_UPDATE=1 go test ./examples/regression
func TestServingIsNoSlowerThanItsBaseline(t *testing.T) {
	t.Setenv("LLMBENCH_SEED", "") // the figures are those of the story's own seed
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
		runs := llmbench.Repeat(t, 2, server, load)
		assert.RequireNoRegression(t, runs, assert.NoRegression{
			Baseline: "testdata/serving.baseline.json", Comparer: anywhere,
		})
	})
}

// A build whose first token takes a tenth longer does not get by, and the text says
// which figure it was.
func TestSlowerBuildIsCaught(t *testing.T) {
	t.Setenv("LLMBENCH_SEED", "") // the figures are those of the story's own seed
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 110 * time.Millisecond, ITL: 20 * time.Millisecond})
		verdict := assert.NoRegression{
			Baseline: "testdata/serving.baseline.json", Comparer: anywhere,
		}.Check(llmbench.Repeat(t, 2, server, load))
		require.Equal(t, assert.Fails, verdict.State)
		require.Equal(t, "TTFT p50 is 110ms, 10.0% worse than 100ms in the base, want at most 2.00%", verdict.Line)
	})
}

// Two builds beside each other, in turns: what the machine does meanwhile falls on
// both. In real time, eight pairs are the least for four figures.
func TestNewBuildBesideTheOld(t *testing.T) {
	t.Setenv("LLMBENCH_SEED", "") // the figures are those of the story's own seed
	synctest.Test(t, func(t *testing.T) {
		old := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
		faster := mock.Start(t, mock.Script{TTFT: 80 * time.Millisecond, ITL: 20 * time.Millisecond})
		pairs := llmbench.Pair(t, 2, old, faster, load)
		assert.RequireNoRegression(t, pairs.B, assert.NoRegression{Base: pairs.A})

		comparison := llmbench.Compare(pairs.A, pairs.B)
		require.Len(t, comparison.Found(llmbench.Improved), 1)
		t.Logf("%v", comparison)
	})
}
