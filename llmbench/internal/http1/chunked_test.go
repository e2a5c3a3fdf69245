package http1

import (
	"bytes"
	"io"
	"net/http/httputil"
	"testing"

	"github.com/stretchr/testify/require"
)

// cutAt takes a body in pieces of a size and returns its data, what followed it,
// and whether the end was seen.
func cutAt(body []byte, size int) (data, rest []byte, over bool, err error) {
	var d dechunker
	for len(body) > 0 && !over && err == nil {
		piece := bytes.Clone(body[:min(size, len(body))])
		body = body[len(piece):]
		var some, after []byte
		some, after, err = d.take(piece)
		data = append(data, some...)
		if over = d.state == chunksOver; over {
			rest = append(bytes.Clone(after), body...)
		}
	}
	return data, rest, over, err
}

func TestChunked(t *testing.T) {
	for _, c := range []struct {
		why, in, data, rest string
		over                bool
		err                 error
	}{
		{"two chunks and the end", "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n", "abcd", "", true, nil},
		{"what follows is kept apart", "1\r\na\r\n0\r\n\r\nHTTP/1.1", "a", "HTTP/1.1", true, nil},
		{"extensions are passed over", "3;a=b\r\nabc\r\n0;c\r\n\r\n", "abc", "", true, nil},
		{"a trailer is thrown away", "1\r\na\r\n0\r\nX: 1\r\nY: 2\r\n\r\n", "a", "", true, nil},
		{"either case, and blanks after it", "A \r\n0123456789\r\nb\t\r\n0123456789a\r\n0\r\n\r\n", "01234567890123456789a", "", true, nil},
		{"line feeds alone", "1\na\n0\n\n", "a", "", true, nil},
		{"cut in the data", "5\r\nabc", "abc", "", false, nil},
		{"cut before the end", "1\r\na\r\n", "a", "", false, nil},
		{"no number", "x\r\n", "", "", false, errChunk},
		{"an empty size", "\r\n", "", "", false, errChunk},
		{"a number that overflows", "10000000000000000\r\n", "", "", false, errChunk},
		{"data longer than its size", "1\r\nabc\r\n", "a", "", false, errChunk},
		{"a size without end", string(bytes.Repeat([]byte("0"), 2*maxLine)), "", "", false, errChunk},
		{"a trailer without end", "0\r\n" + string(bytes.Repeat([]byte("X: 1\r\n"), maxTrailer)), "", "", false, errTrailer},
	} {
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			data, rest, over, err := cutAt([]byte(c.in), size)
			require.Equal(t, c.err, err, "%s, by %d", c.why, size)
			require.Equal(t, c.data, string(data), "%s, by %d", c.why, size)
			require.Equal(t, c.over, over, "%s, by %d", c.why, size)
			if c.over {
				require.Equal(t, c.rest, string(rest), "%s, by %d", c.why, size)
			}
		}
	}
}

// FuzzChunked: however the bytes are cut the data is the same; and what net/http's
// own reader takes to the end is taken alike.
func FuzzChunked(f *testing.F) {
	f.Add([]byte("3\r\nabc\r\n0\r\n\r\n"), uint8(2))
	f.Add([]byte("a;x\r\n0123456789\r\n0\r\nT: v\r\n\r\nmore"), uint8(5))
	f.Add([]byte("\n"), uint8(1))
	f.Fuzz(func(t *testing.T, body []byte, size uint8) {
		whole, _, over, err := cutAt(body, len(body)+1)
		data, _, overToo, errToo := cutAt(body, int(size)+1)
		require.Equal(t, over, overToo)
		require.Equal(t, err == nil, errToo == nil)
		require.Equal(t, string(whole), string(data))
		theirs, bad := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(body)))
		if bad == nil && over {
			require.Equal(t, string(theirs), string(whole))
		}
	})
}
