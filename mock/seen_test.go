package mock

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Each request is kept as it came, with what became of it.
func TestRequestsAsReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Sequence(Script{TTFT: 100 * ms, ITL: 20 * ms}, quick(ResetAfter(2)), Script{TTFT: time.Second}))
		time.Sleep(ms)
		callAs(t.Context(), server, "first", ask(7, 5, ""))
		callAs(t.Context(), server, "second", bare)
		ctx, cancel := context.WithTimeout(t.Context(), 300*ms)
		defer cancel()
		callAs(ctx, server, "third", bare)
		synctest.Wait()
		time.Sleep(ms)

		all := server.Requests()
		require.Len(t, all, 3)
		x := all[0]
		require.Equal(t, ask(7, 5, ""), string(x.Body))
		require.Equal(t, []any{"first", "first", 7, 5, true, true, Chat, "m"},
			[]any{x.ID, x.Header.Get("X-Request-Id"), x.InputTokens, x.MaxTokens, x.Stream, x.IncludeUsage, x.API, x.Model})
		require.Equal(t, []any{ms, ms + 1, 101 * ms, 181 * ms, 181 * ms, 5, 200, "length", End},
			[]any{x.Arrived, x.Opened, x.FirstToken, x.LastToken, x.Ended, x.Tokens, x.Status, x.Finish, x.How},
			"a Sequence looks at the order, so headers leave a nanosecond late")
		require.Equal(t, []any{Reset, 2, ""}, []any{all[1].How, all[1].Tokens, all[1].Finish})
		require.Equal(t, []any{511 * ms, time.Duration(0), 0}, []any{all[2].Left, all[2].Ended, all[2].Tokens})
		golden(t, "log.txt", server.Log())
		require.Equal(t, server.loop.start.Add(ms), x.Time)
	})
}

// A server that runs for long forgets the older half, by number or by size, and
// goes on counting.
func TestOldRequestsAreForgotten(t *testing.T) {
	rows := []struct {
		why         string
		n, body     int
		first, left int
	}{
		{"few are all kept", 10, 100, 0, 10},
		{"too many", keptRequests + 1, 0, (keptRequests + 1) / 2, keptRequests/2 + 1},
		{"too long", 9, keptBytes / 8, 4, 5},
	}
	body := make([]byte, keptBytes/8)
	for _, row := range rows {
		server := &Server{loop: newLoop(nil, nil, false)}
		for i := range row.n {
			server.loop.remember(&stream{req: &Request{Arrived: time.Duration(i), Body: body[:row.body]}})
		}
		all := server.Requests()
		require.Len(t, all, row.left, row.why)
		require.Equal(t, row.first, all[0].Number, row.why)
		require.Equal(t, time.Duration(row.n-1), all[len(all)-1].Arrived, row.why)
		require.Equal(t, row.left*row.body, server.loop.seenBytes, row.why)
	}
}

// The claim that a gateway cancels what nobody waits for any more.
func TestCancelledStreams(t *testing.T) {
	rows := []struct {
		why     string
		slow    time.Duration // what the gateway takes to cancel the third of four
		deaf    bool          // the fourth it forgets
		nothing bool
		want    string
		after   string // the same claim, once all is over
	}{
		{"all are cancelled at once", 0, false, false, "", ""},
		{"one is late", 80 * ms, false, false,
			"1 of 4 streams went on after the client left, want all cancelled within 50ms\n  request    #2 r2: still open, with 15 tokens sent, the last 45ms after",
			"1 of 4 streams went on after the client left, want all cancelled within 50ms\n  request    #2 r2: cancelled 80ms after, with 18 tokens sent"},
		{"one is late and one is forgotten", 80 * ms, true, false,
			"2 of 4 streams went on after the client left, want all cancelled within 50ms\n  request    #2 r2: still open, with 15 tokens sent, the last 45ms after\n  request    #3 r3: still open, with 15 tokens sent, the last 45ms after",
			"2 of 4 streams went on after the client left, want all cancelled within 50ms\n  request    #2 r2: cancelled 80ms after, with 18 tokens sent\n  request    #3 r3: still open, with 1000 tokens sent, the last 9.895s after"},
		{"with nothing in flight nothing can be judged", 0, false, true,
			"cannot judge cancelled streams: no stream was in flight when the client left",
			"cannot judge cancelled streams: no stream was in flight when the client left"},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			server := Start(t, Script{TTFT: 10 * ms, ITL: 10 * ms, Output: 1000})
			var wg sync.WaitGroup
			for i := range 4 {
				ctx, cancel := context.WithCancel(t.Context())
				if !row.nothing {
					wg.Go(func() { callAs(ctx, server, fmt.Sprint("r", i), bare) })
				}
				wg.Go(func() {
					defer cancel()
					time.Sleep(105 * ms)
					switch {
					case i == 2:
						time.Sleep(row.slow)
					case i == 3 && row.deaf:
						time.Sleep(time.Minute)
					}
				})
			}
			time.Sleep(105 * ms)
			left := time.Now()
			var st stubT
			server.RequireCancelled(&st, left, 50*ms)
			require.Equal(t, row.want, st.said, row.why)
			wg.Wait()
			synctest.Wait()
			st.said = ""
			server.RequireCancelled(&st, left, 50*ms)
			require.Equal(t, row.after, st.said, row.why)
		})
	}
}

// A client that leaves at the instant that the server started has left.
func TestClientThatLeavesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Script{TTFT: time.Second})
		ctx, cancel := context.WithCancel(t.Context())
		go callAs(ctx, server, "a", bare)
		synctest.Wait() // no time passes
		cancel()
		synctest.Wait()
		require.Positive(t, server.Requests()[0].Left)
		require.Zero(t, server.InFlight())
	})
}

func TestCountsOfRequestsAndConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Script{})
		for range 3 {
			call(t.Context(), server, bare)
		}
		var st stubT
		server.RequireRequests(&st, 3)
		server.RequireConnections(&st, 1)
		require.Empty(t, st.said)
		server.Client().CloseIdleConnections()
		call(t.Context(), server, bare)
		server.RequireRequests(&st, 3)
		require.Equal(t, "the server saw 4 requests, want 3", st.said)
		server.RequireConnections(&st, 1)
		require.Equal(t, "clients opened 2 connections for 4 requests, want at most 1", st.said)
	})
}

// A shutdown lets replies end, takes nobody new, and has a limit.
func TestShutdown(t *testing.T) {
	rows := []struct {
		why   string
		grace time.Duration
		err   string
		took  time.Duration
	}{
		{"the reply ends in time", time.Minute, "", 2 * time.Second},
		{"it does not", time.Second, "mock: shutdown: 1 replies cut off: context deadline exceeded", time.Second},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			server := Start(t, Script{TTFT: 3 * time.Second, Output: 1})
			var got seen
			var wg sync.WaitGroup
			wg.Go(func() { got = call(t.Context(), server, bare) })
			time.Sleep(time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), row.grace)
			defer cancel()
			begin := time.Now()
			err := server.Shutdown(ctx)
			require.Equal(t, row.took, time.Since(begin), row.why)
			wg.Wait()
			if row.err == "" {
				require.NoError(t, err)
				require.Contains(t, got.body, "[DONE]")
			} else {
				require.EqualError(t, err, row.err)
				require.Error(t, got.err)
			}
			require.Error(t, call(t.Context(), server, bare).err, "nobody new")
		})
	}
}

// While a server shuts down, connections that were idle are not kept.
func TestShutdownKeepsNoConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, ByPrompt("slow", Script{TTFT: time.Minute}, Script{}))
		var wg sync.WaitGroup
		wg.Go(func() { call(t.Context(), server, `{"messages":[{"content":"slow"}],"stream":true}`) })
		synctest.Wait()
		call(t.Context(), server, bare)
		wg.Go(func() { server.Shutdown(t.Context()) })
		synctest.Wait()
		resp, err := server.Client().Post(server.URL()+"/chat/completions", jsonType, strings.NewReader(bare))
		require.NoError(t, err)
		require.Contains(t, read(resp, time.Now()).body, "[DONE]")
		require.True(t, resp.Close)
		wg.Wait()
	})
}

// In real time instants closer together than a tick are served in one go; here
// the tick is set in virtual time. The deadlines stay where they were, and what
// comes after a pause is on time.
func TestTicksBundleWhatIsClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Script{TTFT: 100 * ms, Gaps: []time.Duration{4 * ms, 4 * ms, 4 * ms, 50 * ms}, Role: RoleNever})
		server.loop.tick = 10 * ms
		require.Equal(t, []float64{100, 110, 110, 120, 162}, call(t.Context(), server, ask(1, 5, "")).instants(t))
		require.Equal(t, 8*ms, server.Lateness().Max)
	})
}

func TestLatenessQuantiles(t *testing.T) {
	var l lateness
	require.Zero(t, l.report())
	for i := range 1000 {
		l.add(time.Duration(i+1) * time.Microsecond)
	}
	got := l.report()
	require.Equal(t, 1000, got.N)
	require.Equal(t, time.Millisecond, got.Max)
	require.Equal(t, 500500*time.Microsecond, got.Sum)
	for _, q := range []struct {
		got  time.Duration
		want int
	}{{got.P50, 500}, {got.P90, 900}, {got.P99, 990}, {got.P999, 999}} {
		require.GreaterOrEqual(t, q.got, time.Duration(q.want)*time.Microsecond)
		require.LessOrEqual(t, q.got, time.Duration(q.want)*time.Microsecond*17/16)
	}
	// Every span lies in its bucket and above the one below.
	for _, v := range []uint64{0, 1, 15, 16, 17, 31, 32, 33, 1000, 1 << 20, 1<<40 + 12345, 1<<63 - 1} {
		b := bucket(v)
		require.LessOrEqual(t, v, uint64(top(b)))
		if b > 0 {
			require.Greater(t, v, uint64(top(b-1)))
		}
	}
}

// What is no HTTP gets an answer and costs no goroutine.
func TestBytesThatAreNoRequest(t *testing.T) {
	server := Listen(t, Script{})
	addr := strings.TrimSuffix(strings.TrimPrefix(server.URL(), "http://"), "/v1")
	rows := []struct{ why, send, want string }{
		{"not HTTP", "hello\r\n\r\n", "400 Bad Request"},
		{"HTTP/1.0 gets an end instead of chunks", "POST /v1/chat/completions HTTP/1.0\r\nContent-Length: 56\r\n\r\n" + bare, "[DONE]"},
		{"a body announced is waited for", "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 56\r\n\r\n" + bare, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"},
		{"a body that would take all memory is not begun", "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n", "mock: the body is longer than 67108864 bytes"},
		{"two requests at once are answered in order", "GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /info HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "model_id"},
	}
	for _, row := range rows {
		c, err := net.Dial("tcp", addr)
		require.NoError(t, err)
		_, err = c.Write([]byte(row.send))
		require.NoError(t, err)
		got := new(strings.Builder)
		_, err = copyAll(got, c)
		require.NoError(t, err, row.why)
		require.Contains(t, got.String(), row.want, row.why)
		require.Equal(t, row.why[:4] == "HTTP", strings.Contains(got.String(), "data: ") && !strings.Contains(got.String(), "chunked"), row.why)
		c.Close()
	}
}
