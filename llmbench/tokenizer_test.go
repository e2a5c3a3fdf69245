package llmbench_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
	"github.com/stretchr/testify/require"
)

// words counts words, as the mock's tokens are.
func words(text string) int { return len(strings.Fields(text)) }

// TestTokenizerFillsIn: without usage the counts are the tokenizer's, with it
// the server's stand and the tokenizer's lie beside them.
func TestTokenizerFillsIn(t *testing.T) {
	profile := llmbench.Profile{Arrivals: llmbench.Closed(2), Requests: 6, Input: llmbench.Tokens(30), Output: llmbench.Tokens(12)}
	script := mock.Script{TTFT: 100 * time.Millisecond, ITL: 10 * time.Millisecond, TokensPerChunk: 3}
	for _, c := range []struct {
		usage       mock.UsageTime
		error       int
		count       func(string) int
		from        llmbench.Source
		output      float64
		discrepancy string
	}{
		{usage: mock.UsageNever, count: words, from: llmbench.FromTokenizer, output: 12},
		{usage: mock.UsageNever, from: llmbench.FromChunks, output: 4},
		{usage: mock.UsageNever, count: func(string) int { return -1 }, from: llmbench.FromChunks, output: 4},
		{count: words, from: llmbench.FromUsage, output: 12, discrepancy: "0 of 6"},
		{error: 5, count: words, from: llmbench.FromUsage, output: 17, discrepancy: "6 of 6"},
	} {
		synctest.Test(t, func(t *testing.T) {
			script.Usage, script.UsageError = c.usage, c.error
			server := mock.Start(t, script)
			r := llmbench.Run(t, llmbench.Endpoint{URL: server.URL(), HTTP: server.Client(), Model: "m", CountTokens: c.count}, profile)
			require.Equal(t, map[llmbench.Source]int{c.from: 6}, r.Sources.Output)
			near(t, c.output, r.Stats(llmbench.OSL).Mean())
			s := r.Stats(llmbench.TokenCountDiscrepancy)
			if c.discrepancy == "" {
				require.NotEqual(t, llmbench.FromUsage, c.from)
				return
			}
			require.Equal(t, c.discrepancy, fmt.Sprintf("%v of %d", s.Mean().Or(-1), s.N()))
		})
	}
}

// TestServerTokenizer speaks with both engines' answers, and says what is
// wrong with others.
func TestServerTokenizer(t *testing.T) {
	var path string
	answer := func(w http.ResponseWriter, r *http.Request) {}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		answer(w, r)
	}))
	defer server.Close()
	endpoint := llmbench.Endpoint{URL: server.URL + "/v1", Model: "m", Header: http.Header{"X-Team": {"a"}}}
	asked := func(r *http.Request) (body map[string]any) {
		require.NoError(t, json.NewDecoder(r.Body).Decode(&body))
		require.Equal(t, "a", r.Header.Get("X-Team"))
		return body
	}
	for name, engine := range map[string]func(w http.ResponseWriter, r *http.Request){
		"llama.cpp": func(w http.ResponseWriter, r *http.Request) {
			ids := make([]int, words(asked(r)["content"].(string)))
			json.NewEncoder(w).Encode(map[string]any{"tokens": ids})
		},
		"vLLM": func(w http.ResponseWriter, r *http.Request) {
			body := asked(r)
			require.Equal(t, "m", body["model"])
			json.NewEncoder(w).Encode(map[string]any{"count": words(body["prompt"].(string)), "max_model_len": 4096})
		},
	} {
		answer = engine
		count, err := llmbench.ServerTokenizer(t.Context(), endpoint)
		require.NoError(t, err, name)
		require.Equal(t, "/tokenize", path, "beside the API, not below /v1")
		require.Equal(t, 3, count("a b c"), name)
		require.Equal(t, 0, count(""), name)
		answer = func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }
		require.Equal(t, -1, count("a b c"), "unknown, not 0")
	}
	for want, broken := range map[string]func(w http.ResponseWriter, r *http.Request){
		"/tokenize: status is 404, want 200":               func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) },
		"/tokenize: the answer has no tokens and no count": func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("{}")) },
	} {
		answer = broken
		_, err := llmbench.ServerTokenizer(t.Context(), endpoint)
		require.ErrorContains(t, err, want)
	}
	_, err := llmbench.ServerTokenizer(t.Context(), llmbench.Endpoint{})
	require.ErrorContains(t, err, "URL is empty")
}
