package mock

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Tokens of replies that have begun share the loop's wake-ups; a first token and
// an arrival are not held up by that.
func TestOnlyLaterTokensWaitForTheTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoop(nil, nil, false)
		defer l.alarm.stop()
		l.tick, l.rang = realTick, 0
		add := func(number, said int, due time.Duration) {
			l.schedule(&stream{req: &Request{Number: number}, place: -1, ready: true, said: said, due: due})
			l.arm()
		}
		add(0, 1, 100*time.Microsecond)
		require.Equal(t, realTick, l.armed)
		add(1, 0, 300*time.Microsecond)
		require.Equal(t, 300*time.Microsecond, l.armed)
		l.inbox = append(l.inbox, visit{at: 200 * time.Microsecond})
		l.arm()
		require.Equal(t, 200*time.Microsecond+1, l.armed)
	})
}

// What is due at one instant leaves in the order of the numbers, whether it is a
// reply's first token or a later one.
func TestFirstAndLaterTokensKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoop(nil, nil, false)
		defer l.alarm.stop()
		for number, said := range []int{1, 0, 1, 0} {
			l.schedule(&stream{req: &Request{Number: number}, place: -1, ready: true, said: said, due: ms})
		}
		var order []int
		for next, ok := l.nearest(0); ok; next, ok = l.nearest(0) {
			order = append(order, next.number)
			l.unschedule(next.stream)
		}
		require.Equal(t, []int{0, 1, 2, 3}, order)
	})
}
