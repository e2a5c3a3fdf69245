package llmbench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/llmbench/go/llmbench/internal/wire"
)

// ServerTokenizer returns a counter for [Endpoint.CountTokens] that asks the
// engine itself: llama.cpp and vLLM answer POST /tokenize beside their API. It
// tries one word first, and is an error where the server does not answer as
// either does. The counter asks once per text, on the endpoint's connections,
// until ctx ends; below 0 it does not know. It is safe for concurrent use.
func ServerTokenizer(ctx context.Context, e Endpoint) (func(text string) int, error) {
	if err := checkURL(e.URL); err != nil {
		return nil, err
	}
	address, _, err := wire.JoinURL(e.URL, "tokenize")
	if err != nil {
		return nil, fmt.Errorf("llmbench: tokenizer: %w", err)
	}
	client := e.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	ask := func(text string) (int, error) { return tokenize(ctx, client, address, e, text) }
	if _, err := ask("word"); err != nil {
		return nil, fmt.Errorf("llmbench: tokenizer: POST %s: %w", redacted(address), err)
	}
	return func(text string) int {
		n, err := ask(text)
		if err != nil {
			return -1
		}
		return n
	}, nil
}

// tokenize asks in both servers' words at once: llama.cpp reads content, vLLM
// reads model and prompt, and neither minds the other's. A special token at the
// beginning is no part of a reply.
func tokenize(ctx context.Context, client *http.Client, address string, e Endpoint, text string) (int, error) {
	body, err := json.Marshal(map[string]any{
		"content": text, "prompt": text, "model": e.Model, "add_special": false, "add_special_tokens": false,
	})
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	if e.Header != nil {
		request.Header = e.Header.Clone()
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	var answer struct {
		Count  *int              `json:"count"`
		Tokens []json.RawMessage `json:"tokens"`
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	switch {
	case err != nil:
		return 0, err
	case response.StatusCode != http.StatusOK:
		return 0, fmt.Errorf("status is %d, want 200", response.StatusCode)
	case json.Unmarshal(data, &answer) != nil || answer.Count == nil && answer.Tokens == nil:
		return 0, fmt.Errorf("the answer has no tokens and no count")
	case answer.Count != nil:
		return *answer.Count, nil
	}
	return len(answer.Tokens), nil
}

// A tokenizing keeps the texts of a run and counts them when it is over, so that
// counting takes no time from the load. A nil one does nothing.
type tokenizing struct {
	count func(text string) int
	mu    sync.Mutex
	texts map[string]exchanged
}

// exchanged are the texts of one request: all that was generated, and what was
// asked where the server did not count it.
type exchanged struct{ prompt, reply string }

func newTokenizing(count func(text string) int) *tokenizing {
	if count == nil {
		return nil
	}
	return &tokenizing{count: count, texts: map[string]exchanged{}}
}

// keepText is how many bytes of a reply it needs.
func (t *tokenizing) keepText() int {
	if t == nil {
		return 0
	}
	return 16 << 20
}

// keep takes the texts of a finished request.
func (t *tokenizing) keep(r *Record, request *wire.Request, reply *wire.Reply) {
	if t == nil || r.Outcome != OK {
		return
	}
	var texts exchanged
	if r.InputFrom != FromUsage {
		var all []string
		for _, m := range request.Messages {
			all = append(all, m.Content)
		}
		texts.prompt = strings.Join(all, "\n")
	}
	for _, c := range reply.Choices {
		texts.reply += c.Reasoning + c.Text + c.ToolNames + c.ToolArguments
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.texts[r.ID] = texts
}

// settle counts the texts of all records. The server's usage stands; what it
// does not say is the tokenizer's. The count of the reply is kept beside usage,
// so that the two can be compared.
func (t *tokenizing) settle(records []*Record) {
	if t == nil {
		return
	}
	for _, r := range records {
		texts, ok := t.texts[r.ID]
		if !ok {
			continue
		}
		if n := t.count(texts.reply); n >= 0 {
			r.TokenizedOutput = Is(n)
			if r.OutputFrom != FromUsage {
				r.OutputTokens, r.OutputFrom = Is(n), FromTokenizer
			}
		}
		if r.InputFrom == FromUsage {
			continue
		}
		if n := t.count(texts.prompt); n >= 0 {
			r.InputTokens, r.InputFrom = Is(n), FromTokenizer
		}
	}
}
