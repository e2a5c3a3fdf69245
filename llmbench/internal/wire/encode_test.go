package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// richRequest sets every field, so that a golden shows what each API makes of
// it, and what it has no field for.
func richRequest() Request {
	temperature, seed := 0.0, int64(7)
	return Request{
		Model: "m", MaxTokens: 100, MinTokens: 50, IgnoreEOS: true, Stream: true, N: 2, Temperature: &temperature, Seed: &seed,
		Messages: []Message{
			{Role: "system", Content: "be brief"},
			{Content: "what <is> this?", Images: []string{"data:image/png;base64,AAAA"}},
			{Role: "assistant", Content: "a cat", Extra: map[string]any{"name": "a"}},
		},
		Extra: map[string]any{"top_k": 5},
	}
}

func TestEncode(t *testing.T) {
	for _, p := range protocols() {
		t.Run(p.Name(), func(t *testing.T) {
			body, err := p.Encode(richRequest())
			require.NoError(t, err)
			var pretty bytes.Buffer
			require.NoError(t, json.Indent(&pretty, body, "", "  "))
			golden := filepath.Join("testdata/encode", p.Name()+".json")
			if os.Getenv("LLMBENCH_UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, pretty.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), pretty.String())
		})
	}
}

func TestEncodeSparse(t *testing.T) {
	hello := []Message{{Content: "hello"}}
	for _, tt := range []struct {
		why  string
		api  Protocol
		r    Request
		want string
	}{
		{"what is not set is not sent", OpenAIChat(), Request{Messages: hello}, `{"messages":[{"content":"hello","role":"user"}]}`},
		{"usage is asked for unless it is not wanted", OpenAIChat(), Request{Stream: true, OmitUsage: true}, `{"messages":[],"stream":true}`},
		{"the older field alone", OpenAIChat(), Request{MaxTokens: 9, MaxTokensField: "max_tokens"}, `{"max_tokens":9,"messages":[]}`},
		{"or both", OpenAIChat(), Request{MaxTokens: 9, MaxTokensField: "both"}, `{"max_completion_tokens":9,"max_tokens":9,"messages":[]}`},
		{"extra wins, and nil takes out", OpenAIChat(), Request{Stream: true, N: 1, Extra: map[string]any{"n": 3, "stream_options": nil}}, `{"messages":[],"n":3,"stream":true}`},
		{"Ollama streams unless told not to", OllamaChat(), Request{Messages: hello}, `{"messages":[{"content":"hello","role":"user"}],"stream":false}`},
		{"messages become one prompt", OpenAICompletions(), Request{Messages: []Message{{Content: "a"}, {Content: "b"}}}, `{"prompt":"a\nb"}`},
		{"text that HTML would escape goes as it is", OpenAICompletions(), Request{Messages: []Message{{Content: "<&>"}}}, `{"prompt":"<&>"}`},
	} {
		body, err := tt.api.Encode(tt.r)
		require.NoError(t, err, tt.why)
		require.Equal(t, tt.want, string(body), tt.why)
	}
}

func TestEncodeRefuses(t *testing.T) {
	_, err := OpenAIChat().Encode(Request{Extra: map[string]any{"x": math.NaN()}})
	require.ErrorContains(t, err, "wire: request body:")
	_, err = OllamaChat().Encode(Request{Messages: []Message{{Images: []string{"http://h/cat.png"}}}})
	require.EqualError(t, err, `wire: ollama: message 0: image is "http://h/cat.png", want a data URL in base64`)
}

func TestByName(t *testing.T) {
	for _, name := range Names() {
		p, err := ByName(name)
		require.NoError(t, err)
		require.Equal(t, name, p.Name())
	}
	p, err := ByName("")
	require.NoError(t, err)
	require.Equal(t, OpenAIChat(), p)
	_, err = ByName("grpc")
	require.EqualError(t, err, `wire: API is "grpc", want one of openai-chat, openai-completions, openai-responses, openai-embeddings, ollama-chat, ollama-generate, anthropic-messages, tgi`)
}

// A key goes where the API's servers look for it, and an empty one nowhere.
func TestAuthorize(t *testing.T) {
	for _, p := range protocols() {
		h := http.Header{}
		p.Authorize(h, "")
		require.Empty(t, h, p.Name())
		p.Authorize(h, "k")
		if p == AnthropicMessages() {
			require.Equal(t, http.Header{"X-Api-Key": {"k"}}, h)
			continue
		}
		require.Equal(t, http.Header{"Authorization": {"Bearer k"}}, h, p.Name())
	}
}
