package mock

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// protocol is one API: how its requests are read and its replies written. The
// encoders are written from the public specifications, and share nothing with
// the client they are used to check.
type protocol struct {
	api API
	// parse fills in what the body asks for.
	parse func(r *Request) error
	// stream is the Content-Type of a streamed reply.
	stream string
	// event appends the bytes of one event.
	event func(b []byte, s *stream, e Event) []byte
	// whole appends the body of a reply that is not streamed.
	whole func(b []byte, s *stream) []byte
}

// gap is what ends a frame.
func (p *protocol) gap() string {
	if p.stream == sse {
		return "\n\n"
	}
	return "\n"
}

// errorBody is the error object of a protocol.
func errorBody(api API, status int, message string) []byte {
	return appendError(nil, api, status, message)
}

// appendError appends what each API says instead of a reply.
func appendError(b []byte, _ API, status int, message string) []byte {
	b = append(b, `{"error":{"message":`...)
	b = appendString(b, message)
	b = append(b, `,"type":`...)
	b = appendString(b, errorType(status))
	b = append(b, `,"param":null,"code":`...)
	b = strconv.AppendInt(b, int64(status), 10)
	return append(b, "}}"...)
}

// errorType is OpenAI's name for a status.
func errorType(status int) string {
	switch {
	case status == 429:
		return "rate_limit_error"
	case status == 401 || status == 403:
		return "authentication_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

var protocols = map[string]*protocol{
	"/v1/chat/completions": &chat,
}

// decode reads a JSON body; its error is for the client to read.
func decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("the request body is not the JSON wanted: %w", err)
	}
	return nil
}

// limit checks a stated length, and returns -1 for none.
func limit(stated ...*int) (int, error) {
	for _, n := range stated {
		if n == nil {
			continue
		}
		if *n < 1 {
			return 0, fmt.Errorf("max_tokens must be at least 1, got %d", *n)
		}
		return *n, nil
	}
	return -1, nil
}

var errNoMessages = errors.New("messages: want at least one")

// text is message content: a string, or a list of parts of which the ones with
// text count.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' || string(b) == "null" {
		return json.Unmarshal(b, (*string)(t))
	}
	var parts []struct {
		Text    string `json:"text"`
		Content text   `json:"content"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		t.join(text(p.Text))
		t.join(p.Content)
	}
	return nil
}

func (t *text) join(more text) {
	if more == "" {
		return
	}
	if *t != "" {
		*t += "\n"
	}
	*t += more
}

// appendString appends s as a JSON string. Most of what a reply says is plain
// ASCII and is copied; the rest goes the way of encoding/json.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			quoted, _ := json.Marshal(s) // a string always marshals
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendComment appends an SSE comment; each line of text is one.
func appendComment(b []byte, text string) []byte {
	for line := range strings.SplitSeq(text, "\n") {
		b = append(b, ": "...)
		b = append(b, line...)
		b = append(b, '\n')
	}
	return append(b, '\n')
}

func appendField(b []byte, name string, value int) []byte {
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, `":`...)
	return strconv.AppendInt(b, int64(value), 10)
}
