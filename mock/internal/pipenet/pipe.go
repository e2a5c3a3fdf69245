package pipenet

import (
	"net"
	"os"
	"sync"
	"syscall"
)

// pipe is one direction of a connection: bytes in a buffer, with a signal for
// the side that waits. A signal is a token in a channel of capacity 1: it is
// never lost, and whoever takes it looks at the state again.
type pipe struct {
	mu    sync.Mutex
	buf   []byte
	start int // buf[start:] is unread
	limit int // write blocks when so many bytes are unread
	end   error
	gone  bool // the reader closed its end

	readable chan struct{}
	writable chan struct{}
	readBy   deadline
	writeBy  deadline
}

func newPipe(limit int) *pipe {
	return &pipe{
		limit:    limit,
		readable: make(chan struct{}, 1),
		writable: make(chan struct{}, 1),
	}
}

// signal leaves a token, or does nothing when one is there.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// read copies what is there, and waits when nothing is. What was written before
// the writer's end is delivered before the end's error.
func (p *pipe) read(b []byte) (int, error) {
	for {
		n, err, ready := p.take(b)
		if ready {
			return n, err
		}
		select {
		case <-p.readable:
		case <-p.readBy.wait():
			return 0, os.ErrDeadlineExceeded
		}
	}
}

// take is read without waiting; ready says that there is something to return.
func (p *pipe) take(b []byte) (n int, err error, ready bool) {
	if p.readBy.passed() {
		return 0, os.ErrDeadlineExceeded, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.gone:
		signal(p.readable) // another reader may wait too
		return 0, net.ErrClosed, true
	case len(b) == 0:
		return 0, nil, true
	case p.start < len(p.buf):
		n = copy(b, p.buf[p.start:])
		p.advance(n)
		signal(p.writable)
		if p.start < len(p.buf) {
			signal(p.readable)
		}
		return n, nil, true
	case p.end != nil:
		signal(p.readable)
		return 0, p.end, true
	}
	return 0, nil, false
}

// advance forgets n bytes, and gives the array back for reuse once it is empty.
func (p *pipe) advance(n int) {
	p.start += n
	if p.start == len(p.buf) {
		p.buf, p.start = p.buf[:0], 0
	}
}

// write blocks until all of b is in the buffer, the deadline passes, or one of
// the ends is closed. It returns how much got in.
func (p *pipe) write(b []byte) (int, error) {
	total := 0
	for {
		n, err := p.try(b[total:])
		total += n
		if err != nil || total == len(b) {
			return total, err
		}
		select {
		case <-p.writable:
		case <-p.writeBy.wait():
			return total, os.ErrDeadlineExceeded
		}
	}
}

// try takes as much of b as fits and never waits.
func (p *pipe) try(b []byte) (int, error) {
	if p.writeBy.passed() {
		return 0, os.ErrDeadlineExceeded
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.end != nil:
		signal(p.writable)
		return 0, net.ErrClosed
	case p.gone:
		signal(p.writable)
		return 0, syscall.EPIPE
	}
	n := min(len(b), p.limit-(len(p.buf)-p.start))
	if n <= 0 {
		return 0, nil
	}
	p.makeRoom(n)
	p.buf = append(p.buf, b[:n]...)
	signal(p.readable)
	return n, nil
}

// makeRoom moves the unread bytes to the front when that saves growing.
func (p *pipe) makeRoom(n int) {
	if p.start > 0 && len(p.buf)+n > cap(p.buf) {
		p.buf = p.buf[:copy(p.buf, p.buf[p.start:])]
		p.start = 0
	}
}

// setLimit changes how many bytes may wait unread.
func (p *pipe) setLimit(n int) {
	p.mu.Lock()
	p.limit = n
	p.mu.Unlock()
	signal(p.writable)
}

// unread reports how many bytes wait for the reader.
func (p *pipe) unread() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.buf) - p.start
}

// closeWrite ends the stream: io.EOF, or ECONNRESET for a reset. The first end
// stays.
func (p *pipe) closeWrite(end error) {
	p.mu.Lock()
	if p.end == nil {
		p.end = end
	}
	p.mu.Unlock()
	p.writeBy.stop()
	signal(p.readable)
	signal(p.writable)
}

// closeRead makes reads fail here and writes fail at the other side.
func (p *pipe) closeRead() {
	p.mu.Lock()
	p.gone = true
	p.buf, p.start = nil, 0
	p.mu.Unlock()
	p.readBy.stop()
	signal(p.readable)
	signal(p.writable)
}
