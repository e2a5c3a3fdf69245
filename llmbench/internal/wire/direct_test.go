package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench/internal/http1"
)

// directly is a call's client for plain HTTP/1.1, which this system must have.
func directly(t *testing.T, o TransportOptions) *http1.Client {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("there is a poller for Linux only")
	}
	client := o.Direct()
	require.NotNil(t, client)
	t.Cleanup(client.CloseIdle)
	return client
}

// overTCP serves a handler on loopback and returns two calls to it: by net/http,
// and directly.
func overTCP(t *testing.T, handler http.HandlerFunc) (byHTTP, direct Call) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	transport := NewTransport(0)
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	byHTTP = Call{Client: &http.Client{Transport: transport}, URL: server.URL + "/v1/chat/completions", Capture: 1 << 20, KeepText: 1 << 10}
	direct = byHTTP
	direct.Direct = directly(t, TransportOptions{PerHost: 4})
	return byHTTP, direct
}

var localPort = regexp.MustCompile(`read tcp [0-9.:]+->`)

// timeless is a reply without what differs between two sendings of one request.
func timeless(r Reply) Reply {
	r.Sent, r.End, r.RetryAfter = 0, 0, Opt[time.Duration]{}
	r.Headers, r.FirstByte = Opt[time.Duration]{Known: r.Headers.Known}, Opt[time.Duration]{Known: r.FirstByte.Known}
	r.Trace = Trace{}
	r.Err = localPort.ReplaceAllString(r.Err, "read tcp LOCAL->")
	r.Reads, r.CoalescedReads = 0, 0
	for i := range r.Chunks {
		r.Chunks[i].At = 0
	}
	if c := r.Capture; c != nil {
		var all []byte
		for _, read := range c.Reads {
			all = append(all, read.Data...)
		}
		c.Reads = []CapturedRead{{Data: all}}
		c.Sent, c.Headers, c.End = 0, 0, 0
		c.Header.Del("Date")
		c.Err = r.Err
	}
	return r
}

// Both ways must see the same reply, whatever a server does.
func TestDirectSeesWhatNetHTTPSees(t *testing.T) {
	zipped := func(body string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, body)
		_ = w.Close()
		return b.String()
	}
	cases := []fault{
		{name: "a stream", handler: stream("eof", ": ping\n\n", aChunk, aChunk+aChunk, aFinish, aDone)},
		{name: "in pieces", handler: at(time.Millisecond, "eof", aChunk[:7], aChunk[7:]+aChunk, aFinish, aDone).play},
		{name: "one body of known length", handler: reply(200, "Content-Length: 82", `{"choices":[{"index":0,"message":{"content":"hello, you"},"finish_reason":"stop"}]}`)},
		{name: "compressed unasked", handler: reply(200, "Content-Encoding: gzip", zipped(`{"choices":[{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}]}`))},
		{name: "compressed badly", handler: reply(200, "Content-Encoding: gzip", "no gzip")},
		{name: "compressed and cut", handler: reply(200, "Content-Encoding: gzip", zipped(strings.Repeat("{} ", 10000))[:40])},
		{name: "compressed otherwise", handler: reply(200, "Content-Encoding: br", "???")},
		{name: "the server hangs up", handler: hangUp},
	}
	for _, f := range faults {
		if f.call == nil && f.within == 0 && f.cancel == 0 && f.handler != nil {
			cases = append(cases, f)
		}
	}
	require.Greater(t, len(cases), 25, "the table of faults is part of this")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			byHTTP, direct := overTCP(t, c.handler)
			request := Request{Stream: true, Messages: []Message{{Role: "user", Content: "hi"}}}
			if c.req != nil {
				c.req(&request)
			}
			want, got := timeless(byHTTP.Do(t.Context(), request)), timeless(direct.Do(t.Context(), request))
			require.Equal(t, want, got)
		})
	}
}

