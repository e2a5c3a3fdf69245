package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/llmbench/go/llmbench/internal/lines"
)

// CaptureSchema marks each line that a capture is saved as.
const CaptureSchema = "llmbench.capture/v1"

// Capture is one exchange as it crossed the wire, so that what a server did can
// be kept, sent in a bug report, and played again. Keys are taken out of it:
// the secret headers show only that they were there, and bytes of the reply
// that repeat a key are overwritten. The request's body is kept as it is.
//
// A capture is saved as one line of JSON (MarshalJSON, ReadCaptures); all times
// in it count from the instant of sending:
//
//	{"schema":"llmbench.capture/v1","api":"openai-chat","url":"http://h/v1/chat/completions","sent_ns":0,
//	 "request":{"header":{"Accept":["..."]},"body":{"text":"{...}"}},
//	 "status":200,"header":{"Content-Type":["text/event-stream"]},"headers_ns":1000,
//	 "reads":[{"t_ns":2000,"text":"data: ..."},{"t_ns":3000,"base64":"/w=="}],"end_ns":3000,"ending":"eof","truncated":false,"error":""}
//
// Bytes are "text" where they are UTF-8, else "base64". A reply that came
// compressed is captured decompressed, and its header without Content-Encoding.
type Capture struct {
	API           string
	URL           string        // no user, no query: either can hold a key
	Sent          time.Duration // on the run's clock; every other time counts from it
	RequestHeader http.Header
	RequestBody   []byte

	Status  int // 0: no response
	Header  http.Header
	Headers time.Duration // response headers read
	Reads   []CapturedRead
	End     time.Duration
	// Ending is how the exchange ended: EndedWell at the end of the body,
	// EndedBroken by a failure of the connection, or EndedByUs by a limit or a
	// cancellation of this side.
	Ending string
	// Truncated is set where more bytes came than Call.Capture keeps.
	Truncated bool
	Err       string // why the reply failed, as in Reply.Err
}

// The endings of a Capture.
const (
	EndedWell   = "eof"
	EndedBroken = "broken"
	EndedByUs   = "cut"
)

// CapturedRead is what one Read of the body brought.
type CapturedRead struct {
	At   time.Duration
	Data []byte
}

// startCapture notes the request as it is about to leave: after the caller's
// headers and the protocol's, without their secrets.
func (x *exchange) startCapture(r *http.Request, body []byte) {
	if x.call.Capture <= 0 {
		return
	}
	x.capture = &Capture{
		API: x.call.Protocol.Name(), URL: bareURL(r.URL.String()), Sent: x.reply.Sent,
		RequestHeader: x.secrets.header(r.Header), RequestBody: body,
	}
}

// captureHead drops the two headers that would be wrong once the bytes are
// kept as they were read: their length, and a compression that is undone.
func (x *exchange) captureHead(response *http.Response) {
	if x.capture == nil {
		return
	}
	x.capture.Status = response.StatusCode
	x.capture.Headers = x.reply.Headers.V - x.reply.Sent
	x.capture.Header = x.secrets.header(response.Header)
	x.capture.Header.Del("Content-Encoding")
	x.capture.Header.Del("Content-Length")
}

// captureRead copies, since the buffer is used again. The bound cuts inside a
// Read rather than leaving one out: what is there is then a true beginning of
// the stream.
func (x *exchange) captureRead(p []byte, at time.Duration) {
	c := x.capture
	if c == nil || c.Truncated {
		return
	}
	if room := x.call.Capture - x.captured; len(p) > room {
		p, c.Truncated = p[:room], true
	}
	x.captured += len(p)
	c.Reads = append(c.Reads, CapturedRead{At: at - x.reply.Sent, Data: bytes.Clone(p)})
}

// captureEnding notes how the exchange ended; err is that of the last Read, nil
// at the end of the body.
func (x *exchange) captureEnding(err error) {
	switch {
	case x.capture == nil:
	case err == nil:
		x.capture.Ending = EndedWell
	case x.ctx.Err() != nil || errors.Is(err, errTooLong):
		x.capture.Ending = EndedByUs
	default:
		x.capture.Ending = EndedBroken
	}
}

// finishCapture masks last, when all halves of a key are there.
func (x *exchange) finishCapture() {
	c := x.capture
	if c == nil {
		return
	}
	c.End, c.Err = x.reply.End-x.reply.Sent, x.reply.Err
	c.mask(x.secrets)
	x.reply.Capture = c
}

