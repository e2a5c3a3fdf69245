package lines

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A way brings text to a buffer in reads of at most size bytes and returns the
// lines, the rest, and the error.
type way func(b *Buffer, text string, size int) (got []string, rest string, err error)

var ways = map[string]way{"copied": cut, "borrowed": borrowed}

func cut(b *Buffer, text string, size int) (got []string, rest string, err error) {
	for len(text) > 0 {
		space, err := b.Space()
		if err != nil {
			return got, "", err
		}
		n := copy(space[:min(size, len(space))], text)
		text = text[n:]
		b.Filled(n)
		got = append(got, complete(b)...)
	}
	return got, string(b.Rest()), nil
}

// borrowed lends what can be lent, and spoils it afterwards.
func borrowed(b *Buffer, text string, size int) (got []string, rest string, err error) {
	for len(text) > 0 {
		piece := []byte(text[:min(size, len(text))])
		if !b.Borrow(piece) {
			space, err := b.Space()
			if err != nil {
				return got, "", err
			}
			piece = piece[:copy(space, piece)]
			b.Filled(len(piece))
			got = append(got, complete(b)...)
		} else {
			got = append(got, complete(b)...)
			b.Return()
			clear(piece)
		}
		text = text[len(piece):]
	}
	return got, string(b.Rest()), nil
}

func complete(b *Buffer) (got []string) {
	for line, ok := b.Line(); ok; line, ok = b.Line() {
		got = append(got, string(line))
	}
	return got
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		why, text string
		loneCR    bool
		want      []string
		rest      string
	}{
		{"LF and CRLF", "a\nb\r\n\n", false, []string{"a", "b", ""}, ""},
		{"a lone CR is a byte like any other", "a\rb\n", false, []string{"a\rb"}, ""},
		{"or a line end, where the format says so", "a\rb\n\rc\r\n", true, []string{"a", "b", "", "c"}, ""},
		{"CR CR LF is two ends", "a\r\r\nb", true, []string{"a", ""}, "b"},
		{"a mark at the start goes, later ones stay", "\xef\xbb\xbfa\n\xef\xbb\xbfb\n", false, []string{"a", "\xef\xbb\xbfb"}, ""},
		{"half a mark is no mark", "\xef\xbba\n", false, []string{"\xef\xbba"}, ""},
		{"a mark and nothing else", "\xef\xbb\xbf", false, nil, ""},
		{"no end at the end", "a\nbc", false, []string{"a"}, "bc"},
		{"a CR at the very end", "a\nb\r", false, []string{"a"}, "b\r"},
	} {
		for name, way := range ways {
			for size := 1; size <= len(tt.text); size++ {
				got, rest, err := way(&Buffer{LoneCR: tt.loneCR}, tt.text, size)
				require.NoError(t, err)
				require.Equal(t, tt.want, got, "%s; %s, reads of %d", tt.why, name, size)
				require.Equal(t, tt.rest, rest, "%s; %s, reads of %d", tt.why, name, size)
			}
		}
	}
}

// The bound is exact, however the bytes come and however large the buffer was
// before.
func TestMax(t *testing.T) {
	for name, way := range ways {
		for _, size := range []int{1, 7, 64, 100, 102, 1000} {
			b := Buffer{Max: 100}
			_, _, err := way(&b, strings.Repeat(strings.Repeat("x", 99)+"\n", 50), size)
			require.NoError(t, err, "a line of Max bytes with its end; %s", name)
			b.Reset()
			got, _, err := way(&b, "a\n"+strings.Repeat("x", 100)+"\n", size)
			require.ErrorIs(t, err, ErrTooLong, "%s, reads of %d", name, size)
			require.Equal(t, []string{"a"}, got, "what came before is not lost")
		}
	}
}

// Whole lines that are lent need no memory of the buffer's, and a line that was
// begun is not lent the rest of.
func TestBorrowCopiesOnlyWhatIsUnfinished(t *testing.T) {
	var b Buffer
	require.True(t, b.Borrow([]byte("a\nb\n")))
	require.Equal(t, []string{"a", "b"}, complete(&b))
	b.Return()
	require.Zero(t, cap(b.buf))
	require.True(t, b.Borrow([]byte("c\nd")))
	require.Equal(t, []string{"c"}, complete(&b))
	b.Return()
	require.False(t, b.Borrow([]byte("e\n")))
	require.Equal(t, "d", string(b.Rest()))
}

func TestResetLetsGoOfALargeBuffer(t *testing.T) {
	var b Buffer
	_, _, err := cut(&b, strings.Repeat("x", 1<<20)+"\n", 1<<16)
	require.NoError(t, err)
	b.Reset()
	require.Zero(t, cap(b.buf))
}

// FuzzSplit: how the bytes come in changes nothing.
func FuzzSplit(f *testing.F) {
	f.Add("\xef\xbb\xbfa\r\nb\rc\n\n", uint8(3), true)
	f.Add("a\r", uint8(1), false)
	f.Fuzz(func(t *testing.T, text string, size uint8, loneCR bool) {
		whole, rest, err := cut(&Buffer{LoneCR: loneCR}, text, len(text)+1)
		require.NoError(t, err)
		for _, way := range ways {
			split, tail, err := way(&Buffer{LoneCR: loneCR}, text, int(size)+1)
			require.NoError(t, err)
			require.Equal(t, whole, split)
			require.Equal(t, rest, tail)
		}
	})
}
