//go:build race

package http1

import (
	"errors"
	"syscall"
)

// Package syscall tells the race detector that what was written before a write is
// seen after the read of its bytes, as it is between a handler and a test in one
// process.

func sysRead(fd int, p []byte) (int, syscall.Errno) { return number(syscall.Read(fd, p)) }

func sysWrite(fd int, p []byte) (int, syscall.Errno) { return number(syscall.Write(fd, p)) }

func number(n int, err error) (int, syscall.Errno) {
	errno, _ := errors.AsType[syscall.Errno](err)
	return n, errno
}
