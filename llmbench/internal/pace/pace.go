// Package pace waits for an instant more exactly than Go's timers do. The
// runtime's poller rounds what it waits up to a millisecond (epoll_wait takes no
// less), so a timer on Linux comes 0.5 to 1 ms late even on an idle machine.
package pace

import (
	"runtime"
	"time"
)

// Lead is how long before an instant a timer must wake the caller of [Rest], so
// that the timer's own lateness does not matter: its p99 on a quiet two-core
// machine is 1.2 ms.
const Lead = 2 * time.Millisecond

// spin is the last stretch, which is not slept: the kernel wakes a thread about
// 0.06 ms late (50 µs are its timer slack), and a thread that comes back from a
// system call may have to find a processor.
const spin = 150 * time.Microsecond

// Rest spends a part of the time that is left until an instant, and returns
// before it: it sleeps in the kernel while there is enough, and else lets other
// goroutines run. Call it again until the time has come. It must not be called
// in a synctest bubble, whose clock stands still while a goroutine spins: see
// [Standing].
func Rest(left time.Duration) {
	if left > 2*spin {
		nap(left - spin)
		return
	}
	runtime.Gosched()
}

// Standing reports whether the clock stands still while goroutines run, as that
// of a synctest bubble does. A bubble begins in the year 2000 and would have to
// run for twenty years to be taken for the real world. A real clock that is set
// wrong moves on within a few calls.
func Standing() bool {
	start := time.Now()
	if start.Year() >= 2020 {
		return false
	}
	for range 10_000 {
		if time.Now() != start {
			return false
		}
	}
	return true
}
