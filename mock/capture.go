package mock

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// captureSchema is the form of a saved exchange that Captured reads: what
// llmbench writes with Profile.Capture, one exchange a line.
const captureSchema = "llmbench.capture/v1"

// captured is the part of a line that a server can do again.
type captured struct {
	Schema  string        `json:"schema"`
	Status  int           `json:"status"`
	Header  http.Header   `json:"header"`
	Headers time.Duration `json:"headers_ns"`
	Reads   []struct {
		At     time.Duration `json:"t_ns"`
		Text   string        `json:"text"`
		Base64 []byte        `json:"base64"`
	} `json:"reads"`
	End    time.Duration `json:"end_ns"`
	Ending string        `json:"ending"`
}

// Captured plays saved exchanges again, byte for byte and instant for instant:
// the first request gets the first of them, and so on; the last goes on for the
// rest. So a stream that somebody saw once becomes a test. Times count from the
// arrival of the request. What ended by a broken connection breaks again; what
// the client gave up hangs.
//
// The error names the line that cannot be read, or says that there is none.
func Captured(lines io.Reader) (Responder, error) {
	var replies []Responder
	in := bufio.NewReader(lines)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			reply, bad := readCapture(text)
			if bad != nil {
				return nil, fmt.Errorf("mock: capture: line %d: %w", number, bad)
			}
			replies = append(replies, reply)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("mock: capture: line %d: %w", number, err)
		}
	}
	if len(replies) == 0 {
		return nil, errors.New("mock: capture: no line in it, want at least one saved exchange")
	}
	return Sequence(replies[0], replies[1:]...), nil
}

func readCapture(text []byte) (Responder, error) {
	var c captured
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if c.Schema != captureSchema {
		return nil, fmt.Errorf("schema is %q, want %q", c.Schema, captureSchema)
	}
	return ResponderFunc(func(*Request) Reply { return c.reply() }), nil
}

// reply is made anew each time, as whoever gets a Reply may change it.
func (c captured) reply() Reply {
	reply := Reply{Status: c.Status, Header: c.replayable(), HeaderAt: c.Headers}
	for _, read := range c.Reads {
		reply.Timeline = append(reply.Timeline, Event{At: read.At, Kind: Raw, Text: read.Text + string(read.Base64)})
	}
	last := Event{At: c.End, Kind: End}
	switch {
	case c.Ending == "cut":
		last.Kind = Hang
	case c.Ending == "broken", c.Status == 0:
		last.Kind = Drop
	}
	reply.Timeline = append(reply.Timeline, last)
	return reply
}

// replayable is the reply's header without what this connection says itself.
func (c captured) replayable() http.Header {
	header := http.Header{}
	for name, values := range c.Header {
		switch http.CanonicalHeaderKey(name) {
		case "Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length", "Cache-Control", "Date":
		default:
			header[name] = slices.Clone(values)
		}
	}
	return header
}
