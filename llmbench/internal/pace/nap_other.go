//go:build !linux

package pace

import (
	"runtime"
	"time"
)

// nap gives the processor to others: where there is no sleep that is known to be
// exact, the whole wait is spun.
func nap(time.Duration) { runtime.Gosched() }
