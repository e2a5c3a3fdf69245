// Package lines cuts a stream of bytes into lines while the caller keeps the
// Read calls to itself.
//
// A bufio.Scanner reads for you, and so hides when a Read returned; a benchmark
// needs exactly that instant. Here the caller asks for free space, reads into
// it, takes its timestamp, says how much came, and then collects the lines:
//
//	space, err := buf.Space()
//	n, err := conn.Read(space)
//	at := now()
//	buf.Filled(n)
//	for line, ok := buf.Line(); ok; line, ok = buf.Line() { ... }
//
// Bytes that are somewhere already, such as what a poller read, need not be copied
// where they hold whole lines, which is nearly always in a stream of events: see
// [Buffer.Borrow].
package lines

import (
	"bytes"
	"errors"
)

// DefaultMax is the bound on one line where none is set: 64 MiB. It is there so
// that a server that never ends a line cannot take all memory; no reply of a
// model comes near it (an image as a data URL has a few MiB).
const DefaultMax = 64 << 20

// firstSize is the first buffer. A read of a busy stream brings one HTTP chunk,
// mostly 150 to 400 bytes, so 4 KiB hold a burst of ten of them without growing,
// and two thousand streams hold 8 MiB.
const firstSize = 4 << 10

// ErrTooLong says that a line outgrew Max.
var ErrTooLong = errors.New("lines: a line is longer than the bound")

var byteOrderMark = []byte("\xef\xbb\xbf")

// Buffer holds the bytes that have been read and not yet been handed out. The
// zero value is ready: lines end with LF or CRLF, and are at most DefaultMax
// long. It is not safe for concurrent use.
type Buffer struct {
	Max    int  // bytes of the longest line, its end included; 0 means DefaultMax
	LoneCR bool // a CR that no LF follows ends a line too, as in event streams

	buf        []byte
	own        []byte // the buffer's own memory while buf is another's
	start, end int
	lf, cr     finder
	begun      bool // the place where a byte order mark may stand is passed
	skipLF     bool // the last line ended with the CR that was the buffer's last byte: an LF that follows belongs to it
}

// Reset forgets all bytes and keeps the memory, unless one long line made it
// large.
func (b *Buffer) Reset() {
	buf := b.buf
	if len(buf) > 16*firstSize {
		buf = nil
	}
	*b = Buffer{Max: b.Max, LoneCR: b.LoneCR, buf: buf}
}

// Space returns room for the next Read, at least one byte. It moves the bytes
// that are kept, so lines that were handed out are no longer valid after it. It
// fails with ErrTooLong when the unfinished line has reached Max.
func (b *Buffer) Space() ([]byte, error) {
	b.compact()
	if b.end >= b.max() {
		return nil, ErrTooLong
	}
	if b.end == len(b.buf) {
		b.grow()
	}
	return b.buf[b.end:min(len(b.buf), b.max())], nil
}

// Filled says that the last Read put n bytes into the space.
func (b *Buffer) Filled(n int) { b.end += n }

// Borrow reads lines from p itself, until Return, in place of Space and Filled.
// It reports false, and does nothing, where bytes are kept that p goes on from, or
// p is longer than a line may be.
func (b *Buffer) Borrow(p []byte) bool {
	if b.start < b.end || len(p) > b.max() {
		return false
	}
	b.own, b.buf = b.buf, p
	b.start, b.end = 0, len(p)
	b.lf, b.cr = finder{}, finder{}
	return true
}

// Return ends what Borrow began: what no line end closed is kept, and lines that
// were handed out are no longer valid.
func (b *Buffer) Return() {
	rest := b.buf[b.start:b.end]
	b.buf, b.own = b.own, nil
	b.start, b.end = 0, 0
	b.lf, b.cr = finder{}, finder{}
	for len(b.buf) < len(rest) {
		b.grow()
	}
	b.end = copy(b.buf, rest)
}

// Line takes the next complete line, without its end. The slice is valid until
// the next Space or Return.
func (b *Buffer) Line() ([]byte, bool) {
	if !b.begin() {
		return nil, false
	}
	b.dropLF()
	at := b.lf.next('\n', b.buf, b.start, b.end)
	if b.LoneCR {
		if cr := b.cr.next('\r', b.buf, b.start, b.end); cr >= 0 && (at < 0 || cr < at) {
			at = cr
		}
	}
	if at < 0 {
		return nil, false
	}
	line := b.buf[b.start:at]
	b.start = at + 1
	if b.buf[at] == '\r' {
		b.skipLF = true
		b.dropLF()
		return line, true
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), true
}

// Rest takes what no line end closed: the last line of a stream that was cut,
// empty for one that was not.
func (b *Buffer) Rest() []byte {
	b.dropLF()
	rest := b.buf[b.start:b.end]
	if !b.begun { // one mark is dropped, a second is text
		rest = bytes.TrimPrefix(rest, byteOrderMark)
	}
	b.begun = true
	b.start = b.end
	return rest
}

// begin drops one byte order mark at the start of the stream; false while too
// few bytes came to tell.
func (b *Buffer) begin() bool {
	if b.begun {
		return true
	}
	got := b.buf[b.start:b.end]
	if len(got) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, got) {
		return false
	}
	if bytes.HasPrefix(got, byteOrderMark) {
		b.start += len(byteOrderMark)
	}
	b.begun = true
	return true
}

func (b *Buffer) dropLF() {
	if !b.skipLF || b.start == b.end {
		return
	}
	b.skipLF = false
	if b.buf[b.start] == '\n' {
		b.start++
	}
}

func (b *Buffer) compact() {
	if b.start == 0 {
		return
	}
	copy(b.buf, b.buf[b.start:b.end])
	b.lf.shift(b.start)
	b.cr.shift(b.start)
	b.end -= b.start
	b.start = 0
}

func (b *Buffer) grow() {
	size := max(2*len(b.buf), firstSize)
	grown := make([]byte, min(size, max(b.max(), b.end+1)))
	copy(grown, b.buf[:b.end])
	b.buf = grown
}

func (b *Buffer) max() int {
	if b.Max > 0 {
		return b.Max
	}
	return DefaultMax
}

// finder remembers how far a byte was looked for, so that each byte of a stream
// is looked at once, however many reads a line takes and whichever line end the
// stream does not use.
type finder struct {
	at int // where the byte was found; only meaningful while found
	to int // all before it has been looked at
	ok bool
}

func (f *finder) next(c byte, buf []byte, start, end int) int {
	if f.ok && f.at >= start {
		return f.at
	}
	from := max(f.to, start)
	i := bytes.IndexByte(buf[from:end], c)
	f.ok = i >= 0
	if !f.ok {
		f.to = end
		return -1
	}
	f.at, f.to = from+i, from+i+1
	return f.at
}

func (f *finder) shift(n int) {
	f.to = max(0, f.to-n)
	f.at -= n
	f.ok = f.ok && f.at >= 0
}
