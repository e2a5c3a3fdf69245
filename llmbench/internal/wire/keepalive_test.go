package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// closer is a server that promises to keep its connections and closes each
// after one reply, but only once the next request has come: the moment in which
// a client that keeps connections loses. It returns how many requests it read.
func closer(t *testing.T, listener net.Listener, answerOf func(nth int) bool) <-chan int {
	read := make(chan int, 1)
	go func() {
		nth := 0
		defer func() { read <- nth }()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(conn)
			for first := true; ; first = false {
				request, err := http.ReadRequest(in)
				if err != nil {
					break
				}
				_, _ = in.Discard(int(request.ContentLength))
				nth++
				if !first || !answerOf(nth) {
					break
				}
				const body = `{"choices":[{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}]}`
				fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nKeep-Alive: timeout=5\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			}
			conn.Close()
		}
	}()
	return read
}

func TestKeptConnectionThatWasClosedIsNoFailure(t *testing.T) {
	testClosedMeanwhile(t, func(*Call) {})
}

func testClosedMeanwhile(t *testing.T, set func(*Call)) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	read := closer(t, listener, func(int) bool { return true })
	transport := NewTransport(1)
	call := Call{Client: &http.Client{Transport: transport}, URL: "http://" + listener.Addr().String() + "/v1/chat/completions"}
	set(&call)
	var attempts []int
	for range 3 {
		reply := call.Do(t.Context(), Request{Messages: []Message{{Content: "hi"}}})
		require.Equal(t, OutcomeOK, reply.Outcome, reply.Err)
		attempts = append(attempts, reply.Attempts)
		require.Equal(t, reply.Attempts > 1, reply.Note == "sent on 2 connections: a kept one had been closed", reply.Note)
	}
	transport.CloseIdleConnections()
	call.Direct.CloseIdle()
	require.NoError(t, listener.Close())
	require.Equal(t, []int{1, 2, 2}, attempts, "sent again, and said so")
	require.Equal(t, 5, <-read)
}

// A new connection that breaks is the server's doing and stays an error: one
// request, one attempt.
func TestNewConnectionThatBreaksIsAnError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	read := closer(t, listener, func(int) bool { return false })
	call := Call{Client: &http.Client{Transport: NewTransport(1)}, URL: "http://" + listener.Addr().String() + "/v1/chat/completions"}
	reply := call.Do(t.Context(), Request{Messages: []Message{{Content: "hi"}}})
	require.Equal(t, OutcomeError, reply.Outcome)
	require.Equal(t, 1, reply.Attempts)
	require.NoError(t, listener.Close())
	require.Equal(t, 1, <-read)
}

// stale is a transport that hands out kept connections which break as one does
// under a request that is larger than net/http's buffer: after a part of it was
// written, so that net/http itself gives up.
type stale struct {
	http.RoundTripper
	breaks int
	reused bool
	err    error
}

func (s *stale) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.breaks == 0 {
		return s.RoundTripper.RoundTrip(r)
	}
	s.breaks--
	_, _ = io.CopyN(io.Discard, r.Body, 10)
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Reused: s.reused})
	return nil, s.err
}

func TestLargeRequestOnAClosedConnectionIsSentAgain(t *testing.T) {
	closed := &net.OpError{Op: "write", Net: "tcp", Err: net.ErrClosed}
	for _, c := range []struct {
		why      string
		stale    stale
		outcome  Outcome
		attempts int
	}{
		{"two kept connections were closed", stale{breaks: 2, reused: true, err: closed}, OutcomeOK, 3},
		{"a new connection that breaks is the server's doing", stale{breaks: 1, err: closed}, OutcomeError, 1},
		{"nor is every error one of the connection", stale{breaks: 1, reused: true, err: errors.New("certificate expired")}, OutcomeError, 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			var got []byte
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got, _ = io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}]}`)
			}))
			defer server.Close()
			c.stale.RoundTripper = NewTransport(1)
			call := Call{Client: &http.Client{Transport: &c.stale}, URL: server.URL + "/v1/chat/completions"}
			reply := call.Do(t.Context(), Request{Messages: []Message{{Content: strings.Repeat("word ", 2000)}}})
			require.Equal(t, c.outcome, reply.Outcome, reply.Err)
			require.Equal(t, c.attempts, reply.Attempts)
			if c.outcome == OutcomeOK {
				require.Contains(t, string(got), strings.Repeat("word ", 2000), "from its start")
			}
		})
	}
}
