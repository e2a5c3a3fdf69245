package llmbench_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// A prefill slot is free again at the first content: four arrive together, each
// is prefilled for 100 ms and goes on for 4 s.
func TestPrefillCapFreesAtTheFirstContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms, ITL: time.Second}), llmbench.Profile{
			Arrivals: llmbench.Constant(1000), Requests: 4, Output: llmbench.Tokens(5), MaxPrefill: 1,
		})
		require.Equal(t, []time.Duration{0, 100 * ms, 200 * ms, 300 * ms}, sent(result))
		require.Equal(t, 3, result.Generator.CapFull)
		require.Equal(t, 4.0, mean(t, result, llmbench.MaxConcurrency), "decoding is not bounded")
		require.Equal(t, time.Duration(0), result.Generator.DelayMax.Or(-1), "the wait for a slot is no fault of the harness")
	})
	synctest.Test(t, func(t *testing.T) {
		refused := mock.With(mock.Script{TTFT: 100 * ms}, mock.Refuse(500, "no"))
		result := llmbench.Run(t, mock.Start(t, refused), llmbench.Profile{
			Arrivals: llmbench.Constant(1000), Requests: 4, Output: llmbench.Tokens(5), MaxPrefill: 1,
		})
		require.Equal(t, 4, result.Counts.Error, "a request without content gives its slot back too")
	})
}

func TestAShareIsCancelledOnPurpose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * ms, ITL: 20 * ms})
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Constant(10), Requests: 400, Output: llmbench.Tokens(50), Seed: 7,
			Cancel: llmbench.CancelPart{Share: 0.25, After: llmbench.Wait(350 * ms)},
		})
		require.InDelta(t, 100, result.Counts.Cancelled, 35, "four standard deviations")
		require.Equal(t, 400, result.Counts.OK+result.Counts.Cancelled)
		require.Zero(t, result.Counts.Failed(), "no failures of the server")
		for i, r := range result.Records {
			cut := result.Schedule.Requests[i].Cancel.Ok()
			require.Equal(t, cut, r.Outcome == llmbench.Cancelled, "the schedule says who: %s", r.ID)
			if cut {
				require.Equal(t, 350*ms, r.End.Or(0)-r.Sent.Or(0))
				require.Len(t, r.Chunks, 14, "the role and 13 tokens at 100, 120, ... 340 ms are kept")
				require.Equal(t, "given up on purpose by Profile.Cancel: cancelled by the caller, with 13 content chunks", r.Error)
			}
		}
		synctest.Wait()
		require.Zero(t, server.InFlight())
	})
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), llmbench.Profile{
			Arrivals: llmbench.Closed(1), Requests: 4, Output: llmbench.Tokens(1), Cancel: llmbench.CancelPart{Share: 1, After: llmbench.Wait(time.Second)},
		})
		require.Equal(t, 4, result.Counts.OK, "who is faster than the patience is not cancelled")
	})
}

// A closed loop against a server that answers at once with failures would spin
// for all of Duration; against one that is not there too.
func TestRunEndsEarlyWhenEverythingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, err := llmbench.Do(t.Context(), mock.Start(t, mock.With(mock.Script{}, mock.Refuse(500, "out of memory"))), llmbench.Profile{
			Arrivals: llmbench.Closed(4), Duration: time.Hour,
		})
		require.ErrorContains(t, err, "100 of the last 100 requests failed and FailureLimit is 1, the last one: ")
		require.ErrorContains(t, err, "out of memory")
		require.Contains(t, result.Stopped, "100 of the last 100 requests failed")
		require.Less(t, len(result.Records), 110)
		require.GreaterOrEqual(t, result.Counts.Error, 100)
	})
	synctest.Test(t, func(t *testing.T) {
		half := mock.Cycle(mock.Script{}, mock.With(mock.Script{}, mock.Refuse(500, "odd")))
		profile := llmbench.Profile{Arrivals: llmbench.Constant(100), Requests: 400, FailureLimit: 0.5}
		result, err := llmbench.Do(t.Context(), mock.Start(t, half), profile)
		require.ErrorContains(t, err, "50 of the last 100 requests failed and FailureLimit is 0.5")
		require.Equal(t, 100, result.Counts.Sent)
		profile.FailureLimit = 0
		result, err = llmbench.Do(t.Context(), mock.Start(t, half), profile)
		require.NoError(t, err, "a server that answers half of them is not dead")
		require.Equal(t, 200, result.Counts.Error)
	})
	synctest.Test(t, func(t *testing.T) {
		refused := mock.With(mock.Script{}, mock.Refuse(429, "slow down"))
		result := llmbench.Run(t, mock.Start(t, refused), llmbench.Profile{
			Arrivals: llmbench.Constant(100), Requests: 400, FailureLimit: llmbench.NoFailureLimit,
		})
		require.Equal(t, 400, result.Counts.Rejected, "who asks for failures gets them")
	})
}

