package assert

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// climbed is the ladder of a server of 100 ms a request, one at a time, held to
// an effective TTFT of 100 ms: it carries 10 req/s.
func climbed(t *testing.T, opts llmbench.LadderOptions) (found *llmbench.Capacity) {
	t.Helper()
	return climbedOn(t, &mock.Engine{Slots: 1, QueueLimit: 1, PrefillRate: 100}, opts)
}

// deaf works on requests that were given up, so that in the end it works for
// nobody.
func deaf() mock.Responder {
	var free time.Duration
	return mock.ResponderFunc(func(r *mock.Request) mock.Reply {
		free = max(free, r.Arrived) + 100*ms
		return mock.Script{TTFT: free - r.Arrived}.Respond(r)
	})
}

func climbedOn(t *testing.T, server mock.Responder, opts llmbench.LadderOptions) (found *llmbench.Capacity) {
	t.Helper()
	opts.Judge = AllOf(NoErrors{}, EffectiveTTFT{Max: 100 * ms})
	synctest.Test(t, func(t *testing.T) {
		var err error
		found, err = llmbench.DoLadder(t.Context(), mock.Start(t, server), llmbench.Profile{
			Arrivals: llmbench.Constant(1), Requests: 50, Input: llmbench.Tokens(10), Output: llmbench.Tokens(1),
			Timeout: 300 * ms,
		}, opts)
		require.NoError(t, err)
	})
	return found
}

func TestCapacityTexts(t *testing.T) {
	found := climbed(t, llmbench.LadderOptions{})
	for _, c := range []struct {
		name, why string
		found     *llmbench.Capacity
		claim     Capacity
	}{
		{"capacity", "less than wanted", found, Capacity{AtLeast: 20}},
		{"capacity-between", "a ladder too coarse for the limit", found, Capacity{AtLeast: found.Holds.Or(0) + 0.01}},
		{"capacity-none", "nothing holds", &llmbench.Capacity{Unit: "users", Breaks: llmbench.Is(1.0), Rungs: []llmbench.Rung{{Load: 1, Result: made(t)}}}, Capacity{AtLeast: 5}},
		{"capacity-open", "a search that ended too soon", climbed(t, llmbench.LadderOptions{Most: 4}), Capacity{AtLeast: 5}},
		{"capacity-collapse", "goodput that collapses", climbedOn(t, deaf(), llmbench.LadderOptions{}), Capacity{AtLeast: 5, Keeps: 0.9}},
		{"capacity-budget", "no time", climbed(t, llmbench.LadderOptions{Budget: 100 * time.Second}), Capacity{AtLeast: 10, Keeps: 0.5}},
		{"capacity-bad", "nothing is claimed", found, Capacity{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := watch("TestServing", func(t T) { RequireCapacity(t, c.found, c.claim) })
			require.True(t, seen.stopped, c.why)
			require.Len(t, seen.errors, 1)
			checkForm(t, seen.errors[0])
			golden(t, c.name, seen.errors[0])
		})
	}
}

func TestCapacityVerdicts(t *testing.T) {
	found := climbed(t, llmbench.LadderOptions{})
	for _, c := range []struct {
		why   string
		found *llmbench.Capacity
		claim Capacity
		want  State
	}{
		{"what holds", found, Capacity{AtLeast: 9.5}, Holds},
		{"and keeps going", found, Capacity{AtLeast: 9.5, Keeps: 0.9}, Holds},
		{"keeps alone", found, Capacity{Keeps: 0.9}, Holds},
		{"no ladder", nil, Capacity{AtLeast: 1}, CannotJudge},
		{"a ladder without a rung", &llmbench.Capacity{}, Capacity{AtLeast: 1}, CannotJudge},
		{"a negative load", found, Capacity{AtLeast: -1}, CannotJudge},
		{"more than all", found, Capacity{Keeps: 2}, CannotJudge},
		{"nothing beyond was tried", climbed(t, llmbench.LadderOptions{Most: 4}), Capacity{AtLeast: 4, Keeps: 0.9}, CannotJudge},
	} {
		require.Equal(t, c.want, c.claim.Judge(c.found).State, "%s:\n%s", c.why, c.claim.Judge(c.found))
		require.Equal(t, c.want == Holds, CheckCapacity(&plainT{}, c.found, c.claim), c.why)
	}
	require.NotEmpty(t, lastOf(found).Judgements(), "the verdict is with the last result, for its reports")
}

func TestAllOf(t *testing.T) {
	r := made(t, ttfts(100)...)
	for _, c := range []struct {
		why    string
		claims []Claim
		want   string
	}{
		{"all", []Claim{holding, holding}, "holds: all is well"},
		{"a failure decides", []Claim{unclear, holding, failing}, "fails: x is 2, want at most 1"},
		{"else what cannot be judged", []Claim{holding, unclear}, "cannot judge: cannot judge x: no samples"},
		{"nothing is claimed", nil, "cannot judge: bad claim: nothing is claimed, want at least one claim"},
	} {
		j := AllOf(c.claims...)(r)
		require.Equal(t, c.want, j.State+": "+j.Line, c.why)
	}
}
