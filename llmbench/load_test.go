package llmbench_test

import (
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

const ms = time.Millisecond

// listener keeps what the server was asked.
type listener struct {
	mock.Script
	mu   sync.Mutex
	seen []*mock.Request
}

func (l *listener) Respond(r *mock.Request) mock.Reply {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, r)
	return l.Script.Respond(r)
}

// sent are the send instants of the records in their order.
func sent(r *llmbench.Result) (at []time.Duration) {
	for _, record := range r.Records {
		at = append(at, record.Sent.Or(-1))
	}
	return at
}

func scheduled(r *llmbench.Result) (at []time.Duration) {
	for _, record := range r.Records {
		at = append(at, record.Scheduled.Or(-1))
	}
	return at
}

func TestUsersThinkBetweenReplyAndNextRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), llmbench.Profile{
			Arrivals: llmbench.Closed(1), Requests: 3, Output: llmbench.Tokens(1), Think: llmbench.Wait(400 * ms),
		})
		require.Equal(t, []time.Duration{0, 500 * ms, 1000 * ms}, scheduled(result), "ready when the thinking is over")
		require.Equal(t, scheduled(result), sent(result))
		require.Equal(t, 1100*ms, result.Window.To, "nobody thinks after the last reply and calls it load")
	})
}

func TestUsersJoinAndLeaveWithTheStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 250 * ms}), llmbench.Profile{
			Arrivals: llmbench.Steps(time.Second, llmbench.Closed(1), llmbench.Closed(3), llmbench.Closed(2)), Output: llmbench.Tokens(1),
		})
		perStage := map[time.Duration]int{}
		for _, at := range sent(result) {
			perStage[at/time.Second]++
		}
		require.Equal(t, map[time.Duration]int{0: 4, 1: 12, 2: 8}, perStage, "four replies of 250 ms per user and second")
		require.Equal(t, 24, result.Counts.OK)
		require.Equal(t, 3*time.Second, result.Window.To)
	})
}

// Case 104: the users in flight are those asked for, neither more nor fewer.
func TestClosedLoopHasExactlyItsUsers(t *testing.T) {
	for _, users := range []int{1, 5, 32, 45} {
		synctest.Test(t, func(t *testing.T) {
			result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), llmbench.Profile{
				Arrivals: llmbench.Closed(users), Requests: 4 * users, Output: llmbench.Tokens(1),
			})
			require.Equal(t, float64(users), mean(t, result, llmbench.MaxConcurrency))
			require.InDelta(t, float64(users), mean(t, result, llmbench.MeanConcurrency), 1e-9)
			require.Equal(t, 400*ms, result.Window.Length())
		})
	}
}

// Case 115: what comes before the first send takes nothing from the time.
func TestClockStartsWithTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 10 * ms})
		time.Sleep(800 * ms) // a set-up
		result := llmbench.Run(t, server, llmbench.Profile{Arrivals: llmbench.Constant(20), Duration: time.Second, Output: llmbench.Tokens(1)})
		require.Equal(t, 20, result.Counts.OK)
		require.Equal(t, time.Duration(0), sent(result)[0])
	})
}

// Case 100: the last request ends the run, not one more gap.
func TestRunEndsWithItsLastReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{})
		start := time.Now()
		result := llmbench.Run(t, server, llmbench.Profile{Arrivals: llmbench.Constant(1), Requests: 2})
		require.Equal(t, time.Second, time.Since(start))
		require.Equal(t, []time.Duration{0, time.Second}, sent(result))
	})
}

// Case 113: after 300 ms in which nothing could leave, what came meanwhile
// leaves at once, in order, and each says how late it was. Nothing is dropped.
func TestAfterAStallTheSendingCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, stall{at: 50, ttft: 0, stalled: 300 * ms})
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Constant(100), Duration: time.Second, MaxInFlight: 1, Output: llmbench.Tokens(1),
		})
		require.Equal(t, [3]int{100, 100, 0}, [3]int{result.Counts.Planned, result.Counts.Sent, result.Counts.Unsent})
		for i, r := range result.Records {
			want := r.Scheduled.Or(-1)
			if i > 50 {
				want = max(want, 800*ms)
			}
			require.InDelta(t, want, r.Sent.Or(-1), 1000, "request %d: within 1 µs", i)
		}
		require.Equal(t, 29, result.Generator.Late, "those due from 510 to 790 ms; the one of 800 is on time")
	})
}

