package llmbench

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlainTextWritesToNoTerminal(t *testing.T) {
	for _, row := range []struct{ why, text, want string }{
		{"letters of any script print as they are", "naïve 模型", "naïve 模型"},
		{"an escape sequence would colour or clear the terminal", "a\x1b[2Jb", `a\x1b[2Jb`},
		{"a line break would forge a line, of a CI command for one", "a\n::error::b\r\tc", "a ::error::b  c"},
		{"the 8-bit form of the escape", "\u009b2J", `\u{9b}2J`},
		{"a right-to-left override would show another text", "a\u202eb", `a\u{202e}b`},
		{"bytes that are no UTF-8", "a\xffb", `a\xffb`},
		{"the replacement character itself prints", "\ufffd", "\ufffd"},
	} {
		require.Equal(t, row.want, plain(row.text), row.why)
	}
	long := plain(strings.Repeat("é", 1<<19))
	require.Equal(t, strings.Repeat("é", 150)+"... (1048276 more bytes)", long, "cut at a whole character, with a mark")
}
