package wire

import (
	"bytes"
	"mime"
	"sync"

	"github.com/llmbench/go/llmbench/internal/lines"
	"github.com/llmbench/go/llmbench/internal/ndjson"
	"github.com/llmbench/go/llmbench/internal/sse"
)

// intake takes the bytes of a body and gives events. Its four kinds are an
// event stream, JSON lines, one JSON text, and the probe that has yet to see
// which of these a body is.
type intake interface {
	Space() ([]byte, error)
	Filled(n int)
	next() (frame, bool)
	end() (frame, bool) // what is left when the body has ended
	Reset()
}

// frame is one event before it is decoded.
type frame struct {
	name, data []byte
	tail       bool // nothing closed it: the body ended
}

type sseIntake struct{ sse.Parser }

func (in *sseIntake) next() (frame, bool) {
	ev, ok := in.Next()
	return frame{name: ev.Name, data: ev.Data}, ok
}

func (in *sseIntake) end() (frame, bool) {
	ev, ok := in.End()
	return frame{name: ev.Name, data: ev.Data, tail: true}, ok
}

type ndjsonIntake struct{ ndjson.Parser }

func (in *ndjsonIntake) next() (frame, bool) {
	line, ok := in.Next()
	return frame{data: line}, ok
}

func (in *ndjsonIntake) end() (frame, bool) {
	line, ok := in.End()
	return frame{data: line, tail: true}, ok
}

// wholeIntake keeps the body together and gives it as one event when it has
// ended.
type wholeIntake struct {
	max  int
	data []byte
}

// Space lets append choose the growth; a body of known length is still not
// trusted to be that long.
func (in *wholeIntake) Space() ([]byte, error) {
	limit := in.max
	if limit <= 0 {
		limit = lines.DefaultMax
	}
	if len(in.data) >= limit {
		return nil, lines.ErrTooLong
	}
	in.data = append(in.data, 0)[:len(in.data)]
	return in.data[len(in.data):min(cap(in.data), limit)], nil
}

func (in *wholeIntake) Filled(n int)        { in.data = in.data[:len(in.data)+n] }
func (in *wholeIntake) next() (frame, bool) { return frame{}, false }
func (in *wholeIntake) Reset()              { in.data = in.data[:0] }

// end trims the byte order mark and the white space that encoding/json would
// refuse or ignore.
func (in *wholeIntake) end() (frame, bool) {
	data := bytes.TrimSpace(bytes.TrimPrefix(in.data, []byte("\xef\xbb\xbf")))
	return frame{data: data}, len(data) > 0
}

// probe takes the first bytes of a body whose Content-Type does not tell what
// it is.
type probe struct{ space [4096]byte }

func (in *probe) Space() ([]byte, error) { return in.space[:], nil }
func (in *probe) Filled(int)             {}
func (in *probe) next() (frame, bool)    { return frame{}, false }
func (in *probe) end() (frame, bool)     { return frame{}, false }
func (in *probe) Reset()                 {}

// shape is what a body turned out to be.
type shape uint8

const (
	shapeUnknown shape = iota
	shapeSSE
	shapeNDJSON
	shapeJSON
	shapePage // HTML, or nothing that a model server sends
)

// declaredShape is what the Content-Type says. application/json is believed
// only where no stream was asked for, text/plain and text/html never: servers
// and proxies put all three on streams (text/html is what Flask gives a
// generator by default).
func declaredShape(contentType string, streamed bool) shape {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return shapeUnknown
	}
	switch media {
	case "text/event-stream":
		return shapeSSE
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/json-lines":
		return shapeNDJSON
	case "application/json":
		if !streamed {
			return shapeJSON
		}
	}
	return shapeUnknown
}

// seenShape is what the first bytes say; unknown while they are white space or
// a byte order mark.
func seenShape(first []byte, streamed bool, f framing) shape {
	first = bytes.TrimLeft(first, " \t\r\n\xef\xbb\xbf")
	switch {
	case len(first) == 0:
		return shapeUnknown
	case first[0] == '<':
		return shapePage
	case (first[0] == '{' || first[0] == '[') && streamed && f == framingNDJSON:
		return shapeNDJSON
	case first[0] == '{' || first[0] == '[':
		return shapeJSON
	case streamed && f != framingWhole && bytes.IndexByte([]byte(":deir"), first[0]) >= 0: // a comment, data, event or error, id, retry
		return shapeSSE
	}
	return shapePage
}

var (
	ssePool    = sync.Pool{New: func() any { return new(sseIntake) }}
	ndjsonPool = sync.Pool{New: func() any { return new(ndjsonIntake) }}
)

// newIntake makes the intake of a shape; put gives it back.
func newIntake(s shape, maxLine int) intake {
	switch s {
	case shapeSSE:
		in := ssePool.Get().(*sseIntake)
		in.Max, in.ErrorField = maxLine, true
		return in
	case shapeNDJSON:
		in := ndjsonPool.Get().(*ndjsonIntake)
		in.Max = maxLine
		return in
	case shapeJSON, shapePage:
		return &wholeIntake{max: maxLine}
	}
	return new(probe)
}

// put keeps the memory of an intake for the next call.
func put(in intake) {
	in.Reset()
	switch in := in.(type) {
	case *sseIntake:
		ssePool.Put(in)
	case *ndjsonIntake:
		ndjsonPool.Put(in)
	}
}
