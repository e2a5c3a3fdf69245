package llmbench_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// oneAtATime is a server that takes 100 ms for each request of 10 tokens and
// works on one at a time.
func oneAtATime() *mock.Engine { return &mock.Engine{Slots: 1, PrefillRate: 100} }

// hundredMS is a load of such requests.
func hundredMS(arrivals llmbench.Arrivals, requests int) llmbench.Profile {
	return llmbench.Profile{
		Arrivals: arrivals, Requests: requests,
		Input: llmbench.Tokens(10), Output: llmbench.Tokens(1), Seed: 7,
	}
}

// ttftWithin judges a statistic of the effective TTFT.
func ttftWithin(most time.Duration, stat func(llmbench.Stats) llmbench.Known[float64]) func(*llmbench.Result) llmbench.Judgement {
	return func(r *llmbench.Result) llmbench.Judgement {
		value := stat(r.Stats(llmbench.EffectiveTTFT)).Or(math.NaN())
		if value <= llmbench.Millis(most) {
			return llmbench.Judgement{State: "holds", Line: "soon enough"}
		}
		return llmbench.Judgement{State: "fails", Line: "too late"}
	}
}

func climb(t *testing.T, server mock.Responder, profile llmbench.Profile, opts llmbench.LadderOptions) (found *llmbench.Capacity) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		found, err = llmbench.DoLadder(t.Context(), mock.Start(t, server), profile, opts)
		require.NoError(t, err)
	})
	return found
}

func loads(c *llmbench.Capacity) []float64 {
	var all []float64
	for _, r := range c.Rungs {
		all = append(all, r.Load)
	}
	return all
}

// Requests at equal gaps never wait up to 10 req/s, and wait without end beyond:
// the queue D/D/1.
func TestLadderFindsTheRateOfTheServer(t *testing.T) {
	found := climb(t, oneAtATime(), hundredMS(llmbench.Constant(1), 100), llmbench.LadderOptions{
		Judge: ttftWithin(100*time.Millisecond, llmbench.Stats.Max), Precision: 0.01,
	})
	require.Equal(t, []float64{1, 2, 4, 8, 16}, loads(found)[:5], "doubling")
	holds, breaks := found.Holds.Or(0), found.Breaks.Or(0)
	require.LessOrEqual(t, holds, 10.0)
	require.Greater(t, breaks, 10.0)
	require.LessOrEqual(t, breaks/holds, 1.01)
	require.Empty(t, found.Stopped)
	require.Equal(t, "req/s", found.Unit)

	knee, ok := found.Knee()
	require.True(t, ok)
	require.InEpsilon(t, 10, knee.Load, 0.02, "as much work as can be had without waiting")
	require.InDelta(t, 1, found.Kept().Or(0), 0.01, "a server that goes on at its pace")
}

// Bursts need room that even gaps do not: the same promise breaks earlier.
func TestLadderKeepsTheKindOfArrivals(t *testing.T) {
	found := climb(t, oneAtATime(), hundredMS(llmbench.Gamma(1, 0.25), 100), llmbench.LadderOptions{
		Judge: ttftWithin(300*time.Millisecond, llmbench.Stats.Mean), Most: 8,
	})
	require.Equal(t, "gamma 1 req/s, shape 0.25", found.Rungs[0].Result.Profile.Arrivals.String())
	require.Equal(t, "gamma 2 req/s, shape 0.25", found.Rungs[1].Result.Profile.Arrivals.String())
	require.Less(t, found.Holds.Or(0), 8.0)
}

// With Poisson arrivals it is M/D/1: the mean wait is s/2 * rho/(1-rho)
// (Pollaczek and Khinchine), so a mean TTFT of 200 ms at s = 100 ms is reached
// at rho = 2/3.
func TestLadderFindsTheQueueOfPoissonArrivals(t *testing.T) {
	found := climb(t, oneAtATime(), hundredMS(llmbench.Poisson(4), 1000), llmbench.LadderOptions{
		Judge: ttftWithin(200*time.Millisecond, llmbench.Stats.Mean), Precision: 0.04,
	})
	require.InEpsilon(t, 20.0/3, found.Holds.Or(0), 0.1, "%v", found)
}

