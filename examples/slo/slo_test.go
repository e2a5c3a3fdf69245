// Package slo holds a server to a contract that a team agreed on.
//
// testdata/chat.slo.yaml has the load and the limits. The same file can be
// printed as alert rules, so that the test and the pager watch the same
// promise. A ladder finds how much load the promise can carry.
package slo

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

const contract = "testdata/chat.slo.yaml"

// engine is a server with continuous batching: 20k tokens of prompts per
// second, 16 replies at a time at 15 ms a token and a little more when busy.
func engine() *mock.Engine {
	return &mock.Engine{
		Slots: 16, PrefillRate: 20_000, ChunkTokens: 2048,
		StepTime: mock.LinearStep(10*time.Millisecond, 500*time.Microsecond),
	}
}

// The contract holds under its own load. Each claim has a line of its own in
// the report.
func TestContract(t *testing.T) {
	t.Setenv("LLMBENCH_SEED", "") // the figures are those of the story's own seed
	c, err := assert.LoadContract(contract)
	require.NoError(t, err)
	var result *llmbench.Result
	synctest.Test(t, func(t *testing.T) {
		result = llmbench.Run(t, mock.Start(t, engine()), *c.Profile)
	})
	assert.Each(t, result, c.Claims...)
	assert.RequireContract(t, result, contract) // the same in one line, without sub-tests
}

// A server that breaks the contract is found out early: the run ends when the
// verdict cannot change any more.
func TestSlowServerIsFoundOutEarly(t *testing.T) {
	t.Setenv("LLMBENCH_SEED", "") // the figures are those of the story's own seed
	c, err := assert.LoadContract(contract)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		slow := engine()
		slow.PrefillRate = 1000 // a second for each prompt
		profile := *c.Profile
		profile.StopWhenDecided = assert.Decided(c.Claims...)
		result := llmbench.Run(t, mock.Start(t, slow), profile)

		require.Contains(t, result.Decided, "fails")
		require.Less(t, result.Counts.OK, 100, "of 400")
		for _, claim := range c.Claims {
			if v := assert.Judge(claim, result); v.State == assert.Fails {
				t.Logf("%v", v)
			}
		}
	})
}

// How many users does the promise carry?
func TestCapacity(t *testing.T) {
	t.Setenv("LLMBENCH_SEED", "") // the figures are those of the story's own seed
	c, err := assert.LoadContract(contract)
	require.NoError(t, err)
	var found *llmbench.Capacity
	synctest.Test(t, func(t *testing.T) {
		found = llmbench.Ladder(t, mock.Start(t, engine()), *c.Profile, llmbench.LadderOptions{
			Judge: assert.AllOf(c.Claims...), Precision: 0.1,
		})
	})
	assert.RequireCapacity(t, found, assert.Capacity{AtLeast: 6})
}

// The same promise for the pager.
func TestAlertRules(t *testing.T) {
	c, err := assert.LoadContract(contract)
	require.NoError(t, err)
	rules := string(c.Prometheus(5 * time.Minute))
	t.Logf("\n%s", rules)
	require.Contains(t, rules, "histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[300s]))) > 0.5")
	require.Equal(t, 5, strings.Count(rules, "no rule, as"), "what has no rule is said")
}
