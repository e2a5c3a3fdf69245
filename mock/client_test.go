package mock

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// seen is what a client of our tests read: it is written here, so that the mock
// is not checked by the code it will check.
type seen struct {
	status  int
	header  http.Header
	body    string
	lines   []line
	err     error // how reading ended, nil for a clean end
	sent    time.Time
	headers time.Time
	end     time.Time
}

// line is one data line of a stream, and when it was read.
type line struct {
	at   time.Duration // since the request was sent
	text string
}

// call sends a chat request of so many words and reads the reply to its end.
func call(ctx context.Context, s *Server, body string) (got seen) {
	return callPath(ctx, s, "/chat/completions", body)
}

func callPath(ctx context.Context, s *Server, path, body string) (got seen) {
	return callWith(ctx, s, path, body, nil)
}

// callAs sends the request under an id.
func callAs(ctx context.Context, s *Server, id, body string) seen {
	return callWith(ctx, s, "/chat/completions", body, http.Header{"X-Request-Id": {id}})
}

func callWith(ctx context.Context, s *Server, path, body string, header http.Header) (got seen) {
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL()+path, strings.NewReader(body))
	if err != nil {
		return seen{err: err}
	}
	if header != nil {
		req.Header = header
	}
	sent := time.Now()
	resp, err := s.Client().Do(req)
	if err != nil {
		return seen{err: err}
	}
	return read(resp, sent)
}

// read reads a reply to its end.
func read(resp *http.Response, sent time.Time) (got seen) {
	defer resp.Body.Close()
	got.sent, got.headers, got.status, got.header = sent, time.Now(), resp.StatusCode, resp.Header
	var whole bytes.Buffer
	r := bufio.NewReader(io.TeeReader(resp.Body, &whole))
	for {
		text, err := r.ReadString('\n')
		if data, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "data: "); ok {
			got.lines = append(got.lines, line{time.Since(got.sent), data})
		}
		if err != nil {
			if err != io.EOF {
				got.err = err
			}
			break
		}
	}
	got.body, got.end = whole.String(), time.Now()
	return got
}

// content is the text of the stream, and the instants of the chunks that have
// some.
func (g seen) content(t testing.TB) (text string, at []time.Duration) {
	t.Helper()
	for _, l := range g.lines {
		if l.text == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		require.NoError(t, json.Unmarshal([]byte(l.text), &chunk), l.text)
		for _, c := range chunk.Choices {
			if c.Delta.Content != "" {
				text += c.Delta.Content
				at = append(at, l.at)
			}
		}
	}
	return text, at
}

// usage is the last usage that was reported.
func (g seen) usage(t testing.TB) (u struct {
	PromptTokens        int `json:"prompt_tokens"`
	CompletionTokens    int `json:"completion_tokens"`
	TotalTokens         int `json:"total_tokens"`
	PromptTokensDetails *struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}) {
	t.Helper()
	lines := g.lines
	if len(lines) == 0 {
		lines = []line{{text: g.body}}
	}
	for _, l := range lines {
		if strings.Contains(l.text, `"usage":{`) {
			chunk := struct{ Usage any }{&u}
			require.NoError(t, json.Unmarshal([]byte(l.text), &chunk), l.text)
		}
	}
	return u
}

// ask is the body of a chat request with so many prompt words.
func ask(words, tokens int, more string) string {
	prompt := strings.TrimSpace(strings.Repeat("word ", words))
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}],"max_tokens":%d,"stream":true,"stream_options":{"include_usage":true}%s}`,
		prompt, tokens, more)
}

// newLines reads line by line, of any length that the tests use.
func newLines(r io.Reader) *bufio.Scanner { return bufio.NewScanner(r) }

func copyAll(w io.Writer, r io.Reader) (int64, error) { return io.Copy(w, r) }