// Of n users on such a server each waits for all others.
func TestLadderOfUsersIsExact(t *testing.T) {
	for _, start := range []int{1, 3, 40} {
		found := climb(t, oneAtATime(), hundredMS(llmbench.Closed(start), 100), llmbench.LadderOptions{
			Judge: ttftWithin(550*time.Millisecond, llmbench.Stats.Max),
		})
		require.Equal(t, [2]float64{5, 6}, [2]float64{found.Holds.Or(0), found.Breaks.Or(0)}, "from %d users: %v", start, loads(found))
		require.Equal(t, "users", found.Unit)
	}
}

// A server that answers nobody in time once it is overloaded: the timeouts cost
// it all its goodput.
func TestLadderSeesACollapse(t *testing.T) {
	profile := hundredMS(llmbench.Constant(2), 100)
	profile.Timeout = 300 * time.Millisecond
	judge := func(r *llmbench.Result) llmbench.Judgement {
		if r.Counts.Failed() == 0 {
			return llmbench.Judgement{State: "holds"}
		}
		return llmbench.Judgement{State: "fails"}
	}
	// The mock's engine stops working on a request that is given up; this one
	// does not, as a server behind a careless proxy.
	deaf := func() mock.Responder {
		var free time.Duration
		return mock.ResponderFunc(func(r *mock.Request) mock.Reply {
			free = max(free, r.Arrived) + 100*time.Millisecond
			return mock.Script{TTFT: free - r.Arrived}.Respond(r)
		})
	}
	kept := climb(t, deaf(), profile, llmbench.LadderOptions{Judge: judge}).Kept().Or(1)
	require.Less(t, kept, 0.5)
	shedding := &mock.Engine{Slots: 1, QueueLimit: 1, PrefillRate: 100}
	require.Greater(t, climb(t, shedding, profile, llmbench.LadderOptions{Judge: judge}).Kept().Or(0), 0.9)
}

// A server that still works on what was given up must not spoil the next rung:
// the search comes out as with one that forgets.
func TestLadderLetsTheServerSettle(t *testing.T) {
	profile := hundredMS(llmbench.Constant(1), 50)
	profile.Timeout = 300 * time.Millisecond
	var free time.Duration
	deaf := mock.ResponderFunc(func(r *mock.Request) mock.Reply {
		free = max(free, r.Arrived) + 100*time.Millisecond
		return mock.Script{TTFT: free - r.Arrived}.Respond(r)
	})
	found := climb(t, deaf, profile, llmbench.LadderOptions{
		Judge: ttftWithin(100*time.Millisecond, llmbench.Stats.Max), Precision: 0.02,
	})
	require.LessOrEqual(t, found.Holds.Or(0), 10.0)
	require.GreaterOrEqual(t, found.Breaks.Or(0), 10.0)
}

// What cannot be judged is run again, twice as long.
func TestLadderRunsLongerForAVerdict(t *testing.T) {
	judge := func(r *llmbench.Result) llmbench.Judgement {
		if r.Counts.OK < 80 {
			return llmbench.Judgement{State: "cannot judge"}
		}
		return llmbench.Judgement{State: "holds"}
	}
	found := climb(t, oneAtATime(), hundredMS(llmbench.Constant(1), 20), llmbench.LadderOptions{Judge: judge, Most: 2})
	require.Equal(t, []float64{1, 1, 1, 2, 2, 2}, loads(found))
	require.Equal(t, []int{20, 40, 80}, []int{found.Rungs[0].Result.Counts.OK, found.Rungs[1].Result.Counts.OK, found.Rungs[2].Result.Counts.OK})
	require.Equal(t, 2.0, found.Holds.Or(0), "up to Most")
	require.False(t, found.Breaks.Ok())
	require.False(t, found.Kept().Ok(), "nothing was seen beyond")

	never := func(*llmbench.Result) llmbench.Judgement { return llmbench.Judgement{State: "cannot judge"} }
	found = climb(t, oneAtATime(), hundredMS(llmbench.Closed(2), 2), llmbench.LadderOptions{Judge: never})
	require.Equal(t, []float64{2, 2, 2, 2, 1, 1, 1, 1}, loads(found), "a load is not held by default")
	require.False(t, found.Holds.Ok())
	require.Equal(t, 1.0, found.Breaks.Or(0))
}

