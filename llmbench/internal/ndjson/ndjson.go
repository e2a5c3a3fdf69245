// Package ndjson reads a stream of newline-delimited JSON texts, as Ollama's
// native API sends them.
//
// Like package sse it leaves the reading to the caller, who takes one timestamp
// per Read before any text is looked at.
package ndjson

import (
	"bytes"

	"github.com/llmbench/go/llmbench/internal/lines"
)

// ErrTooLong says that one line outgrew Parser.Max.
var ErrTooLong = lines.ErrTooLong

// Parser cuts a stream into lines that are not blank. The zero value is ready
// to use. It is not safe for concurrent use.
type Parser struct {
	// Max bounds a line, in bytes. 0 means lines.DefaultMax, 64 MiB.
	Max int

	in lines.Buffer
}

// Reset makes the parser ready for another stream and keeps its memory.
func (p *Parser) Reset() { p.in.Reset() }

// Space returns room for the next Read. It fails with ErrTooLong once a line
// outgrew Max.
func (p *Parser) Space() ([]byte, error) {
	p.in.Max = p.Max
	return p.in.Space()
}

// Filled says that the last Read put n bytes into the space.
func (p *Parser) Filled(n int) { p.in.Filled(n) }

// Borrow reads lines from b itself, until Return, in place of Space and Filled. It
// reports false, and does nothing, where b goes on with a line that began earlier,
// or is longer than one may be.
func (p *Parser) Borrow(b []byte) bool {
	p.in.Max = p.Max
	return p.in.Borrow(b)
}

// Return ends what Borrow began, and takes over what b left unfinished.
func (p *Parser) Return() { p.in.Return() }

// Next returns the next complete line that is not blank, without the white
// space around it. It is valid until the next Space or Return. It does not check that the
// line is JSON.
func (p *Parser) Next() ([]byte, bool) {
	for {
		line, ok := p.in.Line()
		if !ok {
			return nil, false
		}
		if line = trim(line); len(line) > 0 {
			return line, true
		}
	}
}

// End returns the last line where no line end closed it; false when there is
// none. Call it once, after the last Next.
func (p *Parser) End() ([]byte, bool) {
	rest := trim(p.in.Rest())
	return rest, len(rest) > 0
}

// trim cuts JSON's white space, and no other: a no-break space is a fault that
// the decoder must see.
func trim(line []byte) []byte { return bytes.Trim(line, " \t\r\n") }
