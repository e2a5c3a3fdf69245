package mock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// golden compares with a file of testdata; LLMBENCH_UPDATE writes it anew.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("LLMBENCH_UPDATE") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, file)
}

// rooted calls a path that is not under /v1.
func rooted(t *testing.T, s *Server, path, body string) seen {
	t.Helper()
	begin := time.Now()
	resp, err := s.Client().Post(strings.TrimSuffix(s.URL(), "/v1")+path, jsonType, strings.NewReader(body))
	require.NoError(t, err)
	return read(resp, begin)
}

// What each API puts on the wire for one reply with everything in it, streamed
// and not. The files were read against the public descriptions of the APIs; they
// are what other tests of this project may take for a server's bytes.
func TestWireFormats(t *testing.T) {
	script := Script{
		TTFT: 100 * ms, ITL: 20 * ms, Output: 3, Reasoning: 1, Cached: 2, KeepAlive: 60 * ms,
		Tools: []ToolCall{{"look", `{"at": "sky"}`}},
	}
	rows := []struct{ name, path, body string }{
		{"chat", "/v1/chat/completions", `{"model":"m","messages":[{"role":"system","content":"be short"},{"role":"user","content":"why blue"}],"max_tokens":20,"stream":true,"stream_options":{"include_usage":true}}`},
		{"completions", "/v1/completions", `{"model":"m","prompt":["be short","why blue"],"max_tokens":20,"stream":true,"stream_options":{"include_usage":true}}`},
		{"responses", "/v1/responses", `{"model":"m","instructions":"be short","input":[{"role":"user","content":[{"type":"input_text","text":"why blue"}]}],"max_output_tokens":20,"stream":true}`},
		{"anthropic", "/v1/messages", `{"model":"m","system":"be short","messages":[{"role":"user","content":"why blue"}],"max_tokens":20,"stream":true}`},
		{"ollama-chat", "/api/chat", `{"model":"m","messages":[{"role":"user","content":"be short why blue"}],"options":{"num_predict":20},"stream":true}`},
		{"ollama-generate", "/api/generate", `{"model":"m","system":"be short","prompt":"why blue","options":{"num_predict":-1},"stream":true}`},
		{"tgi", "/generate_stream", `{"inputs":"be short why blue","parameters":{"max_new_tokens":20}}`},
		{"embeddings", "/v1/embeddings", `{"model":"m","input":["be short","why blue"]}`},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			server := Start(t, script)
			require.Zero(t, time.Since(server.loop.start))
			got := rooted(t, server, row.path, row.body)
			require.Equal(t, 200, got.status, got.body)
			require.NoError(t, got.err)
			golden(t, "wire/"+row.name+".stream", got.body)
			kind := "text/event-stream"
			switch {
			case strings.HasPrefix(row.name, "ollama"):
				kind = "application/x-ndjson"
			case row.name == "embeddings":
				kind = jsonType
			}
			require.Equal(t, kind, got.header.Get("Content-Type"), row.name)

			path := strings.TrimSuffix(row.path, "_stream")
			got = rooted(t, server, path, strings.Replace(row.body, `"stream":true`, `"stream":false`, 1))
			require.True(t, json.Valid([]byte(got.body)), got.body)
			require.Equal(t, jsonType, got.header.Get("Content-Type"), row.name)
			golden(t, "wire/"+row.name+".json", got.body)
			wait := 100 * ms
			if row.name != "embeddings" {
				wait += 5 * 20 * ms // 3 tokens of text and 3 of the call: the name and two words
			}
			require.Equal(t, wait, got.end.Sub(got.sent), row.name)
		})
	}
}

