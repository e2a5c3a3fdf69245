package pace

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClockOfABubbleStands(t *testing.T) {
	require.False(t, Standing(), "the real clock moves")
	synctest.Test(t, func(t *testing.T) {
		require.True(t, Standing())
		start := time.Now()
		time.Sleep(time.Second)
		require.Equal(t, time.Second, time.Since(start), "and asking does not spoil it")
	})
}

// Never early, and better than a timer: of 50 waits of 3 ms, the median comes
// later by less than half of what time.Sleep takes too long, unless that is
// exact already. A busy machine may spoil an attempt, not five.
func TestRestEndsAtTheInstant(t *testing.T) {
	late := func(wait func(time.Time)) time.Duration {
		var all []time.Duration
		for range 50 {
			due := time.Now().Add(3 * time.Millisecond)
			wait(due)
			all = append(all, time.Since(due))
		}
		slices.Sort(all)
		require.GreaterOrEqual(t, all[0], time.Duration(0))
		return all[len(all)/2]
	}
	for range 5 {
		exact := late(func(due time.Time) {
			for left := time.Until(due); left > 0; left = time.Until(due) {
				Rest(left)
			}
		})
		timer := late(func(due time.Time) { time.Sleep(time.Until(due)) })
		t.Logf("late by %v at rest, by %v with a timer", exact, timer)
		if exact < max(timer/2, 100*time.Microsecond) {
			return
		}
	}
	t.Fatal("no attempt was more exact than a timer")
}
