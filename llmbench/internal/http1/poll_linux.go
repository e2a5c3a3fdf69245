package http1

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// errAgain says that a call would have had to wait.
var errAgain = errors.New("not ready")

// A poller waits for many sockets in one goroutine and reads each that is ready.
// The goroutine and the two descriptors exist while there are sockets.
//
// It has an epoll of its own, level-triggered, so that one read per event is
// enough: what it leaves, a close that came with the last bytes included, is
// reported again. The runtime's poller is edge-triggered and needs a second read
// in vain. The runtime in turn waits for this epoll as for a socket; a goroutine
// that waited in the system call would keep the runtime's monitor busy. The calls
// below go past the runtime: none of them blocks.
type poller struct {
	mu    sync.Mutex
	conns []*conn // by descriptor: a map costs two more looks at memory for each event
	count int     // of those that are not nil
	epoll int
	file  *os.File // the epoll, for the runtime; nil: nothing runs
}

// newPollers makes one for each two processors: reading and decoding an event
// takes several microseconds, most of them in the system call.
func newPollers() []*poller {
	pollers := make([]*poller, max(1, runtime.GOMAXPROCS(0)/2))
	for i := range pollers {
		pollers[i] = new(poller)
	}
	return pollers
}

func (p *poller) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

// add begins to watch a connection's socket.
func (p *poller) add(fd int, c *conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		if err := p.start(); err != nil {
			return err
		}
	}
	event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}
	if err := syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, fd, &event); err != nil {
		p.stopIdle()
		return os.NewSyscallError("epoll_ctl", err)
	}
	p.conns = append(p.conns, make([]*conn, max(0, fd+1-len(p.conns)))...)
	p.conns[fd] = c
	p.count++
	return nil
}

// watched is the connection of a descriptor, nil for none.
func (p *poller) watched(fd int) *conn {
	if fd >= len(p.conns) {
		return nil
	}
	return p.conns[fd]
}

func (p *poller) start() error {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	if err := syscall.SetNonblock(epoll, true); err != nil { // so that the runtime takes it
		syscall.Close(epoll)
		return os.NewSyscallError("fcntl", err)
	}
	file := os.NewFile(uintptr(epoll), "epoll")
	raw, err := file.SyscallConn()
	if err == nil {
		err = file.SetReadDeadline(time.Time{}) // fails where the runtime did not take it
	}
	if err != nil {
		file.Close()
		return err
	}
	p.epoll, p.file = epoll, file
	go p.run(file, raw)
	return nil
}

// remove ends the watch; the caller closes the socket.
func (p *poller) remove(fd int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watched(fd) == nil {
		return
	}
	p.conns[fd] = nil
	p.count--
	_ = syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_DEL, fd, nil)
	p.stopIdle()
}

// stopIdle ends the goroutine when nothing is left to watch. It closes the file
// itself: Close would wait for it.
func (p *poller) stopIdle() {
	if p.count == 0 {
		_ = p.file.SetReadDeadline(time.Unix(1, 0))
		p.file, p.conns = nil, nil
	}
}

// wants asks to be told once when a socket takes bytes again.
func (p *poller) wants(fd int, events uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watched(fd) != nil {
		event := syscall.EpollEvent{Events: events, Fd: int32(fd)}
		_ = syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_MOD, fd, &event)
	}
}

const (
	readSize   = 64 << 10
	eventBatch = 128
)

// run serves events until stopIdle.
func (p *poller) run(file *os.File, raw syscall.RawConn) {
	defer file.Close()
	space, events := make([]byte, readSize), make([]syscall.EpollEvent, eventBatch)
	_ = raw.Read(func(epoll uintptr) bool {
		for {
			n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, epoll, uintptr(unsafe.Pointer(&events[0])), eventBatch, 0, 0, 0)
			if errno == syscall.EINTR {
				continue // to wait now could miss what is ready: the runtime is told of it once
			}
			if errno != 0 || n == 0 {
				return errno != 0
			}
			for _, e := range events[:n] {
				p.serve(e, space)
			}
		}
	})
}

func (p *poller) serve(e syscall.EpollEvent, space []byte) {
	p.mu.Lock()
	c := p.watched(int(e.Fd))
	p.mu.Unlock()
	if c == nil {
		return
	}
	if e.Events&syscall.EPOLLOUT != 0 {
		p.wants(int(e.Fd), syscall.EPOLLIN)
		select {
		case c.socket.free <- struct{}{}:
		default:
		}
	}
	if e.Events&^syscall.EPOLLOUT != 0 {
		c.ready(space)
	}
}

// socket is a connected, non-blocking socket that only its poller waits for.
type socket struct {
	fd     int
	poller *poller
	free   chan struct{} // says that it takes bytes again

	local, remote net.Addr // for errors
}

func newSocket(fd int, local, remote net.Addr) socket {
	return socket{fd: fd, free: make(chan struct{}, 1), local: local, remote: remote}
}

// taken has a descriptor of its own to a connection of package net, which the
// caller closes: the runtime's poller would wake for each event too.
func taken(dialled net.Conn) (socket, error) {
	raw, err := dialled.(syscall.Conn).SyscallConn()
	if err != nil {
		return socket{}, err
	}
	var own uintptr
	var errno syscall.Errno
	if err := raw.Control(func(fd uintptr) {
		own, _, errno = syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return socket{}, err
	}
	if errno != 0 {
		return socket{}, os.NewSyscallError("fcntl", errno)
	}
	return newSocket(int(own), dialled.LocalAddr(), dialled.RemoteAddr()), nil
}

// watch has the poller read the connection from now on.
func (s *socket) watch(c *conn) error { return s.poller.add(s.fd, c) }

// read returns errAgain where there is nothing, io.EOF at the end.
func (s *socket) read(p []byte) (int, error) {
	n, errno := sysRead(s.fd, p)
	if errno == 0 && n == 0 {
		return 0, io.EOF
	}
	return s.result("read", n, errno)
}

// write returns errAgain with how much of p was taken, which may be none.
func (s *socket) write(p []byte) (int, error) {
	n, errno := sysWrite(s.fd, p)
	return s.result("write", n, errno)
}

func (s *socket) result(name string, n int, errno syscall.Errno) (int, error) {
	switch errno {
	case 0:
		return n, nil
	case syscall.EAGAIN, syscall.EINTR:
		return 0, errAgain
	}
	return 0, &net.OpError{Op: name, Net: s.remote.Network(), Source: s.local, Addr: s.remote, Err: os.NewSyscallError(name, errno)}
}

// writable is a channel that says when the socket takes bytes again.
func (s *socket) writable() <-chan struct{} {
	s.poller.wants(s.fd, syscall.EPOLLIN|syscall.EPOLLOUT)
	return s.free
}

func (s *socket) close() {
	s.poller.remove(s.fd)
	syscall.Close(s.fd)
}