// Case 106, under the race detector: users of many speeds at the end.
func TestManyUsersAtTheEndAreCountedOnce(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			server := mock.Start(t, mock.Mix(7, mock.Share{Weight: 1, Responder: mock.Script{TTFT: 200 * ms}}, mock.Share{Weight: 1, Responder: mock.Script{TTFT: 400 * ms}}))
			result := llmbench.Run(t, server, llmbench.Profile{
				Arrivals: llmbench.Closed(500), Duration: 500 * ms, Grace: 100 * ms, Output: llmbench.Tokens(1),
			})
			c := result.Counts
			require.Equal(t, c.Sent, c.OK+c.Error+c.Cancelled)
			require.Zero(t, c.Duplicates)
			require.Positive(t, c.Cancelled)
			require.LessOrEqual(t, result.Window.To, 600*ms)
		})
	}
}

// Case 108: one connection per user, used again and again.
func TestUsersKeepTheirConnections(t *testing.T) {
	server := mock.Listen(t, mock.Script{})
	result := llmbench.Run(t, llmbench.Endpoint{URL: server.URL()}, llmbench.Profile{
		Arrivals: llmbench.Closed(20), Requests: 1000, Output: llmbench.Tokens(3),
	})
	opened := 0
	for _, r := range result.Records {
		if !r.HTTP.Reused {
			opened++
		}
	}
	require.Equal(t, 1000, result.Counts.OK)
	require.LessOrEqual(t, opened, 20)
}

func TestProfileSaysInFilesWhatItIs(t *testing.T) {
	data, err := json.Marshal(llmbench.Profile{
		Arrivals: llmbench.Poisson(4), Requests: 10, Think: llmbench.WaitAbout(time.Second), Pace: llmbench.Precise,
		Sessions: llmbench.Sessions{Turns: llmbench.Uniform(2, 5), History: llmbench.FixedHistory},
		Classes:  []llmbench.Class{{Label: "chat", Share: 3, Input: llmbench.Tokens(9)}},
		Cancel:   llmbench.CancelPart{Share: 0.5, After: llmbench.WaitBetween(time.Second, 2*time.Second)},
	})
	require.NoError(t, err)
	require.JSONEq(t, `{"arrivals":"Poisson 4 req/s","requests":10,"input":"128 tokens","think":"about 1s","turns":"2 to 5 turns",
		"history":"fixed","classes":["chat 3, input 9 tokens"],"seed":0,"timeout_ns":300000000000,"grace_ns":30000000000,
		"cancel_share":0.5,"cancel_after":"1s to 2s","pace":"precise","body":{}}`, string(data))
}

// Precise pace spins, which would stop the clock of a bubble for ever; there
// timers are exact. In real time it serves slots and the end while it waits.
func TestPrecisePaceIsForTheRealClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{}), llmbench.Profile{
			Arrivals: llmbench.Constant(10), Requests: 5, Pace: llmbench.Precise,
		})
		require.Equal(t, scheduled(result), sent(result))
		require.Equal(t, 400*ms, sent(result)[4])
	})
	result := llmbench.Run(t, mock.Listen(t, mock.Script{TTFT: 20 * ms}), llmbench.Profile{
		Arrivals: llmbench.Constant(200), Duration: 300 * ms, Output: llmbench.Tokens(1), Pace: llmbench.Precise,
		MaxInFlight: 2, Grace: 5 * time.Second,
	})
	require.Equal(t, 60, result.Counts.Planned)
	require.Equal(t, 60, result.Counts.OK+result.Counts.Unsent)
	require.Positive(t, result.Counts.Unsent, "two slots of 20 ms carry half of 200 req/s")
	for _, r := range result.Records {
		if r.Sent.Ok() {
			require.GreaterOrEqual(t, r.Sent.Or(0), r.Scheduled.Or(0), "never early")
		}
	}
}
