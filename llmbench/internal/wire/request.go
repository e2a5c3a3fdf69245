package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Request is what one call asks for, in no protocol's words. The zero value of
// a field means that it is not sent.
type Request struct {
	Model     string
	Messages  []Message
	MaxTokens int
	MinTokens int
	// MaxTokensField names the chat field that carries MaxTokens: "" is the
	// protocol's own (max_completion_tokens for chat), "max_tokens" the older
	// one, "both" sends the two. Other protocols have one field and pay no
	// heed.
	MaxTokensField string
	IgnoreEOS      bool
	Stream         bool
	OmitUsage      bool // do not ask for usage in the stream
	N              int
	Temperature    *float64
	Seed           *int64
	// Extra goes into the top level of the body last and wins over all of the
	// above. A nil value takes the field out.
	Extra map[string]any
}

// Message is one turn of a conversation.
type Message struct {
	Role    string // empty means user
	Content string
	Images  []string       // URLs or data URLs, after the text
	Extra   map[string]any // more fields of the message, as tool_call_id
}

func (m Message) role() string {
	if m.Role == "" {
		return "user"
	}
	return m.Role
}

// fields builds a JSON object and leaves out what is not set.
type fields map[string]any

// text, and the methods below, set a field only where there is something to
// send, and return the fields so that a body reads as a list.
func (f fields) text(name, value string) fields {
	if value != "" {
		f[name] = value
	}
	return f
}

func (f fields) count(name string, value int) fields {
	if value != 0 {
		f[name] = value
	}
	return f
}

func (f fields) flag(name string, value bool) fields {
	if value {
		f[name] = true
	}
	return f
}

func (f fields) number(name string, value *float64) fields {
	if value != nil {
		f[name] = *value
	}
	return f
}

func (f fields) seed(value *int64) fields {
	if value != nil {
		f["seed"] = *value
	}
	return f
}

// body merges extra over the fields and encodes. Go sorts the keys, so one
// request is always the same bytes.
func (f fields) body(extra map[string]any) ([]byte, error) {
	for name, value := range extra {
		if value == nil {
			delete(f, name)
			continue
		}
		f[name] = value
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		return nil, fmt.Errorf("wire: request body: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}

// merged is a message's own object with its extra fields.
func (f fields) merged(extra map[string]any) fields {
	for name, value := range extra {
		f[name] = value
	}
	return f
}

// prompt joins the texts of all messages, for protocols that take one string.
func prompt(messages []Message) string {
	var out []byte
	for i, m := range messages {
		if i > 0 {
			out = append(out, '\n')
		}
		out = append(out, m.Content...)
	}
	return string(out)
}
