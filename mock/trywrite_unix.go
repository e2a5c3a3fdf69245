//go:build unix

package mock

import (
	"net"
	"syscall"
)

// tryWriter writes to a socket what its buffer takes, with one system call and
// no wait.
func tryWriter(c net.Conn) func([]byte) (int, error) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return neverFits
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return neverFits
	}
	var (
		buf  []byte
		n    int
		fail error
	)
	write := func(fd uintptr) bool {
		n, fail = syscall.Write(int(fd), buf)
		return true // never wait for room
	}
	return func(b []byte) (int, error) {
		buf, n, fail = b, 0, nil
		if err := raw.Write(write); err != nil {
			return 0, err
		}
		buf = nil
		switch fail {
		case nil:
			return n, nil
		case syscall.EAGAIN, syscall.EINTR:
			return 0, nil
		}
		return 0, fail
	}
}
