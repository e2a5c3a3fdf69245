package wire

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTracer plays the hooks of one request by hand: two addresses are dialled,
// one wins, the other is cancelled after that.
func TestTracer(t *testing.T) {
	now := time.Duration(0)
	tr := tracer{now: func() time.Duration { now += time.Millisecond; return now }}
	h := tr.hooks()
	h.DNSStart(httptrace.DNSStartInfo{})              // 1
	h.DNSDone(httptrace.DNSDoneInfo{})                // 2
	h.ConnectStart("tcp", "[::1]:1")                  // 3
	h.ConnectStart("tcp", "127.0.0.1:1")              // 4
	h.ConnectDone("tcp", "127.0.0.1:1", nil)          // 5
	h.ConnectDone("tcp", "[::1]:1", context.Canceled) // no stamp
	h.TLSHandshakeStart()                             // 6
	h.TLSHandshakeDone(tls.ConnectionState{}, nil)    // 7
	h.GotConn(httptrace.GotConnInfo{})                // 8
	h.WroteRequest(httptrace.WroteRequestInfo{})      // 9, 10
	h.GotFirstResponseByte()                          // 11, 12
	r := Reply{End: 20 * time.Millisecond}
	tr.finish(&r)
	require.Equal(t, Trace{
		DNS: Some(time.Millisecond), Connect: Some(2 * time.Millisecond), TLS: Some(time.Millisecond),
		Send: Some(time.Millisecond), Wait: Some(time.Millisecond), Receive: Some(8 * time.Millisecond), Reused: Some(false),
	}, r.Trace)
	require.Equal(t, 1, r.Attempts)
	require.Empty(t, r.Note)
}

// A request that never got a connection knows none of its spans.
func TestTracerOfNothing(t *testing.T) {
	var r Reply
	(&tracer{}).finish(&r)
	require.Equal(t, Reply{}, r)
}