// mask overwrites keys in the reply, also one that two Reads brought in halves.
// The length stays, so that the times of all other bytes do.
func (c *Capture) mask(r redactor) {
	var all []byte
	for _, read := range c.Reads {
		all = append(all, read.Data...)
	}
	for _, secret := range r.secrets {
		all = bytes.ReplaceAll(all, []byte(secret), bytes.Repeat([]byte{'x'}, len(secret)))
	}
	for i := range c.Reads {
		n := copy(c.Reads[i].Data, all)
		all = all[n:]
	}
}

// captureLine is a capture's line of JSON.
type captureLine struct {
	Schema    string         `json:"schema"`
	API       string         `json:"api"`
	URL       string         `json:"url"`
	Sent      time.Duration  `json:"sent_ns"`
	Request   captureRequest `json:"request"`
	Status    int            `json:"status"`
	Header    http.Header    `json:"header"`
	Headers   time.Duration  `json:"headers_ns"`
	Reads     []captureBytes `json:"reads"`
	End       time.Duration  `json:"end_ns"`
	Ending    string         `json:"ending"`
	Truncated bool           `json:"truncated"`
	Err       string         `json:"error"`
}

type captureRequest struct {
	Header http.Header  `json:"header"`
	Body   captureBytes `json:"body"`
}

type captureBytes struct {
	At     time.Duration `json:"t_ns"`
	Text   *string       `json:"text,omitempty"`
	Base64 []byte        `json:"base64,omitempty"`
}

// bytesOf keeps text readable in the file: people look at captures before they
// play them. Only what JSON cannot hold unchanged is base64.
func bytesOf(at time.Duration, data []byte) captureBytes {
	if utf8.Valid(data) {
		text := string(data)
		return captureBytes{At: at, Text: &text}
	}
	return captureBytes{At: at, Base64: data}
}

func (b captureBytes) data() []byte {
	if b.Text != nil {
		return []byte(*b.Text)
	}
	return b.Base64
}

// MarshalJSON writes the capture's line, without a line end.
func (c *Capture) MarshalJSON() ([]byte, error) {
	line := captureLine{
		Schema: CaptureSchema, API: c.API, URL: c.URL, Sent: c.Sent,
		Request: captureRequest{Header: c.RequestHeader, Body: bytesOf(0, c.RequestBody)},
		Status:  c.Status, Header: c.Header, Headers: c.Headers, End: c.End, Ending: c.Ending, Truncated: c.Truncated, Err: c.Err,
		Reads: []captureBytes{},
	}
	for _, read := range c.Reads {
		line.Reads = append(line.Reads, bytesOf(read.At, read.Data))
	}
	return json.Marshal(line)
}

// UnmarshalJSON reads a capture's line. Another schema is an error, and so is a
// Read that is before the one before it.
func (c *Capture) UnmarshalJSON(text []byte) error {
	var line captureLine
	if err := json.Unmarshal(text, &line); err != nil {
		return err
	}
	if line.Schema != CaptureSchema {
		return fmt.Errorf("schema is %q, want %q", printable(line.Schema, 60), CaptureSchema)
	}
	*c = Capture{
		API: line.API, URL: line.URL, Sent: line.Sent, RequestHeader: line.Request.Header, RequestBody: line.Request.Body.data(),
		Status: line.Status, Header: maps.Clone(line.Header), Headers: line.Headers, End: line.End, Ending: line.Ending, Truncated: line.Truncated, Err: line.Err,
	}
	last := time.Duration(0)
	for i, read := range line.Reads {
		if read.At < last {
			return fmt.Errorf("reads[%d].t_ns is %d, want at least %d: a Read cannot be before the one before it", i, read.At, last)
		}
		last = read.At
		c.Reads = append(c.Reads, CapturedRead{At: read.At, Data: read.data()})
	}
	return nil
}

// WriteCaptures saves captures, one per line.
func WriteCaptures(w io.Writer, captures ...*Capture) error {
	for _, c := range captures {
		line, err := c.MarshalJSON()
		if err != nil {
			return fmt.Errorf("wire: capture: %w", err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("wire: capture: %w", err)
		}
	}
	return nil
}

// ReadCaptures loads saved captures; blank lines are passed over. A bad line is
// an error with its number, and the captures before it are returned with it.
func ReadCaptures(r io.Reader) ([]*Capture, error) {
	var captures []*Capture
	err := lines.Each(r, func(line []byte) error {
		c := new(Capture)
		if err := json.Unmarshal(line, c); err != nil {
			return err
		}
		captures = append(captures, c)
		return nil
	})
	if err != nil {
		return captures, fmt.Errorf("wire: capture: %w", err)
	}
	return captures, nil
}
