package mock

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// readCase reads one file of a public bug report.
func readCase(t *testing.T, name, file string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cases", name, file))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, into))
}

// Case 141: a mock that sleeps for each gap adds up its own work and ends late.
// Here the reader works between tokens too, which changes nothing.
func TestCase141DeadlinesDoNotDrift(t *testing.T) {
	const name = "141-mock-itl-absolute-deadlines"
	var scenario struct {
		TTFT   int     `json:"ttft_ms"`
		Gap    int     `json:"gap_ms"`
		Tokens int     `json:"tokens"`
		Work   float64 `json:"work_ms_per_token"`
	}
	var want struct {
		Last int `json:"last_token_ms"`
	}
	readCase(t, name, "scenario.json", &scenario)
	readCase(t, name, "expected.json", &want)
	script := Script{TTFT: time.Duration(scenario.TTFT) * ms, ITL: time.Duration(scenario.Gap) * ms}
	work := time.Duration(scenario.Work * float64(ms))
	synctest.Test(t, func(t *testing.T) {
		got := readSlowly(t, Start(t, script), ask(1, scenario.Tokens, ""), work)
		require.Len(t, got, scenario.Tokens)
		require.Equal(t, time.Duration(want.Last)*ms, got[len(got)-1])
	})
	// In real time only this much is certain: nothing is early.
	_, at := call(t.Context(), Listen(t, script), ask(1, scenario.Tokens, "")).content(t)
	require.Len(t, at, scenario.Tokens)
	require.GreaterOrEqual(t, at[len(at)-1], time.Duration(want.Last)*ms)
}

// readSlowly returns when each chunk came, to a reader that works for so long
// after each.
func readSlowly(t *testing.T, s *Server, body string, work time.Duration) (at []time.Duration) {
	begin := time.Now()
	resp, err := s.Client().Post(s.URL()+"/chat/completions", jsonType, strings.NewReader(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	dec := newLines(resp.Body)
	for dec.Scan() {
		if strings.Contains(dec.Text(), `"delta":{"content":`) {
			at = append(at, time.Since(begin))
			time.Sleep(work) // in a bubble
		}
	}
	return at
}

// Case 142: which comes first, the role or the delay.
func TestCase142RoleComesBeforeTheDelay(t *testing.T) {
	const name = "142-mock-ttft-before-role-or-content"
	var scenario struct {
		TTFT int `json:"ttft_ms"`
	}
	var want struct {
		Range [2]float64 `json:"client_ttft_ms_range"`
	}
	readCase(t, name, "scenario.json", &scenario)
	readCase(t, name, "expected.json", &want)
	synctest.Test(t, func(t *testing.T) {
		got := call(t.Context(), Start(t, Script{TTFT: time.Duration(scenario.TTFT) * ms}), bare)
		require.Zero(t, got.lines[0].at, "the role frame")
		ttft := got.instants(t)[0]
		require.True(t, ttft >= want.Range[0] && ttft <= want.Range[1], ttft)
	})
}

// Case 143: every event leaves by itself. Exactly in virtual time; over a real
// socket the proof is a reply that never ends, of which all that was due comes.
func TestCase143EveryEventIsFlushed(t *testing.T) {
	const name = "143-mock-must-flush"
	var scenario struct {
		Events int
		Gap    int `json:"gap_ms"`
	}
	var want struct {
		Distinct int `json:"min_distinct_arrivals"`
	}
	readCase(t, name, "scenario.json", &scenario)
	readCase(t, name, "expected.json", &want)
	script := Script{ITL: time.Duration(scenario.Gap) * ms, Output: scenario.Events}
	synctest.Test(t, func(t *testing.T) {
		_, at := call(t.Context(), Start(t, script), bare).content(t)
		require.Len(t, at, scenario.Events)
		require.GreaterOrEqual(t, len(slices.Compact(at)), want.Distinct)
	})
	server := Listen(t, With(script, HangAfter(want.Distinct)))
	resp, err := server.Client().Post(server.URL()+"/chat/completions", jsonType, strings.NewReader(bare))
	require.NoError(t, err)
	defer resp.Body.Close()
	chunks := 0
	for lines := newLines(resp.Body); chunks < want.Distinct && lines.Scan(); {
		if strings.Contains(lines.Text(), `"delta":{"content":`) {
			chunks++
		}
	}
	require.Equal(t, want.Distinct, chunks)
}

// Case 146: a failure before the first token is a status, one after it is in the
// stream, and each mode is exact to the token.
func TestCase146EveryModeOfFailure(t *testing.T) {
	const name = "146-mock-status-before-first-byte"
	var scenario struct{ Modes []string }
	var want struct {
		Before int `json:"tokens_before_fault"`
	}
	readCase(t, name, "scenario.json", &scenario)
	readCase(t, name, "expected.json", &want)
	make := map[string]func(int) Fault{
		"status":         func(n int) Fault { return Refuse(n, "bad request") },
		"error-after":    func(n int) Fault { return ErrorAfter(n, "broken") },
		"reset-after":    ResetAfter,
		"stall-after":    HangAfter,
		"truncate-after": EndAfter,
	}
	for _, mode := range scenario.Modes {
		kind, number, _ := strings.Cut(mode, ":")
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			got := call(ctx, Start(t, quick(make[kind](n))), bare)
			if kind == "status" {
				require.Equal(t, 400, got.status, mode)
				require.Contains(t, got.body, "bad request", mode)
				return
			}
			require.Equal(t, 200, got.status, mode)
			_, at := got.content(t)
			require.Len(t, at, want.Before, mode)
			require.Equal(t, kind == "error-after", strings.Contains(got.body, `"error":{"message":"broken"`), mode)
			switch kind {
			case "reset-after":
				require.ErrorIs(t, got.err, syscall.ECONNRESET, mode)
			case "stall-after":
				require.ErrorIs(t, got.err, context.DeadlineExceeded, mode)
			default:
				require.NoError(t, got.err, mode)
			}
			require.NotContains(t, got.body, "[DONE]", mode)
		})
	}
}

