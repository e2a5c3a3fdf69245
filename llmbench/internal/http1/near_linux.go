package http1

import (
	"context"
	"net"
	"net/http/httptrace"
	"net/netip"
	"os"
	"syscall"
)

// near connects to a loopback address that is written as a number, where the
// kernel has the connection before a connect that does not wait returns. Package
// net would wait for the runtime to say so, which the TTFT of every new stream
// has in it, and spend a dozen calls on making the socket its own and then ours.
// It reports false where package net is to find the way, or the words for why
// there is none.
func near(ctx context.Context, network, address string, trace *httptrace.ClientTrace) (s socket, ok bool) {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp" || !to.Addr().IsLoopback() || ctx.Err() != nil {
		return s, false
	}
	if trace.ConnectStart != nil {
		trace.ConnectStart(network, address)
	}
	fd, err := connected(to)
	if trace.ConnectDone != nil {
		trace.ConnectDone(network, address, err)
	}
	if err != nil {
		return s, false
	}
	return newSocket(fd, localAddr(fd), net.TCPAddrFromAddrPort(to)), true
}

func connected(to netip.AddrPort) (fd int, err error) {
	family, address := sockaddr(to)
	fd, err = syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, os.NewSyscallError("socket", err)
	}
	err = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
	if err == nil {
		err = syscall.Connect(fd, address)
	}
	if err == syscall.EINPROGRESS { // what this says is from before the other end answered
		err = syscall.Connect(fd, address)
	}
	if err != nil {
		syscall.Close(fd)
		return 0, os.NewSyscallError("connect", err)
	}
	return fd, nil
}

func sockaddr(a netip.AddrPort) (family int, s syscall.Sockaddr) {
	if ip := a.Addr().Unmap(); ip.Is4() {
		return syscall.AF_INET, &syscall.SockaddrInet4{Port: int(a.Port()), Addr: ip.As4()}
	}
	return syscall.AF_INET6, &syscall.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
}

// localAddr is the socket's own end.
func localAddr(fd int) net.Addr {
	own, _ := syscall.Getsockname(fd) // of a socket that is connected, it cannot fail
	switch own := own.(type) {
	case *syscall.SockaddrInet4:
		return &net.TCPAddr{IP: own.Addr[:], Port: own.Port}
	case *syscall.SockaddrInet6:
		return &net.TCPAddr{IP: own.Addr[:], Port: own.Port}
	}
	return nil
}
