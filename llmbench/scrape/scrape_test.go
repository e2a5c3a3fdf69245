package scrape

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// serve answers with a page, and the reading of a run of no length.
func serve(t *testing.T, answer http.HandlerFunc) *llmbench.ServerSide {
	t.Helper()
	server := httptest.NewServer(answer)
	defer server.Close()
	return Page{URL: server.URL + "/metrics"}.Watch(t.Context())(time.Now())
}

// The samples are written by hand after each engine's public documentation; llama.cpp's is what it said.
func TestEnginesAreRead(t *testing.T) {
	is := llmbench.Is[float64]
	for _, c := range []struct {
		file, engine, why string
		want              llmbench.ServerReading
	}{
		{"vllm", "vllm", "two engines are added up, the fuller cache is taken, reasons are added up", llmbench.ServerReading{
			Running: is(14), Waiting: is(2), KVUse: is(0.75), Requests: is(12),
			PromptTokens: is(9000), CachedTokens: is(4096), OutputTokens: is(1234), Preemptions: is(3),
			DraftTokens: is(600), AcceptedTokens: is(450), TTFTSeconds: is(2.4), TTFTCount: is(12)}},
		{"sglang", "sglang", "numbers in exponent form, cached tokens by source", llmbench.ServerReading{
			Running: is(162), Waiting: is(2826), KVUse: is(0.28), Requests: is(60),
			PromptTokens: is(8.1e6), CachedTokens: is(500), OutputTokens: is(7.5e6), TTFTSeconds: is(12.5), TTFTCount: is(50)}},
		{"tgi", "tgi", "tokens are the sums of histograms; no cache, no time to first token", llmbench.ServerReading{
			Running: is(4), Waiting: is(9), Requests: is(40), PromptTokens: is(4000), OutputTokens: is(800)}},
		{"llamacpp", "llama.cpp", "its prompt tokens leave out the cached ones, ours do not", llmbench.ServerReading{
			Running: is(4), Waiting: is(6), PromptTokens: is(116), CachedTokens: is(85), OutputTokens: is(1853),
			DraftTokens: is(0), AcceptedTokens: is(0)}},
		{"triton", "triton", "gauges told apart by a label", llmbench.ServerReading{
			Running: is(6), Waiting: is(1), KVUse: is(0.4875), Requests: is(30)}},
	} {
		t.Run(c.file, func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join("testdata", c.file+".txt"))
			require.NoError(t, err)
			side := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(page) })
			require.Equal(t, c.engine, side.Engine)
			require.Empty(t, side.Trouble)
			require.Len(t, side.Readings, 2, "one before, one after")
			side.Readings[0].At = 0
			require.Empty(t, cmp.Diff(c.want, side.Readings[0]), c.why)
		})
	}
}

// Nothing that a page does ends a run; the trouble is told.
func TestTrouble(t *testing.T) {
	for _, c := range []struct{ why, want, body string }{
		{"no page", "status is 404 Not Found, want 200", ""},
		{"a page for people", "no Prometheus text: ", "<html>\n"},
		{"a page of another program", "none of its 1 metrics is known", "go_goroutines 7\n"},
		{"nothing", "the page is empty", "\n"},
		{"too much", "the page is longer than 4 MB", "# " + strings.Repeat("x", 5<<20)},
	} {
		t.Run(c.why, func(t *testing.T) {
			side := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if c.body == "" {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write([]byte(c.body))
			})
			require.Contains(t, side.Trouble, c.want)
			require.Equal(t, 2, side.Missed)
			require.Empty(t, side.Readings)
		})
	}
	side := Page{URL: "http://user:secret@127.0.0.1:1/metrics"}.Watch(t.Context())(time.Now())
	require.Contains(t, side.Trouble, "connection refused")
	require.NotContains(t, side.Trouble, "secret")
}

// A value that is no number is no value: some engines say NaN before their first request.
func TestNoNumberIsAbsent(t *testing.T) {
	side := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("vllm:num_requests_running NaN\nvllm:num_requests_waiting +Inf\nvllm:kv_cache_usage_perc 0.5\n"))
	})
	require.False(t, side.Readings[0].Running.Ok())
	require.False(t, side.Readings[0].Waiting.Ok())
	require.Equal(t, llmbench.Is(0.5), side.Readings[0].KVUse)
}

// Against the mock, which keeps the counters that vLLM keeps, in virtual time: every figure of ours is the server's.
func TestWatchBesideARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
		root := strings.TrimSuffix(server.URL(), "/v1")
		result := llmbench.Run(t, Target(server, root+"/metrics"), llmbench.Profile{
			Arrivals: llmbench.Closed(4), Requests: 40, Warmup: llmbench.WarmupPart{Requests: 4},
			Input: llmbench.Tokens(200), Output: llmbench.Tokens(100),
		})
		side := result.ServerSide
		require.Equal(t, "vllm", side.Engine)
		require.Empty(t, side.Trouble)
		// 44 requests of 100 + 99 * 20 = 2080 ms, four at a time: 22.88 s.
		require.Len(t, side.Readings, 1+45+1, "before, every half second, after")
		require.Zero(t, side.Readings[0].At)
		require.Equal(t, 500*time.Millisecond, side.Readings[1].At)
		require.Equal(t, llmbench.Is(4.0), side.Most(func(r llmbench.ServerReading) llmbench.Known[float64] { return r.Running }))

		agreements := result.Agreements()
		byName := map[string]llmbench.Agreement{}
		for _, a := range agreements {
			require.True(t, a.Agrees(), a)
			byName[a.What] = a
		}
		require.Equal(t, 4400.0, byName["output tokens"].Theirs)
		require.Equal(t, 4400.0, byName["output tokens"].Ours, "warm-up included")
		require.Equal(t, 44.0, byName["requests"].Theirs)
		require.Equal(t, byName["prompt tokens"].Theirs, byName["prompt tokens"].Ours)
		require.InDelta(t, 100, byName["mean time to first token"].Theirs, 1e-6)
		require.InDelta(t, 100, byName["mean time to first token"].Ours, 1e-6)
		require.Contains(t, result.Summary(), "  server     vllm: 47 readings, at most 4 running")
		require.NotContains(t, result.Summary(), "warning")
	})
}

// A run that is stopped still gets its last reading.
func TestWatchOutlivesTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
		page := Page{URL: strings.TrimSuffix(server.URL(), "/v1") + "/metrics", Client: server.Client()}
		ctx, cancel := context.WithCancel(t.Context())
		ended := page.Watch(ctx)
		began := time.Now()
		time.Sleep(1100 * time.Millisecond)
		cancel()
		synctest.Wait()
		time.Sleep(time.Second)
		side := ended(began)
		require.Empty(t, side.Trouble)
		var at []time.Duration
		for _, reading := range side.Readings {
			at = append(at, reading.At)
		}
		require.Equal(t, []time.Duration{0, 500e6, 1000e6, 2100e6}, at)
	})
}

// What is asked of a target is asked of the one inside.
func TestTargetPassesOn(t *testing.T) {
	inner := llmbench.Endpoint{URL: "http://127.0.0.1:1/v1", HTTP: &http.Client{}}
	outer := Target(inner, "http://127.0.0.1:1/metrics")
	require.Same(t, inner.HTTP, outer.Client())
	result, err := llmbench.Do(t.Context(), outer, llmbench.Profile{Requests: 1})
	require.NoError(t, err)
	require.Equal(t, 1, result.Counts.Error)
	require.Equal(t, 2, result.ServerSide.Missed)
	require.Contains(t, result.Summary(), "  server     unknown metrics: 0 readings; 2 readings failed, the last: ")
}
