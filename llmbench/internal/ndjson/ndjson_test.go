package ndjson

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parse feeds a stream in reads of at most size bytes, lent where they can be and
// then spoilt; a last line that no line end closed stands apart.
func parse(p *Parser, stream string, size int) (got []string, tail string, err error) {
	for len(stream) > 0 {
		piece := []byte(stream[:min(size, len(stream))])
		lent := p.Borrow(piece)
		if !lent {
			space, err := p.Space()
			if err != nil {
				return got, "", err
			}
			piece = piece[:copy(space, piece)]
			p.Filled(len(piece))
		}
		for line, ok := p.Next(); ok; line, ok = p.Next() {
			got = append(got, string(line))
		}
		if lent {
			p.Return()
			clear(piece)
		}
		stream = stream[len(piece):]
	}
	line, _ := p.End()
	return got, string(line), nil
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		why, stream string
		want        []string
		tail        string
	}{
		{"one text per line", "{}\n{\"a\":1}\n", []string{"{}", `{"a":1}`}, ""},
		{"CRLF, blank lines and white space around a text", "\r\n {} \r\n\n\t[]\n", []string{"{}", "[]"}, ""},
		{"a byte order mark", "\xef\xbb\xbf{}\n", []string{"{}"}, ""},
		{"no line end after the last", "{}\n{\"a\"", []string{"{}"}, `{"a"`},
		{"nothing after the last", "{}\n \r", []string{"{}"}, ""},
		{"a CR inside a text is white space of JSON's", "{\r\"a\":1}\n", []string{"{\r\"a\":1}"}, ""},
	} {
		for size := 1; size <= len(tt.stream); size++ {
			got, tail, err := parse(&Parser{}, tt.stream, size)
			require.NoError(t, err)
			require.Equal(t, tt.tail, tail, tt.why)
			require.Equal(t, tt.want, got, "%s; reads of %d", tt.why, size)
		}
	}
}

func TestBound(t *testing.T) {
	for _, size := range []int{64, 1000} {
		p := Parser{Max: 100}
		got, _, err := parse(&p, "{}\n"+strings.Repeat("x", 200)+"\n", size)
		require.ErrorIs(t, err, ErrTooLong)
		require.Equal(t, []string{"{}"}, got)
		p.Reset()
		got, _, err = parse(&p, "[]\n", size)
		require.NoError(t, err)
		require.Equal(t, []string{"[]"}, got)
	}
}

// FuzzParser: any split gives the same lines, no line is blank or holds a line
// end, and nothing but white space is lost.
func FuzzParser(f *testing.F) {
	f.Add("{\"a\":1}\r\n\n{}", uint8(2))
	f.Add("\xef\xbb\xbf[]\n \t", uint8(0))
	f.Fuzz(func(t *testing.T, stream string, size uint8) {
		whole, tail, err := parse(&Parser{}, stream, len(stream)+1)
		require.NoError(t, err)
		split, splitTail, err := parse(&Parser{}, stream, int(size)+1)
		require.NoError(t, err)
		require.Equal(t, whole, split)
		require.Equal(t, tail, splitTail)
		kept := len(strings.Map(black, tail))
		for _, line := range whole {
			require.NotEmpty(t, strings.Trim(line, " \t\r\n"))
			require.NotContains(t, line, "\n")
			kept += len(strings.Map(black, line))
		}
		require.Equal(t, len(strings.Map(black, strings.TrimPrefix(stream, "\xef\xbb\xbf"))), kept)
	})
}

// black drops JSON's white space.
func black(r rune) rune {
	if strings.ContainsRune(" \t\r\n", r) {
		return -1
	}
	return r
}
