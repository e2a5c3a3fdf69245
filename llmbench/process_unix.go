//go:build unix

package llmbench

import (
	"os"
	"syscall"
	"time"
)

// processCPU is the CPU time that the process has used, in user and kernel mode.
func processCPU() Known[time.Duration] {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return Known[time.Duration]{}
	}
	return Is(time.Duration(usage.Utime.Nano() + usage.Stime.Nano()))
}

// openFiles is how many file descriptors are open and how many may be. The
// number comes from /dev/fd, which Linux, macOS and the BSDs have.
func openFiles() (open, limit Known[int]) {
	var bound syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &bound); err == nil {
		limit = Is(int(min(uint64(bound.Cur), 1<<30)))
	}
	folder, err := os.Open("/dev/fd")
	if err != nil {
		return open, limit
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return open, limit
	}
	return Is(len(names) - 1), limit // without the folder itself
}
