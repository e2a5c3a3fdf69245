package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A real net/http server over in-memory connections, so that a test in a bubble
// has exact times.

// pipes is a listener whose connections are net.Pipes, and the dialer that
// fills it.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	dialed atomic.Int32
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

func (p *pipes) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	reset := new(atomic.Bool)
	select {
	case p.conns <- &serverEnd{server, reset}:
		p.dialed.Add(1)
		return &clientEnd{client, reset}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, syscall.ECONNREFUSED
	}
}

// serverEnd can be reset, which the client end then sees as TCP would show it.
type serverEnd struct {
	net.Conn
	reset *atomic.Bool
}

type clientEnd struct {
	net.Conn
	reset *atomic.Bool
}

func (c *clientEnd) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) && c.reset.Load() {
		err = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
	return n, err
}

// serve starts a server for the test and returns what reaches it. The test's
// end closes both.
func serve(t *testing.T, handler http.HandlerFunc) (*http.Client, *pipes) {
	t.Helper()
	p := newPipes()
	server := &http.Server{Handler: handler}
	done := make(chan error, 1)
	go func() { done <- server.Serve(p) }()
	transport := NewTransport(64)
	transport.DialContext = p.DialContext
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		<-done
	})
	return &http.Client{Transport: transport}, p
}

// script is a reply whose bytes leave at given times.
type script struct {
	status int
	header http.Header
	body   []byte
	writes []write
	end    string // eof, stall, reset
	endAt  time.Duration
}

type write struct {
	at       time.Duration
	from, to int
}

// play sends the script. Times count from the request's arrival and are
// absolute, so they do not add up errors.
func (s script) play(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	io.Copy(io.Discard, r.Body)
	for name, values := range s.header {
		w.Header()[name] = values
	}
	status := s.status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	control := http.NewResponseController(w)
	control.Flush()
	for _, part := range s.writes {
		time.Sleep(part.at - time.Since(start))
		w.Write(s.body[part.from:part.to])
		control.Flush()
	}
	switch s.end {
	case "stall":
		<-r.Context().Done()
	case "reset":
		time.Sleep(s.endAt - time.Since(start))
		conn, _, err := control.Hijack()
		if err != nil {
			panic(err)
		}
		reset(conn)
	}
}

// reset closes a connection so that the other side sees it reset.
func reset(conn net.Conn) {
	switch c := conn.(type) {
	case *serverEnd:
		c.reset.Store(true)
	case *net.TCPConn:
		c.SetLinger(0)
	}
	conn.Close()
}

// whole is the script that sends all at once.
func whole(contentType, body string) script {
	return script{
		header: http.Header{"Content-Type": {contentType}},
		body:   []byte(body),
		writes: []write{{0, 0, len(body)}},
	}
}

// clock is a run's monotonic clock.
func clock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