func TestLadderKeepsItsBudget(t *testing.T) {
	var took time.Duration
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		found, err := llmbench.DoLadder(t.Context(), mock.Start(t, oneAtATime()), hundredMS(llmbench.Constant(1), 10), llmbench.LadderOptions{
			Judge: ttftWithin(100*time.Millisecond, llmbench.Stats.Max), Budget: 18250 * time.Millisecond,
		})
		took = time.Since(began)
		require.NoError(t, err)
		require.Equal(t, "the budget of 18.25s would be spent before another rung", found.Stopped)
		require.Equal(t, 2.0, found.Holds.Or(0), "10 requests at 1 req/s, 10 at 2 req/s, and no time for 4.6 s more")
	})
	require.LessOrEqual(t, took, 18250*time.Millisecond)
}

func TestLadderStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		found, err := llmbench.DoLadder(ctx, mock.Start(t, oneAtATime()), hundredMS(llmbench.Constant(1), 10), llmbench.LadderOptions{
			Judge: ttftWithin(time.Hour, llmbench.Stats.Max),
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 2.0, found.Holds.Or(0), "what was found until then stays")
		require.Contains(t, found.Stopped, "run stopped early")
	})
}

func TestLadderRefuses(t *testing.T) {
	judge := ttftWithin(1, llmbench.Stats.Max)
	for _, c := range []struct {
		why     string
		profile llmbench.Profile
		opts    llmbench.LadderOptions
		want    string
	}{
		{"no judge", hundredMS(llmbench.Constant(1), 1), llmbench.LadderOptions{}, "Judge is nil"},
		{"a precision of all", hundredMS(llmbench.Constant(1), 1), llmbench.LadderOptions{Judge: judge, Precision: 1}, "Precision is 1, want >= 0 and < 1"},
		{"NaN", hundredMS(llmbench.Constant(1), 1), llmbench.LadderOptions{Judge: judge, Most: math.NaN()}, "Most is NaN, want >= 0"},
		{"a negative budget", hundredMS(llmbench.Constant(1), 1), llmbench.LadderOptions{Judge: judge, Budget: -1}, "Budget is -1ns, want >= 0"},
		{"all at once", hundredMS(llmbench.Constant(llmbench.Rate(math.Inf(1))), 1), llmbench.LadderOptions{Judge: judge}, "want a finite rate or users to begin with"},
		{"a ramp has no load", hundredMS(llmbench.Ramp(1, time.Second, 2), 1), llmbench.LadderOptions{Judge: judge}, "want Closed, Constant, Poisson or Gamma, or LadderOptions.At"},
		{"a negative rate", hundredMS(llmbench.Constant(-1), 1), llmbench.LadderOptions{Judge: judge}, "want a finite rate or users to begin with"},
	} {
		_, err := llmbench.DoLadder(t.Context(), llmbench.Endpoint{URL: "http://localhost:1"}, c.profile, c.opts)
		require.ErrorContains(t, err, "llmbench: ladder: ", c.why)
		require.ErrorContains(t, err, c.want, c.why)
	}
	_, err := llmbench.DoLadder(t.Context(), llmbench.Endpoint{}, hundredMS(llmbench.Constant(1), 1), llmbench.LadderOptions{Judge: judge})
	require.ErrorContains(t, err, "URL is empty")
	_, err = llmbench.DoLadder(t.Context(), llmbench.Endpoint{URL: "http://localhost:1"}, llmbench.Profile{}, llmbench.LadderOptions{Judge: judge})
	require.ErrorContains(t, err, "Requests and Duration are both 0")
}

// A target without a client of its own keeps its connections from rung to rung.
func TestLadderKeepsConnectionsWarm(t *testing.T) {
	server := mock.Listen(t, mock.Script{})
	found := llmbench.Ladder(t, llmbench.Endpoint{URL: server.URL(), Model: server.Model()}, hundredMS(llmbench.Closed(1), 5), llmbench.LadderOptions{
		Judge: func(r *llmbench.Result) llmbench.Judgement {
			return llmbench.Judgement{State: "holds", Line: fmt.Sprint(r.Counts.OK, " ok")}
		},
		Most: 4, At: func(float64) llmbench.Arrivals { return llmbench.Closed(1) },
	})
	require.Len(t, found.Rungs, 3)
	opened := 0.0
	for _, r := range found.Rungs {
		opened += r.Result.Stats(llmbench.HTTPConnections).Mean().Or(-100)
	}
	require.Equal(t, 1.0, opened)
	require.Contains(t, found.String(), "highest load that holds: 4 users; lowest that does not: none")
	require.IsType(t, (*http.Client)(nil), server.Client())
}
