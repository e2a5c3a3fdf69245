package lines

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cut feeds text in reads of at most size bytes and returns the lines, the
// rest, and the error.
func cut(b *Buffer, text string, size int) (got []string, rest string, err error) {
	for len(text) > 0 {
		space, err := b.Space()
		if err != nil {
			return got, "", err
		}
		n := copy(space[:min(size, len(space))], text)
		text = text[n:]
		b.Filled(n)
		for line, ok := b.Line(); ok; line, ok = b.Line() {
			got = append(got, string(line))
		}
	}
	return got, string(b.Rest()), nil
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
		for size := 1; size <= len(tt.text); size++ {
			got, rest, err := cut(&Buffer{LoneCR: tt.loneCR}, tt.text, size)
			require.NoError(t, err)
			require.Equal(t, tt.want, got, "%s; reads of %d", tt.why, size)
			require.Equal(t, tt.rest, rest, "%s; reads of %d", tt.why, size)
		}
	}
}

// The bound is exact, however the bytes come and however large the buffer was
// before.
func TestMax(t *testing.T) {
	for _, size := range []int{1, 7, 64, 1000} {
		b := Buffer{Max: 100}
		_, _, err := cut(&b, strings.Repeat(strings.Repeat("x", 99)+"\n", 50), size)
		require.NoError(t, err, "a line of Max bytes with its end")
		b.Reset()
		got, _, err := cut(&b, "a\n"+strings.Repeat("x", 100)+"\n", size)
		require.ErrorIs(t, err, ErrTooLong)
		require.Equal(t, []string{"a"}, got, "what came before is not lost")
	}
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
		split, tail, err := cut(&Buffer{LoneCR: loneCR}, text, int(size)+1)
		require.NoError(t, err)
		require.Equal(t, whole, split)
		require.Equal(t, rest, tail)
	})
}
