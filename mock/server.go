package mock

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/llmbench/go/mock/internal/pipenet"
)

// T is what Start and Listen need of a test; testing.TB has it.
type T interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Server is a running inference server. All methods are safe for concurrent
// use.
type Server struct {
	url    string
	model  string
	client *http.Client

	responder Responder
	ordered   bool
	loop      *loop
	listener  net.Listener
	running   sync.WaitGroup
	once      sync.Once
	health    atomic.Int64
	opened    atomic.Int64 // connections
	draining  atomic.Bool  // Shutdown was called: no connection is kept

	mu     sync.Mutex
	conns  map[*conn]struct{}
	closed bool

	seen map[uint64]int // how often an ID with a body came; under the loop's lock
}

// defaultModel is the model's name where neither script nor request has one.
const defaultModel = "mock"

// Start serves r over connections in memory, until the test ends or Close. Its
// Client is the only way in. Inside a testing/synctest bubble every time is
// exact; call Start in the bubble it is used in. (With a Responder whose answers
// depend on the order of arrival the headers are a nanosecond late, see the
// package's doc.)
//
// A responder that makes no sense, such as a Script with a negative time, fails
// the test.
func Start(t T, r Responder) *Server {
	t.Helper()
	l := pipenet.Listen()
	transport := &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) },
		MaxIdleConns:        0,
		MaxIdleConnsPerHost: manyConns,
		DisableCompression:  true,
	}
	return start(t, l, r, "http://mock.invalid/v1", transport)
}

// Listen is Start over TCP on a free port of the loopback address, for clients
// in other processes and for real time.
func Listen(t T, r Responder) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("mock: listen: %v", err)
		return nil
	}
	transport := &http.Transport{MaxIdleConnsPerHost: manyConns, DisableCompression: true}
	return start(t, l, r, "http://"+l.Addr().String()+"/v1", transport)
}

// manyConns keeps the connection of every user of a load test: net/http's
// default of 2 closes and dials all the time.
const manyConns = 1 << 16

func start(t T, l net.Listener, r Responder, url string, transport *http.Transport) *Server {
	t.Helper()
	s, err := Serve(l, r)
	if err != nil {
		l.Close()
		t.Fatalf("%v", err)
		return nil
	}
	s.url, s.client = url, &http.Client{Transport: transport}
	t.Cleanup(s.Close)
	return s
}

// Serve serves r on l, which it owns from then on, until Close. It returns an
// error, and leaves l alone, when r makes no sense. With a listener that does TLS
// the URL and the Client are the caller's to make.
func Serve(l net.Listener, r Responder) (*Server, error) {
	if r == nil {
		return nil, fmt.Errorf("mock: the responder is nil, want a Script or another Responder")
	}
	if err := validate(r); err != nil {
		return nil, err
	}
	var bound binding
	s := &Server{
		url:       "http://" + l.Addr().String() + "/v1",
		model:     modelOf(r),
		client:    &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: manyConns, DisableCompression: true}},
		responder: bound.bind(r),
		ordered:   orderMatters(r),
		listener:  l,
		conns:     map[*conn]struct{}{},
		seen:      map[uint64]int{},
	}
	s.health.Store(http.StatusOK)
	real := !inMemory(l)
	if real {
		makeRoom()
	}
	s.loop = newLoop(s.admit, bound.engines, real)
	s.running.Go(s.loop.run)
	s.running.Go(s.accept)
	return s, nil
}

// inMemory reports whether a listener is one of ours, which also means that time
// may be virtual.
func inMemory(l net.Listener) bool {
	_, ok := l.(*pipenet.Listener)
	return ok
}

// modelOf is the name of the model that a responder's replies carry.
func modelOf(r Responder) string {
	switch r := r.(type) {
	case Script:
		return cmp.Or(r.Model, defaultModel)
	case Engine:
		return cmp.Or(r.Reply.Model, defaultModel)
	case withFaults:
		return modelOf(r.next)
	}
	return defaultModel
}