func TestADeadServerDoesNotSpin(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	result, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: "http://" + address}, llmbench.Profile{
		Arrivals: llmbench.Closed(4), Duration: time.Minute,
	})
	require.ErrorContains(t, err, "connection refused")
	require.Less(t, len(result.Records), 110)
}

// deadlined is a test whose time is nearly up.
type deadlined struct {
	*testing.T
	at     time.Time
	failed string
}

func (d *deadlined) Deadline() (time.Time, bool) { return d.at, true }
func (d *deadlined) Errorf(format string, args ...any) {
	d.failed = strings.TrimSpace(format)
	if len(args) == 1 {
		d.failed = args[0].(error).Error()
	}
}
func (d *deadlined) Context() context.Context { return context.Background() }

func TestARunEndsBeforeItsTestIsKilled(t *testing.T) {
	near := &deadlined{T: t, at: time.Now().Add(2500 * ms)}
	result := llmbench.Run(near, mock.Listen(t, mock.Script{TTFT: 50 * ms}), llmbench.Profile{
		Arrivals: llmbench.Closed(1), Requests: 1000, Output: llmbench.Tokens(1),
	})
	require.Contains(t, near.failed, "the test's deadline is 1s away; raise go test -timeout or make the run shorter")
	require.Positive(t, result.Counts.Sent)
	require.Less(t, result.Counts.Sent, 100, "what was measured is there, and it is partial")
	require.Contains(t, result.Stopped, "the test's deadline")
}

// The cool-down keeps the load up after the measured part, and is no part of it.
func TestCooldownGoesOnAfterTheMeasuredPart(t *testing.T) {
	for _, row := range []struct {
		why            string
		profile        llmbench.Profile
		measured, more int
		end            time.Duration
	}{
		{"after so many: due at 500, 600, ... 900 ms", llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 5, Cooldown: 500 * ms}, 5, 5, 500 * ms},
		{"after so long: due at 500, 600, 700 ms", llmbench.Profile{Arrivals: llmbench.Constant(10), Duration: 500 * ms, Cooldown: 300 * ms}, 5, 3, 500 * ms},
		{"from the end on, not from the first request after it: due at 500 and 600, until 690 ms", llmbench.Profile{Arrivals: llmbench.Constant(10), Duration: 450 * ms, Cooldown: 240 * ms}, 5, 2, 500 * ms},
		{"users go on: two each at 200, 300, 400 ms", llmbench.Profile{Arrivals: llmbench.Closed(2), Requests: 4, Cooldown: 250 * ms}, 4, 6, 200 * ms},
		{"users go on until the time is over", llmbench.Profile{Arrivals: llmbench.Closed(2), Duration: 200 * ms, Cooldown: 250 * ms}, 4, 6, 200 * ms},
		{"after warm-up too", llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 5, Warmup: llmbench.WarmupPart{Requests: 2}, Cooldown: 200 * ms}, 5, 2, 700 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			row.profile.Output = llmbench.Tokens(1)
			result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), row.profile)
			require.Equal(t, [2]int{row.measured, row.more}, [2]int{result.Counts.OK, result.Counts.Cooldown}, row.why)
			require.Equal(t, row.end, result.Window.To, row.why)
			last := result.Records[len(result.Records)-1]
			require.Equal(t, llmbench.Cooldown, last.Phase, row.why)
			require.Equal(t, llmbench.OK, last.Outcome, row.why)
		})
	}
}

// Slots are given back once: a second crowd, after the first is through, finds
// one slot again and not more.
func TestPrefillCapIsTheSameForTheSecondCrowd(t *testing.T) {
	rows := []llmbench.TraceRow{{At: 0}, {At: 0}, {At: 0}, {At: 20 * time.Second}, {At: 20 * time.Second}, {At: 20 * time.Second}}
	for i := range rows {
		rows[i].Input, rows[i].Output = 5, 5
	}
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms, ITL: time.Second}), llmbench.Profile{
			Arrivals: llmbench.Replay(&llmbench.Trace{Name: "crowds", Timed: true, Rows: rows}), MaxPrefill: 1,
		})
		require.Equal(t, []time.Duration{0, 100 * ms, 200 * ms, 20000 * ms, 20100 * ms, 20200 * ms}, sent(result))
	})
}

func TestASessionStopsAtTheEndOfDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), llmbench.Profile{
			Arrivals: llmbench.Closed(1), Duration: 250 * ms, Output: llmbench.Tokens(1), Sessions: llmbench.Sessions{Turns: llmbench.Tokens(9)},
		})
		require.Equal(t, []time.Duration{0, 100 * ms, 200 * ms}, sent(result), "the turn of 300 ms would come after it")
		require.Equal(t, [2]int{3, 0}, [2]int{result.Counts.OK, result.Counts.Unsent})
	})
}
