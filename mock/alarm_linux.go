package mock

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// fdAlarm is a timer of the kernel that the runtime waits for as it waits for
// sockets. It is late by tens of microseconds. Sleeping in a system call of our
// own is as exact, but was dropped: it keeps the runtime's monitor thread busy.
// For the same reason the calls below go past the runtime; none of them blocks.
type fdAlarm struct {
	file *os.File
	raw  syscall.RawConn
	fd   uintptr
}

// newRealAlarm returns the alarm for real time, Go's timer when the system has no
// better.
func newRealAlarm() alarm {
	const monotonic = 1
	fd, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, monotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return newTimerAlarm()
	}
	file := os.NewFile(fd, "timerfd")
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return newTimerAlarm()
	}
	return &fdAlarm{file: file, raw: raw, fd: fd}
}

// set is called under the loop's lock, and before stop only.
func (a *fdAlarm) set(d time.Duration) {
	// struct itimerspec: the interval, which stays 0, and the first expiry, where 0
	// would mean never.
	spec := [2]syscall.Timespec{{}, syscall.NsecToTimespec(max(int64(d), 1))}
	syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, a.fd, 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
}

func (a *fdAlarm) wait(quit <-chan struct{}) bool {
	var expired [8]byte
	woken := false
	err := a.raw.Read(func(fd uintptr) bool {
		if woken {
			return true // not worth a read: the next set forgets the count
		}
		woken = true
		n, _, _ := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(&expired)), uintptr(len(expired)))
		return int(n) == len(expired)
	})
	if err != nil {
		return false // closed by stop
	}
	select {
	case <-quit:
		return false
	default:
		return true
	}
}

func (a *fdAlarm) stop() { a.file.Close() }