// Case 149: what a test may ask of a real clock is that nothing is early; the
// bounds of the report, and the server over a real socket, are judged by one
// rule.
func TestCase149NothingIsEarly(t *testing.T) {
	const name = "149-timing-test-boundaries"
	var input struct {
		Configured float64   `json:"configured_ms"`
		Measured   []float64 `json:"measured_ms"`
		Bad        []float64
	}
	var want struct {
		OK    []bool `json:"lower_bound_ok"`
		BadOK []bool `json:"bad_ok"`
	}
	readCase(t, name, "input.json", &input)
	readCase(t, name, "expected.json", &want)
	notEarly := func(measured []float64, bound func(k int) float64) (ok []bool) {
		for k, m := range measured {
			ok = append(ok, m >= bound(k))
		}
		return ok
	}
	configured := func(int) float64 { return input.Configured }
	require.Equal(t, want.OK, notEarly(input.Measured, configured))
	require.Equal(t, want.BadOK, notEarly(input.Bad, configured))

	got := call(t.Context(), Listen(t, Script{TTFT: 75 * ms, ITL: 3 * ms}), ask(1, 20, ""))
	require.NotContains(t, notEarly(got.instants(t), func(k int) float64 { return input.Configured + 3*float64(k) }), false)
}

// Case 150: closing with streams that stall and clients that listen must not
// hang, and must be possible twice.
func TestCase150CloseDoesNotWaitForStreams(t *testing.T) {
	const name = "150-test-server-close-hangs"
	var scenario struct {
		Streams int `json:"open_streams"`
	}
	var want struct {
		Within int `json:"close_within_ms"`
	}
	readCase(t, name, "scenario.json", &scenario)
	readCase(t, name, "expected.json", &want)
	for _, start := range []func(T, Responder) *Server{Start, Listen} {
		for _, r := range []Responder{Script{TTFT: time.Hour}, Engine{PrefillRate: 0.001}, quick(HangAfter(0))} {
			server := start(t, r)
			var wg sync.WaitGroup
			for range scenario.Streams {
				wg.Go(func() { call(t.Context(), server, bare) })
			}
			for server.InFlight() < scenario.Streams {
				runtime.Gosched()
			}
			begin := time.Now()
			server.Close()
			server.Close()
			wg.Wait() // the clients see the end of their streams
			require.Less(t, time.Since(begin), time.Duration(want.Within)*ms, fmt.Sprintf("%T", r))
		}
	}
}

// Nor does it wait for a client that has sent its next request already.
func TestCloseWithARequestBehindAStalledOne(t *testing.T) {
	server := Listen(t, quick(HangAfter(0)))
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(server.URL(), "http://"), "/v1"))
	require.NoError(t, err)
	defer c.Close()
	one := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(bare), bare)
	_, err = c.Write([]byte(one + one))
	require.NoError(t, err)
	for server.InFlight() == 0 {
		runtime.Gosched()
	}
	closed := make(chan struct{})
	go func() {
		server.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Fatal("Close hangs")
	}
}

// Case 153: a server is ready when it answers, not when it says so.
func TestCase153ReadyIsAnAnswer(t *testing.T) {
	const name = "153-ready-before-listening"
	var scenario struct {
		Listen int `json:"listen_ms"`
		Health int `json:"health_503_until_ms"`
	}
	var want struct {
		Ready [2]int `json:"ready_at_ms_range"`
	}
	readCase(t, name, "scenario.json", &scenario)
	readCase(t, name, "expected.json", &want)
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		server := Start(t, Script{})
		server.SetHealth(http.StatusServiceUnavailable)
		time.AfterFunc(time.Duration(scenario.Health)*ms, func() { server.SetHealth(http.StatusOK) })
		dial := server.Client().Transport.(*http.Transport).DialContext
		client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if time.Since(begin) < time.Duration(scenario.Listen)*ms {
				return nil, syscall.ECONNREFUSED
			}
			return dial(ctx, network, addr)
		}}}
		defer client.CloseIdleConnections()
		page := strings.TrimSuffix(server.URL(), "/v1") + "/health"
		ask := func(d time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			return WaitReady(ctx, client, page)
		}
		require.ErrorIs(t, ask(200*ms), syscall.ECONNREFUSED, "the last error is told")
		require.ErrorContains(t, ask(200*ms), "503 Service Unavailable")
		require.NoError(t, ask(time.Minute))
		at := time.Since(begin)
		require.True(t, at >= time.Duration(want.Ready[0])*ms && at <= time.Duration(want.Ready[1])*ms, at)
	})
}