// A stream that is cut right after an event is seen to be at once: the close
// comes with the bytes, and nothing follows to wake a reader.
func TestCutWithTheLastBytesIsSeen(t *testing.T) {
	_, direct := overTCP(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n38\r\n"+aChunk)
		conn.Close()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 50 {
		r := direct.Do(ctx, Request{Stream: true})
		require.Equal(t, OutcomeError, r.Outcome)
		require.Contains(t, r.Err, "the stream was cut after 1 content chunk")
		require.Equal(t, 1, len(r.Chunks))
	}
}

// Limits of ours end a direct exchange, keep what came, and close its connection.
func TestDirectEnds(t *testing.T) {
	for _, c := range []struct {
		why   string
		set   func(*Call, *context.Context) context.CancelFunc
		want  Outcome
		text  string
		stall string
	}{
		{"the idle time", func(c *Call, _ *context.Context) context.CancelFunc {
			c.IdleTimeout = 30 * time.Millisecond
			return func() {}
		}, OutcomeTimeout, "the stream stalled", aChunk},
		{"a deadline", func(_ *Call, ctx *context.Context) (cancel context.CancelFunc) {
			*ctx, cancel = context.WithTimeout(*ctx, 100*time.Millisecond)
			return cancel
		}, OutcomeTimeout, "the deadline passed", aChunk},
		{"a server that does not end what is over", func(*Call, *context.Context) context.CancelFunc { return func() {} },
			OutcomeOK, "", aChunk + aFinish + aDone},
		{"an endless event", func(c *Call, _ *context.Context) context.CancelFunc {
			c.MaxLine = 1 << 10
			return func() {}
		}, OutcomeError, "longer than MaxLine", aChunk + "data: " + strings.Repeat("x", 4096)},
	} {
		t.Run(c.why, func(t *testing.T) {
			left := make(chan struct{})
			_, direct := overTCP(t, func(w http.ResponseWriter, r *http.Request) {
				defer close(left)
				stream("stall", c.stall)(w, r)
			})
			ctx := t.Context()
			defer c.set(&direct, &ctx)()
			r := direct.Do(ctx, Request{Stream: true})
			require.Equal(t, c.want, r.Outcome, r.Err)
			require.Contains(t, r.Err, c.text)
			require.Equal(t, 1, generated(r.Chunks))
			<-left // the server sees the connection closed
		})
	}
}

// A page without end is not read to it.
func TestDirectReadsLittleOfAPage(t *testing.T) {
	_, direct := overTCP(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusInternalServerError)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, strings.Repeat("all is lost ", 1000))
		}
	})
	r := direct.Do(t.Context(), Request{Stream: true})
	require.Equal(t, OutcomeError, r.Outcome)
	require.Contains(t, r.Err, "all is lost")
	require.Less(t, r.BytesIn, int64(2*pageBytes))
}

// Nor is a compressed one, where the poller must not be left waiting for a reader
// that has had enough.
func TestDirectReadsLittleOfACompressedPage(t *testing.T) {
	noise := make([]byte, 8*pageBytes)
	rand.NewChaCha8([32]byte{}).Read(noise)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(noise)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, direct := overTCP(t, reply(500, "Content-Encoding: gzip", packed.String()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 3 { // the poller serves on
		r := direct.Do(ctx, Request{Stream: true})
		require.Equal(t, OutcomeError, r.Outcome)
		require.Contains(t, r.Err, "HTTP 500")
		require.Less(t, r.BytesIn, int64(2*pageBytes))
	}
}

// A kept connection that the server closed meanwhile is no failure.
// What a server sends after the end is read for a while and not looked at, also
// where it is lent.
func TestFedBytesAfterTheEnd(t *testing.T) {
	x := newExchange(context.Background(), Call{}, Request{Stream: true})
	defer x.close()
	x.shape = shapeSSE
	x.in = newIntake(x.shape, 0)
	require.NoError(t, x.feed([]byte(aDone), 0))
	more := bytes.Repeat([]byte("data: {}\n\n"), 1000)
	for fed := 0; ; fed += len(more) {
		if err := x.feed(more, 0); err != nil {
			require.Equal(t, http1.Enough, err)
			break
		}
		require.LessOrEqual(t, fed, drainBytes)
	}
	require.Zero(t, x.reply.Ignored)
}

func TestDirectGoesOnToAnotherConnection(t *testing.T) {
	testClosedMeanwhile(t, func(c *Call) { c.Direct = directly(t, TransportOptions{PerHost: 1}) })
}