// URL is the base of the API, ending in /v1.
func (s *Server) URL() string { return s.url }

// Client reaches the server. It keeps its connections, asks for no compression
// and has no time limit; it belongs to the server, and Close closes it.
func (s *Server) Client() *http.Client { return s.client }

// Model is the name of the model that is served.
func (s *Server) Model() string { return s.model }

// Close stops the server: it takes no more connections, closes those that are
// open, in the middle of a reply too, and returns when its goroutines are gone.
// It is idempotent, and the test's cleanup calls it.
func (s *Server) Close() {
	s.once.Do(func() {
		s.listener.Close()
		s.mu.Lock()
		s.closed = true
		for c := range s.conns {
			c.close()
		}
		s.mu.Unlock()
		s.loop.close()
		s.running.Wait()
	})
	s.client.CloseIdleConnections()
}

// Shutdown takes no more connections, lets the replies in flight end, and closes
// the server; those that are not over when ctx is done are cut off, and its error
// says how many.
func (s *Server) Shutdown(ctx context.Context) error {
	s.draining.Store(true)
	s.listener.Close()
	defer s.Close()
	for {
		change := s.loop.change()
		n := s.InFlight()
		if n == 0 {
			return nil
		}
		select {
		case <-change:
		case <-s.loop.quit:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("mock: shutdown: %d replies cut off: %w", n, ctx.Err())
		}
	}
}

// accept starts a goroutine for each connection.
func (s *Server) accept() {
	for {
		nc, err := s.listener.Accept()
		if err != nil {
			return
		}
		c := &conn{server: s, net: nc, in: bufio.NewReader(nc)}
		c.out.Conn, c.out.run = nc, s.running.Go
		if t, ok := nc.(interface{ TryWrite([]byte) (int, error) }); ok {
			c.out.try = t.TryWrite
		} else {
			c.out.try = tryWriter(nc)
		}
		if !s.register(c) {
			nc.Close()
			return
		}
		s.running.Go(func() {
			defer s.forget(c)
			c.serve()
		})
	}
}

// register reports false once the server is closed: a connection accepted at the
// last moment would be left open.
func (s *Server) register(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.conns[c] = struct{}{}
		s.opened.Add(1)
	}
	return !s.closed
}

func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// handle answers a request, or puts its reply on the way and returns it.
func (s *Server) handle(c *conn, r *Request) *stream {
	if p, ok := pages[r.Method+" "+r.Path]; ok {
		c.answer(p(s, r))
		return nil
	}
	wire, ok := protocols[r.Path]
	if !ok {
		c.refuse(http.StatusNotFound, fmt.Sprintf("mock: no such path: %s %s", r.Method, r.Path))
		return nil
	}
	if r.Method != http.MethodPost {
		c.refuse(http.StatusMethodNotAllowed, fmt.Sprintf("mock: %s takes POST, got %s", r.Path, r.Method))
		return nil
	}
	r.API = wire.api
	err := wire.parse(r)
	if err == nil {
		err = r.bounded()
	}
	if err != nil {
		c.answer(http.StatusBadRequest, jsonType, wire.fail(nil, http.StatusBadRequest, err.Error()))
		return nil
	}
	r.Choices = max(r.Choices, 1)
	r.InputTokens = countWords(r.Prompt)
	st := &stream{conn: c, req: r, wire: wire, place: -1, done: make(chan struct{})}
	r.Arrived = s.loop.now()
	r.Time = s.loop.start.Add(r.Arrived)
	st.created = r.Time.Unix()
	s.loop.arrive(st, s.ordered)
	return st
}

// admit has a numbered request answered. The loop calls it under its lock.
func (s *Server) admit(st *stream) {
	r := st.req
	key := r.hash()
	r.Nth = s.seen[key]
	s.seen[key]++
	st.reply = s.responder.Respond(r)
}

// SetHealth sets the status of /health, 200 from the start: a server that is
// there and not ready says 503.
func (s *Server) SetHealth(status int) { s.health.Store(int64(status)) }
