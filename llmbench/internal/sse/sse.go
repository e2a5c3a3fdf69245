// Package sse reads server-sent events by the rules of the WHATWG standard
// (HTML, section 9.2, "Server-sent events").
//
// It is a push parser: the caller does the reading, so that one timestamp can
// be taken per Read, before any event is looked at. Readers that own the loop
// (tmaxmax/go-sse, openai-go's ssestream) cannot give that instant, which is
// why this one exists; go-sse is the oracle of its fuzz test. (openai-go's also
// loses streams with a byte order mark or lone CRs, and go-sse gives events for
// blocks without data.) An event's data is a slice of the read buffer wherever
// the event lies in one read, so a stream costs no allocation per event.
package sse

import (
	"bytes"

	"github.com/llmbench/go/llmbench/internal/lines"
)

// ErrTooLong says that one line, or the data of one event, outgrew Parser.Max.
var ErrTooLong = lines.ErrTooLong

// Event is one event. Its slices are valid until the next call of Next, Space or
// Return.
type Event struct {
	Name []byte // the event field; empty for the default type, "message"
	Data []byte // the data lines, joined by LF
	Tail bool   // the stream ended before the blank line that closes an event; the standard would drop it
}

// Parser cuts a stream into events. The zero value is ready to use. It is not
// safe for concurrent use.
type Parser struct {
	// Max bounds a line and an event's data, in bytes. 0 means
	// lines.DefaultMax, 64 MiB.
	Max int
	// ErrorField reads a field "error" as an event of type "error" with that
	// data. The standard ignores the field, but llama.cpp's server wrote its
	// failures as "error: {...}" lines, and they must not be lost.
	ErrorField bool

	in    lines.Buffer
	data  []byte // the event's data, where it is not one slice of in
	whole []byte // the event's only data line so far, a slice of in
	count int    // data lines of the event so far
	name  []byte
	id    []byte
	err   error
}

// Reset makes the parser ready for another stream and keeps its memory.
func (p *Parser) Reset() {
	p.in.Reset()
	data := p.data
	if cap(data) > 1<<18 {
		data = nil
	}
	*p = Parser{Max: p.Max, ErrorField: p.ErrorField, in: p.in, data: data[:0], name: p.name[:0], id: p.id[:0]}
}

// Space returns room for the next Read. It fails with ErrTooLong once a line or
// an event outgrew Max.
func (p *Parser) Space() ([]byte, error) {
	if p.err != nil {
		return nil, p.err
	}
	p.in.Max, p.in.LoneCR = p.Max, true
	p.keep()
	return p.in.Space()
}

// keep copies the event's data so far: the memory it lies in is about to change.
func (p *Parser) keep() {
	if p.whole != nil {
		p.data = append(p.data[:0], p.whole...)
		p.whole = nil
	}
}

// Filled says that the last Read put n bytes into the space.
func (p *Parser) Filled(n int) { p.in.Filled(n) }

// Borrow reads events from b itself, until Return, in place of Space and Filled.
// It reports false, and does nothing, where b goes on with a line that began
// earlier, or is longer than one may be.
func (p *Parser) Borrow(b []byte) bool {
	p.in.Max, p.in.LoneCR = p.Max, true
	return p.err == nil && p.in.Borrow(b)
}

// Return ends what Borrow began, and takes over what b left unfinished.
func (p *Parser) Return() {
	p.keep()
	p.in.Return()
}

// Next returns the next complete event; false when the bytes so far complete
// none.
func (p *Parser) Next() (Event, bool) {
	for p.err == nil {
		line, ok := p.in.Line()
		if !ok {
			break
		}
		if len(line) > 0 {
			p.field(line)
			continue
		}
		if ev, ok := p.dispatch(); ok {
			return ev, true
		}
	}
	return Event{}, false
}

// End returns what the stream left unfinished: the event that no blank line
// closed, or, where a line was cut before its colon, the piece itself as data.
// False when nothing was left. Call it once, after the last Next.
func (p *Parser) End() (Event, bool) {
	rest := p.in.Rest()
	switch {
	case len(rest) == 0 || rest[0] == ':':
	case bytes.IndexByte(rest, ':') < 0:
		p.addData(rest)
	default:
		p.field(rest)
	}
	ev, ok := p.dispatch()
	ev.Tail = true
	return ev, ok && p.err == nil
}

// LastEventID is the last id field of the stream.
func (p *Parser) LastEventID() string { return string(p.id) }

func (p *Parser) dispatch() (Event, bool) {
	ev := Event{Name: p.name, Data: p.data}
	if p.whole != nil {
		ev.Data = p.whole
	}
	ok := p.count > 0
	p.name, p.data, p.whole, p.count = p.name[:0], p.data[:0], nil, 0
	return ev, ok
}

// field reads one line that is not blank. Fields with other names, retry among
// them, change nothing here: a benchmark never reconnects.
func (p *Parser) field(line []byte) {
	name, value, colon := bytes.Cut(line, []byte{':'})
	if colon && len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		p.addData(value)
	case "event":
		p.name = append(p.name[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			p.id = append(p.id[:0], value...)
		}
	case "error":
		if p.ErrorField && colon {
			p.name = append(p.name[:0], "error"...)
			p.addData(value)
		}
	}
}

func (p *Parser) addData(value []byte) {
	p.count++
	if p.count == 1 {
		p.whole = value[:len(value):len(value)]
		return
	}
	p.keep()
	if limit := p.limit(); len(p.data)+1+len(value) > limit {
		p.err = ErrTooLong
		return
	}
	p.data = append(p.data, '\n')
	p.data = append(p.data, value...)
}

func (p *Parser) limit() int {
	if p.Max > 0 {
		return p.Max
	}
	return lines.DefaultMax
}
