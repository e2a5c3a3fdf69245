package lines

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestEach(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		why  string
		in   io.Reader
		seen []string
		err  string
	}{
		{"nothing", strings.NewReader(""), nil, ""},
		{"blank lines count and are not seen", strings.NewReader("a\n \t\r\n\n b \r\nbad"), []string{"a", "b"}, "line 5: refused"},
		{"a last line without an end", strings.NewReader("a\nb"), []string{"a", "b"}, ""},
		{"longer than any buffer", strings.NewReader(strings.Repeat("x", 1<<20) + "\n"), []string{strings.Repeat("x", 1<<20)}, ""},
		{"reading fails, and what came is seen", io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), []string{"a", "b"}, "line 2: broken"},
	} {
		var seen []string
		err := Each(c.in, func(line []byte) error {
			if string(line) == "bad" {
				return errors.New("refused")
			}
			seen = append(seen, string(line))
			return nil
		})
		require.Equal(t, c.seen, seen, c.why)
		if c.err == "" {
			require.NoError(t, err, c.why)
		} else {
			require.EqualError(t, err, c.err, c.why)
		}
	}
}
