package pace

import (
	"syscall"
	"time"
)

// nap sleeps in the kernel, past the runtime's poller. An interrupted sleep is a
// short one, which the caller makes up for.
func nap(d time.Duration) {
	left := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&left, nil)
}
