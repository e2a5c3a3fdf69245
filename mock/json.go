package mock

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
			return 0, fmt.Errorf("the limit of output tokens must be at least 1, got %d", *n)
		}
		return *n, nil
	}
	return -1, nil
}

// text is content as the APIs have it: a string, a token number, or a list of
// such or of parts that have text or content. All text counts, joined by line
// ends.
type text string

// UnmarshalJSON descends into whatever it finds; encoding/json bounds the depth.
func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || string(b) == "null":
		return nil
	case b[0] == '"':
		return json.Unmarshal(b, (*string)(t))
	case b[0] == '[':
		var parts []text
		if err := json.Unmarshal(b, &parts); err != nil {
			return err
		}
		*t = joined(parts...)
		return nil
	case b[0] == '{':
		var part struct{ Text, Content, Thinking, Output text }
		if err := json.Unmarshal(b, &part); err != nil {
			return err
		}
		*t = joined(part.Text, part.Content, part.Thinking, part.Output)
		return nil
	}
	*t = text(b) // a token's number is a word
	return nil
}

// joined parts texts by line ends, so that words of two messages stay two words.
func joined(parts ...text) text {
	var b strings.Builder
	for _, p := range parts {
		if p != "" && b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(string(p))
	}
	return text(b.String())
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

func appendField(b []byte, name string, value int) []byte {
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, `":`...)
	return strconv.AppendInt(b, int64(value), 10)
}

func appendText(b []byte, name, value string) []byte {
	b = append(b, '"')
	b = append(b, name...)
	b = append(b, `":`...)
	return appendString(b, value)
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
