// Package coordinatedomission shows one and the same server to three load
// generators. The server answers in 50 ms, and stands still for two of its
// thirty seconds. How bad was it? It depends on who asks:
//
//   - a closed loop waits for the frozen server and sends nothing meanwhile: one
//     slow request of hundreds, and p99 says all is well;
//   - an open loop with too few slots measures from the send and sees four; the
//     others wait in its own queue, where that clock does not run;
//   - an open loop sends on schedule: all who came in those two seconds waited.
//
// The effective metrics start at the schedule, so that the second shows what its
// users felt, its own queue included, which the first cannot.
package coordinatedomission

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// frozen answers in 50 ms, but not between the seconds 10 and 12: whatever is
// due then is answered when it thaws.
func frozen(r *mock.Request) mock.Reply {
	const service, from, to = 50 * time.Millisecond, 10 * time.Second, 12 * time.Second
	due := r.Arrived + service
	if r.Arrived < to && due > from {
		due = to + service
	}
	return mock.Script{TTFT: due - r.Arrived, Output: 1}.Respond(r)
}

func TestOneServerThreeStories(t *testing.T) {
	var report strings.Builder
	fmt.Fprintf(&report, "%-22s %9s %22s %22s %14s\n", "", "", "TTFT from send", "TTFT from schedule", "felt over 1 s")
	fmt.Fprintf(&report, "%-22s %9s %10s %11s %10s %11s %6s %7s\n", "load", "requests", "p99", "max", "p99", "max", "send", "sched.")
	over := map[string][2]int{}
	for _, load := range []struct {
		name    string
		profile llmbench.Profile
	}{
		{"closed loop, 1 user", llmbench.Profile{Arrivals: llmbench.Closed(1)}},
		{"open loop, 4 slots", llmbench.Profile{Arrivals: llmbench.Constant(20), MaxInFlight: 4}},
		{"open loop", llmbench.Profile{Arrivals: llmbench.Constant(20)}},
	} {
		synctest.Test(t, func(t *testing.T) {
			load.profile.Duration = 30 * time.Second
			server := mock.Start(t, mock.ResponderFunc(frozen))
			result := llmbench.Run(t, server, load.profile)
			sent, felt := result.Stats(llmbench.TTFT), result.Stats(llmbench.EffectiveTTFT)
			counts := [2]int{}
			for _, r := range result.Records {
				first, _ := r.FirstContent()
				if first-r.Sent.Or(0) > time.Second {
					counts[0]++
				}
				if first-r.Scheduled.Or(0) > time.Second {
					counts[1]++
				}
			}
			over[load.name] = counts
			fmt.Fprintf(&report, "%-22s %9d %7.0f ms %8.0f ms %7.0f ms %8.0f ms %6d %7d\n", load.name, result.Counts.OK,
				sent.Quantile(0.99).Or(-1), sent.Max().Or(-1), felt.Quantile(0.99).Or(-1), felt.Max().Or(-1), counts[0], counts[1])
			judged(t, load.name, assert.NoCoordinatedOmission{}.Check(result))
		})
	}
	t.Logf("\n%s", report.String())

	require.Equal(t, [2]int{1, 1}, over["closed loop, 1 user"], "one user, one victim")
	require.Equal(t, 4, over["open loop, 4 slots"][0], "four slots, four victims, from the send")
	require.Equal(t, [2]int{21, 21}, over["open loop"], "20 a second came for the first of two seconds, and one was in service")
	require.Equal(t, 27, over["open loop, 4 slots"][1], "the same 21, and 6 more while four slots worked off the queue")
}

// judged holds the claim to what it must say of each load: a closed loop is a
// bad claim, a full cap fails, the open loop holds.
func judged(t *testing.T, name string, v assert.Verdict) {
	t.Helper()
	t.Logf("%s:\n%v", name, v)
	want := map[string]assert.State{
		"closed loop, 1 user": assert.CannotJudge, "open loop, 4 slots": assert.Fails, "open loop": assert.Holds,
	}
	require.Equal(t, want[name], v.State)
}
