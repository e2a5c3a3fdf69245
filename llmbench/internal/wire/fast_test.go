package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench/internal/sse"
)

// chunksOf reads the data of every event of a recorded stream.
func chunksOf(t testing.TB, file string) [][]byte {
	t.Helper()
	body, err := os.ReadFile(file)
	require.NoError(t, err)
	var p sse.Parser
	var out [][]byte
	for len(body) > 0 {
		space, err := p.Space()
		require.NoError(t, err)
		n := copy(space, body)
		body = body[n:]
		p.Filled(n)
		for ev, ok := p.Next(); ok; ev, ok = p.Next() {
			out = append(out, bytes.Clone(ev.Data))
		}
	}
	return out
}

// said is an event with its texts copied, for comparison.
type said struct {
	pieces   []string
	kind     Kind
	role     bool
	finish   string
	usage    Usage
	reported bool
	tokens   Opt[int64]
	failure  *ServerError
	timed    bool
	ignored  bool
}

func what(ev *event) said {
	s := said{kind: ev.kind(), role: ev.role, finish: ev.finish, usage: ev.usage, reported: ev.reported, tokens: ev.tokens,
		failure: ev.failure, timed: ev.timed, ignored: ev.ignored}
	for _, p := range ev.pieces {
		s.pieces = append(s.pieces, p.kind.String()+string(rune('0'+p.choice))+string(p.text))
	}
	return s
}

// agree holds that what the fast path takes, the slow path reads alike; it
// tells whether it took it.
func agree(t *testing.T, data []byte) bool {
	t.Helper()
	var fast, slow event
	if !fastOpenAI(nil, data, &fast) {
		return false
	}
	require.NoError(t, slowOpenAI(nil, data, &slow), "%q", data)
	require.Equal(t, what(&slow), what(&fast), "%q", data)
	return true
}

// The fast path must take the usual chunks, or the speed is that of the slow
// one; and read what it takes as that one does.
func TestFastPath(t *testing.T) {
	for _, tt := range []struct {
		why, data string
		fast      bool
	}{
		{"vLLM", `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" world"},"logprobs":null,"finish_reason":null,"token_ids":null}]}`, true},
		{"vLLM's role", `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":null}`, true},
		{"running usage", `{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":9,"total_tokens":10,"completion_tokens":1,"prompt_tokens_details":null}}`, true},
		{"llama.cpp", `{"choices":[{"finish_reason":null,"index":0,"delta":{"content":"a"}}],"created":1,"id":"c","model":"m","system_fingerprint":"b1","object":"chat.completion.chunk"}`, true},
		{"OpenAI", `{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt","service_tier":"default","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"a","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"xyz"}`, true},
		{"completions", `{"id":"p","object":"text_completion","choices":[{"index":0,"text":"a\n","logprobs":null,"finish_reason":null,"stop_reason":null}],"usage":null}`, true},
		{"reasoning under two names", `{"choices":[{"index":0,"delta":{"content":null,"reasoning":"x","reasoning_content":"y","tool_calls":null}}]}`, true},
		{"Azure's filters", `{"choices":[{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"delta":{"content":"a"},"index":0}]}`, true},
		{"Python escapes what is not ASCII", `{"choices":[{"delta":{"content":"\u4e2d\ud83d\ude00\t\"\\\/\b\f\n\r"}}]}`, true},
		{"a lone surrogate", `{"choices":[{"delta":{"content":"\ud83d \ude00\ud83d\u0041"}}]}`, true},
		{"white space everywhere", " { \"choices\" : [ { \"delta\" : { \"content\" : \"a\" } , \"index\" : 1 } , { } ] } \n", true},
		{"the usage tail", `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`, true},
		{"a finish reason", `{"choices":[{"index":0,"delta":{},"finish_reason":"length","stop_reason":2}]}`, true},
		{"two choices", `{"choices":[{"index":1,"delta":{"content":"a"}},{"index":0,"delta":{"content":"b"},"finish_reason":"eos"}]}`, true},
		{"an error is for the slow path", `{"error":{"message":"x"},"choices":[]}`, false},
		{"also by its object's name", `{"object":"error","message":"x","choices":[]}`, false},
		{"no choices", `{"id":"c"}`, false},
		{"null choices", `{"choices":null}`, false},
		{"a key twice", `{"choices":[],"choices":[]}`, false},
		{"content twice", `{"choices":[{"delta":{"content":"a","content":""}}]}`, false},
		{"content as parts", `{"choices":[{"delta":{"content":[]}}]}`, false},
		{"an escaped key", `{"choices":[{"delta":{"cont\u0065nt":"a"}}]}`, false},
		{"tools", `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f"}}]}}]}`, false},
		{"timings", `{"choices":[],"timings":{"prompt_n":1}}`, false},
		{"invalid UTF-8", "{\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}", false},
		{"a raw control character", "{\"choices\":[{\"delta\":{\"content\":\"\n\"}}]}", false},
		{"a bad escape", `{"choices":[{"delta":{"content":"\x"}}]}`, false},
		{"a bad number", `{"created":01,"choices":[]}`, false},
		{"a control character in a long text", "{\"choices\":[{\"text\":\"aaaaaaaaaaaaaaaa\x1faaaaaaaaaaaaaaaa\"}]}", false},
		{"an escape and a quote in a long text", `{"choices":[{"text":"aaaaaaaaaaaaaaaaaa\n\"aaaaaaaaaaaaaaaa\u00e9"}]}`, true},
		{"a sign alone", `{"created":-,"choices":[]}`, false},
		{"a point without digits", `{"created":1.,"choices":[]}`, false},
		{"fractions and signs", `{"created":-1.50,"choices":[]}`, true},
		{"more after the end", `{"choices":[]}{}`, false},
		{"a NUL after the end", "{\"choices\":[]}\x00", false},
		{"no end", `{"choices":[{"delta":{"content":"a"`, false},
		{"nothing", ``, false},
		{"too deep", `{"x":[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]],"choices":[]}`, false},
	} {
		require.Equal(t, tt.fast, agree(t, []byte(tt.data)), tt.why)
	}
}

func TestFastPathOnRecordedStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*/stream.sse")
	require.NoError(t, err)
	taken, all := 0, 0
	for _, file := range files {
		for _, data := range chunksOf(t, file) {
			all++
			if agree(t, data) {
				taken++
			}
		}
	}
	require.Greater(t, float64(taken)/float64(all), 0.5, "%d of %d", taken, all)
}

// FuzzFastPath: whatever the fast path takes, the slow path takes too, and
// reads alike.
func FuzzFastPath(f *testing.F) {
	files, err := filepath.Glob("testdata/cases/*/stream.sse")
	require.NoError(f, err)
	for _, file := range files {
		for _, data := range chunksOf(f, file) {
			if len(data) < 1000 {
				f.Add(data)
			}
		}
	}
	f.Add([]byte(`{"choices":[{"delta":{"content":"\u4e2d\ud83d\ude00\t"},"index":0}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`))
	f.Add([]byte(`{"x":[1.5,-2,true,false,null,{"a":"b"}],"choices":[{"text":"a"},{"delta":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, data) })
}
