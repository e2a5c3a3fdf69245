package realserver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/fixtures/servers"
	"github.com/llmbench/go/llmbench"
)

// small is a request that the engine answers in some 10 ms.
func small(arrivals llmbench.Arrivals) llmbench.Profile {
	return llmbench.Profile{
		Arrivals: arrivals,
		Duration: 6 * time.Second,
		Input:    llmbench.Tokens(20),
		Output:   llmbench.Tokens(10),
		Body:     llmbench.Body{IgnoreEOS: true},
		Seed:     7,
	}
}

// standStill stops the engine after a while for a span, which counts from when it
// stands: a busy container engine takes its time to pause it. What it returns waits
// for the end of that, unless it has not begun, and then it will not.
func standStill(server *servers.Target, after, span time.Duration) (over func() error) {
	stood := make(chan error, 1)
	stall := time.AfterFunc(after, func() {
		if err := server.Pause(); err != nil {
			stood <- err
			return
		}
		time.AfterFunc(span, func() { stood <- server.Resume() })
	})
	return func() error {
		if stall.Stop() {
			return nil
		}
		return <-stood
	}
}

// stalled drives the profile while the engine stands still for two of its six
// seconds, as it does when its machine swaps or its memory is compacted.
func stalled(t *testing.T, profile llmbench.Profile) *llmbench.Result {
	t.Helper()
	server := servers.LlamaCPP(t)
	over := standStill(server, time.Second, 2*time.Second)
	result := llmbench.Run(t, server, profile)
	require.NoError(t, over())
	require.Equal(t, result.Counts.Sent, result.Counts.OK, "a stall is no error, all are answered in the end")
	return result
}

// felt is how many requests waited over half a second for their first token,
// from the instant at which they were due.
func felt(result *llmbench.Result) (count int) {
	for r := range result.Requests() {
		if first, ok := r.FirstContent(); ok && first-r.Scheduled.Or(0) > 500*time.Millisecond {
			count++
		}
	}
	return count
}

// One frozen engine, two loads. An open loop goes on sending, as users do, and
// shows how many of them waited. A closed loop waits with its one user: a single
// slow request among hundreds, and the percentiles look well.
func TestAStallIsSeenByTheOpenLoopAlone(t *testing.T) {
	const rate = 20
	open, closed := stalled(t, small(llmbench.Constant(rate))), stalled(t, small(llmbench.Closed(1)))

	require.Greater(t, felt(open), rate, "of the 40 that came in two seconds, those of the first 1.5 s")
	require.Less(t, felt(closed), felt(open)/5, "its only user, and whom a busy machine kept waiting")

	p95 := func(r *llmbench.Result) float64 { return r.Stats(llmbench.EffectiveTTFT).Quantile(0.95).Or(-1) }
	require.Greater(t, p95(open), 1000.0, "ms")
	require.Less(t, p95(closed), 1000.0, "ms; the stall is in the one request above it")
	// To the end of the reply: an engine that stops between the last token and the end
	// has no request latency to show for it, which ends with the token.
	require.Greater(t, closed.Stats(llmbench.EffectiveLatency).Max().Or(-1), 1500.0, "ms")
	t.Logf("over 0.5 s: open loop %d of %d, closed loop %d of %d",
		felt(open), open.Counts.Sent, felt(closed), closed.Counts.Sent)
}

// Replies that are under way when the engine stops are named by their longest
// gap. Their time to first token was fine, and so was every other gap.
func TestAStallInMidReplyIsNamed(t *testing.T) {
	server := servers.LlamaCPP(t)
	const longest = 2 * time.Second
	result := repeated(t, func() *llmbench.Result {
		over := standStill(server, 500*time.Millisecond, longest)
		defer func() { require.NoError(t, over()) }()
		return llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(4),
			Requests: 4,
			Input:    llmbench.Tokens(20),
			Output:   llmbench.Tokens(2000), // a second of work for four slots, on a fast machine
			Body:     llmbench.Body{IgnoreEOS: true},
			Seed:     7,
		})
	})
	assert.RequireNoErrors(t, result)
	require.InDelta(t, llmbench.Millis(longest), result.Stats(llmbench.MaxStall).Max().Or(-1), 1000)
	verdict := assert.NoStall{Longest: time.Second}.Check(result)
	t.Log(verdict)
	want := assert.Fails
	if result.Generator.Fitness == llmbench.Unfit { // three times
		want = assert.CannotJudge
	}
	require.Equal(t, want, verdict.State)
	require.Less(t, result.Stats(llmbench.TTFT).Max().Or(1e9), 1500.0, "ms; the first token was there before")
}

// The engine dies with eight replies under way and eight requests to come. Each
// ends as an error that has its instants, nothing hangs, and the run reports
// what it has.
func TestAKilledEngineLosesNothingOfTheRun(t *testing.T) {
	server := servers.LlamaCPP(t, servers.Args("-np", "8"))
	kill := time.AfterFunc(500*time.Millisecond, func() { _ = server.Kill() })
	defer kill.Stop()
	began := time.Now()
	result := llmbench.Run(t, server, llmbench.Profile{
		Arrivals: llmbench.Closed(8),
		Requests: 16,
		Input:    llmbench.Tokens(20),
		Output:   llmbench.Tokens(1900), // some seconds of work
		Body:     llmbench.Body{IgnoreEOS: true},
		Seed:     7,
	})
	require.Less(t, time.Since(began), 30*time.Second)
	require.Equal(t, 16, result.Counts.Planned)
	require.Equal(t, 16, result.Counts.Error, result.Counts)

	cut := 0
	for r := range result.Requests() {
		require.NotEmpty(t, r.Error, r.ID)
		sent, ok := r.Sent.Get()
		require.True(t, ok, r.ID)
		end, ok := r.End.Get()
		require.True(t, ok, r.ID)
		require.GreaterOrEqual(t, end, sent, r.ID)
		if _, ok := r.FirstContent(); ok {
			cut++
			last, _ := r.LastContent()
			require.LessOrEqual(t, last, end, r.ID)
			require.Equal(t, 200, r.Status, r.ID)
		}
	}
	require.Equal(t, 8, cut, "the replies under way kept their chunks")
}
