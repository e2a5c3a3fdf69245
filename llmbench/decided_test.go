package llmbench_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// The watch sees every measured request that ended and no warm-up, is told how
// many are planned, and its word ends the run: what is in flight is cancelled,
// what is left is unsent with the reason, and nothing is an error.
func TestWatchEndsTheRun(t *testing.T) {
	for _, arrivals := range []llmbench.Arrivals{llmbench.Closed(2), llmbench.Constant(20)} {
		synctest.Test(t, func(t *testing.T) {
			var seen []llmbench.Outcome
			planned := 0
			result, err := llmbench.Do(t.Context(), mock.Start(t, mock.Script{TTFT: 95 * time.Millisecond}), llmbench.Profile{
				Arrivals: arrivals, Requests: 50, Warmup: llmbench.WarmupPart{Requests: 4},
				StopWhenDecided: func(n int) llmbench.Watch {
					planned = n
					return func(r *llmbench.Record) string {
						seen = append(seen, r.Outcome)
						if len(seen) == 10 {
							return "ten are enough"
						}
						return ""
					}
				},
			})
			require.NoError(t, err, arrivals)
			require.Equal(t, 50, planned)
			require.Equal(t, 10, result.Counts.OK)
			require.Equal(t, 4, result.Counts.Warmup)
			require.Equal(t, "ten are enough", result.Decided)
			require.Empty(t, result.Stopped)
			require.Equal(t, 50, result.Counts.Planned)
			require.Equal(t, 50, result.Counts.OK+result.Counts.Cancelled+result.Counts.Unsent, "each is counted once")
			require.LessOrEqual(t, result.Counts.Cancelled, 2)
			last := result.Records[len(result.Records)-1]
			require.Equal(t, llmbench.Unsent, last.Outcome)
			require.Equal(t, "the verdict was decided before: ten are enough", last.Error)
		})
	}
}

// A request that is due at the very instant of the decision leaves, each time: the
// third of these ends when the ninth is due.
func TestWhatIsDueWhenTheRunIsDecidedLeaves(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			left := 3
			result, err := llmbench.Do(t.Context(), mock.Start(t, mock.Script{TTFT: 60 * time.Millisecond}), llmbench.Profile{
				Arrivals: llmbench.Constant(100), Requests: 50, Output: llmbench.Tokens(1),
				StopWhenDecided: func(int) llmbench.Watch {
					return func(*llmbench.Record) string {
						if left--; left == 0 {
							return "three are enough"
						}
						return ""
					}
				},
			})
			require.NoError(t, err)
			require.Equal(t, 3, result.Counts.OK)
			require.Equal(t, 6, result.Counts.Cancelled, "sent at 30 to 80 ms")
			require.Equal(t, 41, result.Counts.Unsent)
		})
	}
}

// Validate says what Plan says, without the plan.
func TestValidateAgreesWithPlan(t *testing.T) {
	for _, profile := range []llmbench.Profile{
		{}, {Requests: 5}, {Requests: -1}, {Arrivals: llmbench.Poisson(-1), Requests: 1}, {Requests: 1, Input: llmbench.Tokens(0)},
	} {
		_, planned := llmbench.Plan(profile)
		require.Equal(t, planned, profile.Validate())
	}
}