// An error is worded as the API has it, before the stream and in it.
func TestErrorFormats(t *testing.T) {
	rows := []struct{ path, body, refused, streamed string }{
		{"/v1/chat/completions", bare, `{"error":{"message":"no","type":"server_error","param":null,"code":500}}`, "data: {\"error\":{\"message\":\"no\""},
		{"/v1/completions", `{"prompt":"x","stream":true}`, `{"error":{"message":"no","type":"server_error","param":null,"code":500}}`, "data: {\"error\":{\"message\":\"no\""},
		{"/v1/responses", `{"input":"x","stream":true}`, `{"error":{"message":"no","type":"server_error","param":null,"code":500}}`, "event: error\ndata: {\"type\":\"error\",\"sequence_number\":0,\"code\":\"server_error\",\"message\":\"no\""},
		{"/v1/messages", `{"messages":[{"content":"x"}],"max_tokens":1,"stream":true}`, `{"type":"error","error":{"type":"api_error","message":"no"}}`, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"no\"}}"},
		{"/api/chat", `{"messages":[{"content":"x"}]}`, `{"error":"no"}`, "{\"error\":\"no\"}\n"},
		{"/api/generate", `{"prompt":"x"}`, `{"error":"no"}`, "{\"error\":\"no\"}\n"},
		{"/generate_stream", `{"inputs":"x"}`, `{"error":"no","error_type":"generation"}`, "data:{\"error\":\"no\",\"error_type\":\"generation\"}\n\n"},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			got := rooted(t, Start(t, quick(Refuse(500, "no"))), row.path, row.body)
			require.Equal(t, 500, got.status, row.path)
			require.Equal(t, row.refused, got.body, row.path)
			got = rooted(t, Start(t, quick(ErrorAfter(0, "no"))), row.path, row.body)
			require.Equal(t, 200, got.status, row.path)
			require.True(t, strings.HasPrefix(got.body, row.streamed), got.body)
			got = rooted(t, Start(t, quick()), row.path, `{}`)
			require.Equal(t, 400, got.status, row.path)
			require.Contains(t, got.body, `error`, row.path)
		})
	}
}

// Each API has words of its own for how a reply ended.
func TestFinishReasons(t *testing.T) {
	rows := []struct{ path, body, stop, length string }{
		{"/v1/chat/completions", `{"messages":[{"content":"x"}],"max_tokens":9}`, `"finish_reason":"stop"`, `"finish_reason":"length"`},
		{"/v1/completions", `{"prompt":"x","max_tokens":9}`, `"finish_reason":"stop"`, `"finish_reason":"length"`},
		{"/v1/responses", `{"input":"x","max_output_tokens":9}`, `"status":"completed"`, `"status":"incomplete","model":"mock","output":`},
		{"/v1/responses", `{"input":"x","max_output_tokens":9}`, `"incomplete_details":null`, `"incomplete_details":{"reason":"max_output_tokens"}`},
		{"/v1/messages", `{"messages":[{"content":"x"}],"max_tokens":9}`, `"stop_reason":"end_turn"`, `"stop_reason":"max_tokens"`},
		{"/api/chat", `{"messages":[{"content":"x"}],"options":{"num_predict":9}}`, `"done_reason":"stop"`, `"done_reason":"length"`},
		{"/generate", `{"inputs":"x","parameters":{"max_new_tokens":9}}`, `"finish_reason":"eos_token"`, `"finish_reason":"length"`},
	}
	for _, row := range rows {
		for _, stream := range []bool{false, true} {
			body := strings.TrimSuffix(row.body, "}") + fmt.Sprintf(`,"stream":%t}`, stream)
			path := row.path
			if stream && path == "/generate" {
				path = "/generate_stream"
			}
			synctest.Test(t, func(t *testing.T) {
				require.Contains(t, rooted(t, Start(t, Script{Output: 3}), path, body).body, row.stop, path)
				require.Contains(t, rooted(t, Start(t, Script{}), path, body).body, row.length, path)
			})
		}
	}
}

func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{
			Slots: 1, PrefillRate: 1000, StepTime: LinearStep(10*ms, 0), KVTokens: 1600, PrefixCache: true, Reply: Script{Model: "tiny"},
		})
		require.Equal(t, "tiny", server.Model())
		page := func(path string) (int, string) {
			resp, err := server.Client().Get(strings.TrimSuffix(server.URL(), "/v1") + path)
			require.NoError(t, err)
			got := read(resp, time.Now())
			return got.status, got.body
		}
		for path, want := range map[string]string{
			"/v1/models": `{"object":"list","data":[{"id":"tiny","object":"model","created":946684800,"owned_by":"mock"}]}`,
			"/api/tags":  `{"models":[{"name":"tiny","model":"tiny"}]}`,
			"/info":      `{"model_id":"tiny"}`,
		} {
			status, body := page(path)
			require.Equal(t, 200, status)
			require.JSONEq(t, want, body)
		}
		status, _ := page("/health")
		require.Equal(t, 200, status)
		server.SetHealth(http.StatusServiceUnavailable)
		status, _ = page("/health")
		require.Equal(t, 503, status)

		got := rooted(t, server, "/tokenize", `{"prompt":"one two one"}`)
		require.JSONEq(t, `{"tokens":[20719,17193,20719],"count":3}`, got.body)

		together(t, server, ask(100, 3, ""), ask(100, 3, ""))
		go call(t.Context(), server, ask(100, 1000, ""))
		go call(t.Context(), server, ask(1, 1, ""))
		time.Sleep(time.Second)
		_, body := page("/metrics")
		golden(t, "metrics.txt", body)
	})
}
