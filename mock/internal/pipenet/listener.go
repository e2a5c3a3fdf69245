package pipenet

import (
	"context"
	"net"
	"sync"
	"syscall"
)

// Listener accepts connections made by its own Dial. All methods are safe for
// concurrent use.
type Listener struct {
	backlog chan *Conn
	done    chan struct{}
	once    sync.Once
}

// Listen returns an open Listener.
func Listen() *Listener {
	return &Listener{backlog: make(chan *Conn), done: make(chan struct{})}
}

// Dial connects. It waits for Accept, and returns ECONNREFUSED once the
// Listener is closed.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := Pipe()
	select {
	case <-l.done:
		return nil, refused()
	default:
	}
	select {
	case l.backlog <- server:
		return client, nil
	case <-l.done:
		return nil, refused()
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: ctx.Err()}
	}
}

// refused is what dialling a port without a listener gives.
func refused() error {
	return &net.OpError{Op: "dial", Net: "pipe", Addr: addr("server"), Err: syscall.ECONNREFUSED}
}

// Accept waits for a Dial. It returns net.ErrClosed after Close.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.backlog:
		return c, nil
	case <-l.done:
		return nil, &net.OpError{Op: "accept", Net: "pipe", Err: net.ErrClosed}
	}
}

// Close stops accepting; connections that are open stay so. Idempotent.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr is a name, not an address.
func (l *Listener) Addr() net.Addr { return addr("server") }
