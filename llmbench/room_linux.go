package llmbench

import "syscall"

// room is for how many connections makeRoom makes room where a load does not say
// how many it can have: 128 KiB of the kernel's.
const room = 16 << 10

// makeRoom has the kernel's table of this process's files hold as many more as a
// load may open. The kernel doubles the table when a file does not fit, and then
// waits until no processor looks at the old one: with two cores, the connections
// that came to be file 256 and 512 took 10 ms, in which nothing else could be
// opened, and the dozen requests after them left late. The same before the clock
// starts costs nobody anything. Where it cannot be done, it happens as before.
func makeRoom(connections int) {
	var bound syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &bound); err != nil || bound.Cur == 0 {
		return
	}
	if connections <= 0 {
		connections = room
	}
	fd, err := syscall.Open("/dev/null", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	last := min(uint64(fd+connections), bound.Cur-1)
	if high, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, uintptr(last)); errno == 0 {
		syscall.Close(int(high))
	}
}
