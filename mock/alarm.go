package mock

import "time"

// alarm wakes the loop's goroutine. Setting it again replaces the instant; set
// may be called while another goroutine waits.
type alarm interface {
	set(d time.Duration) // from now on; at once when d is not above 0
	wait(quit <-chan struct{}) bool
	stop()
}

// timerAlarm is Go's own timer: exact in virtual time. In real time it is late by
// half a millisecond on the mean where nothing else keeps the process awake,
// since the runtime waits in whole milliseconds.
type timerAlarm struct{ timer *time.Timer }

// newTimerAlarm is armed for an hour, which is as good as never: the loop sets it
// before anything can be due.
func newTimerAlarm() alarm { return timerAlarm{time.NewTimer(time.Hour)} }

func (a timerAlarm) set(d time.Duration) { a.timer.Reset(d) }
func (a timerAlarm) stop()               { a.timer.Stop() }

func (a timerAlarm) wait(quit <-chan struct{}) bool {
	select {
	case <-a.timer.C:
		return true
	case <-quit:
		return false
	}
}
