package wire

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	read := closer(t, listener, func(int) bool { return true })
	transport := NewTransport(1)
	call := Call{Client: &http.Client{Transport: transport}, URL: "http://" + listener.Addr().String() + "/v1/chat/completions"}
	var attempts []int
	for range 3 {
		reply := call.Do(t.Context(), Request{Messages: []Message{{Content: "hi"}}})
		require.Equal(t, OutcomeOK, reply.Outcome, reply.Err)
		attempts = append(attempts, reply.Attempts)
		require.Equal(t, reply.Attempts > 1, reply.Note == "sent on 2 connections: a kept one had been closed", reply.Note)
	}
	transport.CloseIdleConnections()
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
