package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner walks one JSON text without building anything from it. It is strict,
// and gives up (bad) on whatever is wrong, unusual or deep; the slow path then
// decides. So it may refuse what encoding/json takes, and never takes what
// encoding/json refuses.
type scanner struct {
	b   []byte
	i   int
	bad bool
}

// maxDepth is how deep the values are nested that are passed over. Chunks have
// five levels.
const maxDepth = 16

// give gives up. It is sticky, so that callers need not look after every step.
func (s *scanner) give() { s.bad = true }

// peek is the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// eat takes c, or gives up.
func (s *scanner) eat(c byte) {
	if s.peek() != c {
		s.give()
		return
	}
	s.i++
}

// ended reports whether the text was taken to its end and nothing was wrong
// with it.
func (s *scanner) ended() bool { return s.peek() == 0 && s.i == len(s.b) && !s.bad }

// item moves to the next item of a list or an object that ends with end; first
// is true for the first one.
func (s *scanner) item(first bool, end byte) bool {
	if s.bad {
		return false
	}
	c := s.peek()
	switch {
	case c == end:
		s.i++
		return false
	case first:
		return true
	case c == ',':
		s.i++
		return true
	}
	s.give()
	return false
}

// member moves to the next member of an object and returns its key. An escaped
// key could be one that matters: give up.
func (s *scanner) member(first bool) ([]byte, bool) {
	if !s.item(first, '}') {
		return nil, false
	}
	key, escaped := s.text()
	if escaped {
		s.give()
	}
	s.eat(':')
	return key, !s.bad
}

// text takes a string and returns what stands between its quotes, and whether
// that has escapes.
func (s *scanner) text() (raw []byte, escaped bool) {
	s.eat('"')
	if s.bad {
		return nil, false
	}
	for start := s.i; ; s.i++ {
		s.i += plainRun(s.b[s.i:])
		switch {
		case s.i == len(s.b):
			s.give()
		case s.b[s.i] == '"':
			s.i++
			return s.b[start : s.i-1], escaped
		case s.b[s.i] == '\\':
			escaped = true
			s.escape()
		default: // a control character, which JSON forbids
			s.give()
		}
		if s.bad {
			return nil, false
		}
	}
}

// plainRun is how many bytes a string runs before its next quote, backslash or
// control character. It looks at eight at once, since most of a chunk is ids
// and names that nobody asked for: half the cost of a chunk was here
// (BenchmarkStream).
func plainRun(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		word := binary.LittleEndian.Uint64(b[n:])
		quote, slash := word^'"'*ones, word^'\\'*ones
		// The lowest marked byte is always a true one; higher ones can be
		// marked by a borrow.
		marks := ((quote-ones) & ^quote | (slash-ones) & ^slash | (word-' '*ones) & ^word) & highs
		if marks != 0 {
			return n + bits.TrailingZeros64(marks)/8
		}
	}
	for n < len(b) && b[n] != '"' && b[n] != '\\' && b[n] >= ' ' {
		n++
	}
	return n
}

// escape checks one escape and moves to its last byte.
func (s *scanner) escape() {
	s.i++
	if s.i >= len(s.b) {
		s.give()
		return
	}
	switch s.b[s.i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
	case 'u':
		if _, ok := hex4(s.b[s.i+1:]); !ok {
			s.give()
			return
		}
		s.i += 4
	default:
		s.give()
	}
}

// null takes null where it stands.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.literal("null")
	return true
}

func (s *scanner) literal(word string) {
	if !bytes.HasPrefix(s.b[s.i:], []byte(word)) {
		s.give()
		return
	}
	s.i += len(word)
}

// count takes a whole number of at most 15 digits, which a float64 holds
// exactly. Anything else gives up.
func (s *scanner) count() int64 {
	var n int64
	s.peek()
	start := s.i
	for s.i < len(s.b) && s.b[s.i]-'0' <= 9 {
		n = n*10 + int64(s.b[s.i]-'0')
		s.i++
	}
	digits := s.i - start
	if digits == 0 || digits > 15 || (digits > 1 && s.b[start] == '0') {
		s.give()
	}
	if s.i < len(s.b) && (s.b[s.i] == '.' || s.b[s.i]|0x20 == 'e') {
		s.give()
	}
	return n
}

// skip takes any value.
func (s *scanner) skip(depth int) {
	if depth > maxDepth {
		s.give()
	}
	if s.bad {
		return
	}
	switch c := s.peek(); c {
	case '"':
		s.text()
	case '{':
		s.i++
		for first := true; ; first = false {
			if _, more := s.member(first); !more {
				return
			}
			s.skip(depth + 1)
		}
	case '[':
		s.i++
		for first := true; s.item(first, ']'); first = false {
			s.skip(depth + 1)
		}
	case 'n':
		s.literal("null")
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	default:
		s.number()
	}
}

// number takes a number by JSON's grammar.
func (s *scanner) number() {
	if s.i < len(s.b) && s.b[s.i] == '-' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == '0' {
		s.i++
	} else {
		s.digits()
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		s.digits()
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		s.digits()
		s.give() // an exponent can be too large for a float64, which encoding/json refuses
	}
}

// digits takes one or more.
func (s *scanner) digits() {
	start := s.i
	for s.i < len(s.b) && s.b[s.i]-'0' <= 9 {
		s.i++
	}
	if n := s.i - start; n == 0 || n > 300 {
		s.give()
	}
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape appends a string that text has checked. A lone surrogate becomes
// U+FFFD, as in encoding/json.
func unescape(out, raw []byte) []byte {
	for {
		plain, rest, more := bytes.Cut(raw, []byte{'\\'})
		out = append(out, plain...)
		if !more {
			return out
		}
		c := rest[0]
		raw = rest[1:]
		if c != 'u' {
			out = append(out, unescaped(c))
			continue
		}
		r, _ := hex4(raw)
		raw = raw[4:]
		if utf16.IsSurrogate(r) {
			low := rune(utf8.RuneError)
			if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
				low, _ = hex4(raw[2:])
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				raw = raw[6:]
			}
		}
		out = utf8.AppendRune(out, r)
	}
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c // a quote, a backslash, a slash
}
