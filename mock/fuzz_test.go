package mock

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a client sends, a request is read or refused: no panic, and what was
// read makes sense.
func FuzzRequest(f *testing.F) {
	paths := slices.Sorted(maps.Keys(protocols))
	for i := range paths {
		for _, body := range []string{
			bare, `{"prompt":["a b",[1,2,3]],"max_tokens":3,"stream":true}`, `{"input":[{"content":[{"text":"x"}]}],"max_output_tokens":1}`,
			`{"inputs":"a","parameters":{"max_new_tokens":2}}`, `{"messages":[[[[{"content":{"text":["deep"]}}]]]],"max_tokens":9}`,
			`{"prompt":"x","options":{"num_predict":-1}}`, `{"messages":null,"n":-5}`, `[]`, `"`, ``,
		} {
			f.Add(byte(i), body)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, body string) {
		wire := protocols[paths[int(which)%len(paths)]]
		r := &Request{API: wire.api, Body: []byte(body), MaxTokens: -1}
		if err := wire.parse(r); err != nil {
			if refusal := wire.fail(nil, 400, err.Error()); !json.Valid(refusal) {
				t.Fatalf("the refusal is not JSON: %s", refusal)
			}
			return
		}
		r.Choices = max(r.Choices, 1)
		r.InputTokens = countWords(r.Prompt)
		if r.MaxTokens == 0 && wire.api != Embeddings || r.InputTokens != len(strings.Fields(r.Prompt)) {
			t.Fatalf("%s: MaxTokens %d, InputTokens %d", body, r.MaxTokens, r.InputTokens)
		}
	})
}

// A text of one's own is cut into words and nothing of it is lost; each piece is
// a JSON string that reads back.
func FuzzText(f *testing.F) {
	for _, text := range []string{"Hello, big  world\n", " ", "", "grün \"x\" \\ \u2028", "a\tb\r\nc", "\x00\x1f"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip("JSON has no invalid text")
		}
		pieces := tokens(text)
		if len(pieces) != countWords(text) {
			t.Fatalf("%d pieces of %d words", len(pieces), countWords(text))
		}
		if joined := strings.Join(pieces, ""); joined != text && len(pieces) > 0 {
			t.Fatalf("%q became %q", text, joined)
		}
		var back string
		if err := json.Unmarshal(appendString(nil, text), &back); err != nil || back != text {
			t.Fatalf("%q reads back as %q: %v", text, back, err)
		}
	})
}
