//go:build linux

package http1

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server speaks raw bytes: answer is given each connection and the request it
// reads there, and returns whether to read another.
func server(t *testing.T, answer func(conn net.Conn, r *http.Request) (another bool)) (address string, opened *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	opened = new(atomic.Int32)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			opened.Add(1)
			all.Go(func() {
				defer conn.Close()
				for in := bufio.NewReader(conn); ; {
					r, err := http.ReadRequest(in)
					if err != nil || !answer(conn, r) {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() { listener.Close(); all.Wait() })
	return listener.Addr().String(), opened
}

// says is an answer that reads the request and sends one text.
func says(text string, another bool) func(net.Conn, *http.Request) bool {
	return func(conn net.Conn, r *http.Request) bool {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(conn, text)
		return another
	}
}

// seen is a sink that keeps what it is given.
type seen struct {
	status int
	body   strings.Builder
	ends   int
	onBody func() error
}

func (s *seen) Head(r *http.Response) error { s.status = r.StatusCode; return nil }
func (s *seen) End()                        { s.ends++ }
func (s *seen) Body(p []byte) error {
	s.body.Write(p)
	if s.onBody != nil {
		return s.onBody()
	}
	return nil
}

func client(t *testing.T, o Options) *Client {
	t.Helper()
	c := New(o)
	t.Cleanup(c.CloseIdle)
	return c
}

func post(t *testing.T, ctx context.Context, address, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/v1", strings.NewReader(body))
	require.NoError(t, err)
	return r
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func TestReplies(t *testing.T) {
	for _, c := range []struct {
		why, answer string
		another     bool
		status      int
		body, err   string // err: part of the text; empty: none
		reused      bool
	}{
		{"a known length", ok, true, 200, "ok", "", true},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", true, 200, "abc", "", true},
		{"no body at all", "HTTP/1.1 204 No Content\r\n\r\n", true, 204, "", "", true},
		{"to the connection's end", "HTTP/1.1 200 OK\r\n\r\nall of it", false, 200, "all of it", "", false},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", true, 200, "ok", "", false},
		{"the server wants to close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", true, 200, "ok", "", false},
		{"interim replies come first", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok, true, 200, "ok", "", true},
		{"line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", true, 200, "ok", "", true},
		{"more than was promised", ok + "more", true, 200, "ok", "", false},
		{"less than was promised", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", false, 200, "ok", "unexpected EOF", false},
		{"cut between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", false, 200, "a", "unexpected EOF", false},
		{"cut in the head", "HTTP/1.1 200", false, 0, "", "unexpected EOF", false},
		{"nothing", "", false, 0, "", "EOF", false},
		{"another protocol, which then waits", "SSH-2.0-OpenSSH\r\n", true, 0, "", "malformed HTTP response \"S", false},
		{"no header", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", true, 0, "", "malformed MIME header", false},
		{"a head without end", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*maxHead), true, 0, "", "headers are longer than", false},
		{"broken chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nzz\r\n", true, 200, "a", "malformed chunked encoding", false},
	} {
		t.Run(c.why, func(t *testing.T) {
			for _, slow := range []bool{false, true} {
				address, opened := server(t, func(conn net.Conn, r *http.Request) bool {
					if slow && len(c.answer) < 1000 { // byte by byte
						_, _ = io.Copy(io.Discard, r.Body)
						for i := range len(c.answer) {
							_, _ = io.WriteString(conn, c.answer[i:i+1])
						}
						return c.another
					}
					return says(c.answer, c.another)(conn, r)
				})
				to := client(t, Options{})
				for range 2 {
					var got seen
					err := to.Send(post(t, t.Context(), address, "hello"), &got)
					if c.err == "" {
						require.NoError(t, err)
					} else {
						require.ErrorContains(t, err, c.err)
					}
					require.Equal(t, c.status, got.status)
					require.Equal(t, c.body, got.body.String())
					require.Equal(t, c.err == "", got.ends == 1)
					if c.answer == ok+"more" {
						// The surplus may come with the reply or after it; either way the
						// connection is not used again once it was seen.
						require.Eventually(t, func() bool { return to.pollers[0].size() == 0 || !slow }, 5*time.Second, time.Millisecond)
					}
				}
				if c.reused {
					require.Equal(t, int32(1), opened.Load())
				} else {
					require.Equal(t, int32(2), opened.Load())
				}
				to.CloseIdle()
			}
		})
	}
}

func TestHooks(t *testing.T) {
	address, _ := server(t, says(ok, true))
	to := client(t, Options{})
	var order []string
	trace := &httptrace.ClientTrace{
		ConnectDone:          func(string, string, error) { order = append(order, "connected") },
		GotConn:              func(i httptrace.GotConnInfo) { order = append(order, fmt.Sprintf("connection, reused %v", i.Reused)) },
		GotFirstResponseByte: func() { order = append(order, "first byte") },
	}
	for range 2 {
		require.NoError(t, to.Send(post(t, httptrace.WithClientTrace(t.Context(), trace), address, ""), new(seen)))
	}
	require.Equal(t, []string{"connected", "connection, reused false", "first byte", "connection, reused true", "first byte"}, order)
}

// A request larger than what sockets hold waits for its reader, and can be given
// up while it does.
func TestLargeRequest(t *testing.T) {
	const size = 8 << 20
	read := make(chan struct{})
	address, _ := server(t, func(conn net.Conn, r *http.Request) bool {
		<-read
		n, _ := io.Copy(io.Discard, r.Body)
		text := fmt.Sprint(n)
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		return true
	})
	to := client(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, to.Send(post(t, ctx, address, strings.Repeat("x", size)), new(seen)), context.DeadlineExceeded)
	close(read)
	var got seen
	require.NoError(t, to.Send(post(t, t.Context(), address, strings.Repeat("x", size)), &got))
	require.Equal(t, fmt.Sprint(size), got.body.String())
}

// A server may refuse a request that it has not read; what it says is heard, and
// the connection, with half a request on it, is not used again.
func TestAnswerBeforeTheRequestIsRead(t *testing.T) {
	done := make(chan struct{})
	address, opened := server(t, func(conn net.Conn, r *http.Request) bool {
		_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
		<-done
		return false
	})
	defer close(done)
	to := client(t, Options{})
	for range 2 {
		var got seen
		require.NoError(t, to.Send(post(t, t.Context(), address, strings.Repeat("x", 32<<20)), &got))
		require.Equal(t, 413, got.status)
		require.Equal(t, "no", got.body.String())
	}
	require.Equal(t, int32(2), opened.Load())
}

// k users have k connections, and a request beyond waits for the first that is
// free, or for its context.
func TestPerHost(t *testing.T) {
	hold := make(chan struct{})
	address, opened := server(t, func(conn net.Conn, r *http.Request) bool {
		<-hold
		return says(ok, true)(conn, r)
	})
	to := client(t, Options{PerHost: 2})
	var all sync.WaitGroup
	var bad atomic.Int32
	for range 6 {
		all.Go(func() {
			if to.Send(post(t, t.Context(), address, ""), new(seen)) != nil {
				bad.Add(1)
			}
		})
	}
	require.Eventually(t, func() bool { return opened.Load() == 2 }, 5*time.Second, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, to.Send(post(t, ctx, address, ""), new(seen)), context.DeadlineExceeded)
	close(hold)
	all.Wait()
	require.Zero(t, bad.Load())
	require.Equal(t, int32(2), opened.Load())
}

// Of connections that fail, those that wait get the right to dial their own.
func TestPerHostAfterFailures(t *testing.T) {
	address, opened := server(t, says("", false))
	to := client(t, Options{PerHost: 1})
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() { _ = to.Send(post(t, t.Context(), address, ""), new(seen)) })
	}
	all.Wait()
	require.Equal(t, int32(5), opened.Load())
}

// An idle connection that the server closes is gone before the next request.
func TestIdleConnectionThatEnds(t *testing.T) {
	address, opened := server(t, says(ok, false))
	to := client(t, Options{})
	for n := range 3 {
		require.NoError(t, to.Send(post(t, t.Context(), address, ""), new(seen)))
		require.Eventually(t, func() bool { return to.pollers[0].size() == 0 }, 5*time.Second, time.Millisecond)
		require.Equal(t, int32(n+1), opened.Load())
	}
}

// One that was idle for too long is not used, though it lives.
func TestStaleConnection(t *testing.T) {
	address, opened := server(t, says(ok, true))
	to := client(t, Options{Idle: time.Nanosecond})
	for n := range 3 {
		require.NoError(t, to.Send(post(t, t.Context(), address, ""), new(seen)))
		require.Equal(t, int32(n+1), opened.Load())
	}
}

func TestSinkEndsTheExchange(t *testing.T) {
	address, opened := server(t, says(ok, true))
	to := client(t, Options{})
	mine := errors.New("mine")
	require.ErrorIs(t, to.Send(post(t, t.Context(), address, ""), &seen{onBody: func() error { return mine }}), mine)
	require.NoError(t, to.Send(post(t, t.Context(), address, ""), &seen{onBody: func() error { return Enough }}))
	require.NoError(t, to.Send(post(t, t.Context(), address, ""), new(seen)))
	require.Equal(t, int32(3), opened.Load(), "a reply that was not read to its end leaves no usable connection")
}

// Many at once, with ends of every kind: nothing is lost, mixed up or leaked.
func TestCrowd(t *testing.T) {
	address, _ := server(t, func(conn net.Conn, r *http.Request) bool {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
		return len(body)%3 != 0
	})
	to := client(t, Options{PerHost: 20})
	var all sync.WaitGroup
	var good, lost atomic.Int32
	for i := range 50 {
		all.Go(func() {
			for k := range 40 {
				body := fmt.Sprintf("user %d request %d%s", i, k, strings.Repeat("!", k))
				ctx, cancel := context.WithCancel(t.Context())
				if k%7 == 0 {
					cancel()
				}
				var got seen
				err := to.Send(post(t, ctx, address, body), &got)
				cancel()
				switch {
				case err == nil && got.body.String() == body:
					good.Add(1)
				case k%7 == 0 && errors.Is(err, context.Canceled):
				case errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "reset") || strings.Contains(err.Error(), "broken pipe"):
					lost.Add(1) // the server closed a kept connection meanwhile
				default:
					t.Errorf("%q came back as %q, %v", body, got.body.String(), err)
				}
			}
		})
	}
	all.Wait()
	require.Greater(t, int(good.Load()), 50*30/2)
	to.CloseIdle()
	require.Zero(t, to.pollers[0].size())
}

func TestTakes(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:8000/v1": true, "http://[::1]:1/": true, "https://127.0.0.1/": false,
		"http://me:pw@127.0.0.1/": false, "http://bücher.example/": false, "mock:80/v1": false, "http:///v1": false,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, want, New(Options{}).Takes(u), address)
	}
	require.False(t, (*Client)(nil).Takes(&url.URL{Scheme: "http", Host: "h"}))
}
