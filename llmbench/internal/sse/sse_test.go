package sse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// seen is an event that outlives the parser's buffer.
type seen struct {
	name, data string
	tail       bool
}

// parse feeds a stream in reads of at most size bytes, and checks that it is the
// same where the reads are lent.
func parse(t testing.TB, p *Parser, stream string, size int) ([]seen, error) {
	t.Helper()
	lender := Parser{Max: p.Max, ErrorField: p.ErrorField}
	lent, lentErr := lend(&lender, stream, size)
	var out []seen
	for rest := stream; len(rest) > 0; {
		space, err := p.Space()
		if err != nil {
			require.ErrorIs(t, lentErr, ErrTooLong)
			require.Equal(t, out, lent)
			return out, err
		}
		n := copy(space[:min(size, len(space))], rest)
		rest = rest[n:]
		p.Filled(n)
		out = append(out, complete(p)...)
	}
	if ev, ok := p.End(); ok {
		out = append(out, seen{string(ev.Name), string(ev.Data), ev.Tail})
	}
	_, err := p.Space()
	require.Equal(t, err, lentErr)
	require.Equal(t, out, lent)
	return out, err
}

// lend lends what can be lent, and spoils it afterwards.
func lend(p *Parser, stream string, size int) (out []seen, err error) {
	for len(stream) > 0 {
		piece := []byte(stream[:min(size, len(stream))])
		if p.Borrow(piece) {
			out = append(out, complete(p)...)
			p.Return()
			clear(piece)
		} else {
			space, err := p.Space()
			if err != nil {
				return out, err
			}
			piece = piece[:copy(space, piece)]
			p.Filled(len(piece))
			out = append(out, complete(p)...)
		}
		stream = stream[len(piece):]
	}
	if ev, ok := p.End(); ok {
		out = append(out, seen{string(ev.Name), string(ev.Data), ev.Tail})
	}
	_, err = p.Space()
	return out, err
}

func complete(p *Parser) (out []seen) {
	for ev, ok := p.Next(); ok; ev, ok = p.Next() {
		out = append(out, seen{string(ev.Name), string(ev.Data), ev.Tail})
	}
	return out
}

func TestStandard(t *testing.T) {
	for _, tt := range []struct {
		why, stream string
		want        []seen
	}{
		{"the standard's own example of multi-line data", "data: YHOO\ndata: +2\ndata: 10\n\n", []seen{{data: "YHOO\n+2\n10"}}},
		{"an empty data field is an event with empty data; two make one line end", "data\n\ndata\ndata\n\ndata:", []seen{{data: ""}, {data: "\n"}, {data: "", tail: true}}},
		{"the space after the colon is optional and only one is taken", "data:test\n\ndata:  test\n\n", []seen{{data: "test"}, {data: " test"}}},
		{"CR ends a line, with and without LF", "data: a\r\rdata: b\r\n\r\ndata: c\n\n", []seen{{data: "a"}, {data: "b"}, {data: "c"}}},
		{"one byte order mark goes, the second belongs to the field's name", "\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", []seen{{data: "a"}}},
		{"a mark after a blank line is no mark", "\n\xef\xbb\xbfdata: a\n\ndata: b\n\n", []seen{{data: "b"}}},
		{"comments, ids and retries are no events", ": hi\n\nid: 1\n\nretry: 10\n\n:\n\n", nil},
		{"a name without data names nothing, nor the next event", "event: a\n\ndata: x\n\n", []seen{{data: "x"}}},
		{"a name belongs to its event, in any order", "data: x\nevent: a\n\ndata: y\n\n", []seen{{name: "a", data: "x"}, {data: "y"}}},
		{"field names are exact", "Data: x\ndatax: y\n data: z\n\n", nil},
		{"no blank line at the end: told, not lost", "data: a\n\ndata: b", []seen{{data: "a"}, {data: "b", tail: true}}},
		{"a line that is cut in its name is told too", "data: a\n\nda", []seen{{data: "a"}, {data: "da", tail: true}}},
		{"an unfinished comment is nothing", "data: a\n\n: pi", []seen{{data: "a"}}},
		{"a colon in the value stays", "data: a:b: c\n\n", []seen{{data: "a:b: c"}}},
		{"the standard does not know a field error", "error: {\"code\":500}\n\n", nil},
	} {
		for size := 1; size <= len(tt.stream); size++ {
			got, err := parse(t, &Parser{}, tt.stream, size)
			require.NoError(t, err, tt.why)
			require.Equal(t, tt.want, got, "%s; reads of %d", tt.why, size)
		}
	}
}

func TestErrorField(t *testing.T) {
	got, err := parse(t, &Parser{ErrorField: true}, "error: {\"code\":500}\n\n", 5)
	require.NoError(t, err)
	require.Equal(t, []seen{{name: "error", data: `{"code":500}`}}, got)
}

func TestLastEventID(t *testing.T) {
	var p Parser
	_, err := parse(t, &p, "id: 7\ndata: x\n\nid: a\x00b\n\n", 3)
	require.NoError(t, err)
	require.Equal(t, "7", p.LastEventID(), "an id with a NUL is ignored")
}

// A server that never ends a line or an event must not take all memory.
func TestBound(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, tt := range []struct {
		why, stream string
		fails       bool
	}{
		{"a line below the bound", "data: " + long + "\n\n", false},
		{"a line above it", "data: " + long + long + long + "\n\n", true},
		{"an event of short lines above it", strings.Repeat("data: "+long+"\n", 3) + "\n", true},
		{"many events below it", strings.Repeat("data: "+long+"\n\n", 30), false},
	} {
		p := Parser{Max: 1000}
		_, err := parse(t, &p, tt.stream, 64)
		require.Equal(t, tt.fails, err != nil, "%s: %v", tt.why, err)
		if tt.fails {
			require.ErrorIs(t, err, ErrTooLong)
		}
	}
}

// What is lent after a failure would hide it.
func TestBorrowEndsWithAFailure(t *testing.T) {
	p := Parser{Max: 1000}
	line := []byte("data: " + strings.Repeat("x", 600) + "\n")
	for range 2 {
		require.True(t, p.Borrow(line))
		require.Empty(t, complete(&p))
		p.Return()
	}
	require.False(t, p.Borrow(line))
	_, err := p.Space()
	require.ErrorIs(t, err, ErrTooLong)
}

func TestResetForgets(t *testing.T) {
	var p Parser
	_, err := parse(t, &p, "event: a\ndata: x\nid: 4", 64)
	require.NoError(t, err)
	p.Reset()
	got, err := parse(t, &p, "\xef\xbb\xbfdata: y\n\n", 64)
	require.NoError(t, err)
	require.Equal(t, []seen{{data: "y"}}, got)
	require.Empty(t, p.LastEventID())
}
