package wire

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintable(t *testing.T) {
	for _, tt := range []struct {
		why, text string
		limit     int
		want      string
	}{
		{"plain text stays", "engine stopped", 40, "engine stopped"},
		{"white space of all kinds is one space, and none at the ends", " a\r\n\t b\u2028c ", 40, "a b c"},
		{"letters of every script print", "naïve 日本 😀", 40, "naïve 日本 😀"},
		{"a terminal's escapes do not", "\x1b[2J\x07\x7f\u009b", 40, `\x1b[2J\x07\x7f\u{9b}`},
		{"nor what turns text around, nor invalid bytes", "a\u202eb\xffc\ufffd", 40, `a\u{202e}b\xffc` + "\ufffd"},
		{"the cut is shown and counts", "0123456789", 8, "01234..."},
		{"what fits is not cut", "01234567", 8, "01234567"},
		{"no rune is cut in two", strings.Repeat("é", 10), 9, "ééé..."},
		{"nor is there more than fits where few bytes grow", "01234\x00\x00", 8, "01234..."},
		{"nothing", "", 8, ""},
	} {
		got := printable(tt.text, tt.limit)
		require.Equal(t, tt.want, got, tt.why)
		require.LessOrEqual(t, len(got), tt.limit, tt.why)
	}
}

func TestRedactor(t *testing.T) {
	h := http.Header{"Authorization": {"Bearer sk-abcdefgh"}, "X-Api-Key": {"key-12345678"}, "X-Trace": {"visible-value"}}
	r := newRedactor(h, "http://user:hunter22@host/v1?key=q%2Bsecret&v=1")
	require.Equal(t, "not [redacted] nor [redacted], but visible-value", r.text("not sk-abcdefgh nor key-12345678, but visible-value"))
	require.Equal(t, "you sent [redacted]", r.text("you sent sk-abcde..."), "a key that was cut in two is still a key")
	require.Equal(t, "[redacted], [redacted] and [redacted] at v=1", r.text("hunter22, q+secret and q%2Bsecret at v=1"), "a key in the address")
	require.Equal(t, "Bearer", r.text("Bearer"), "the scheme is no secret")
	clean := r.header(h)
	require.Equal(t, http.Header{"Authorization": {redacted}, "X-Api-Key": {redacted}, "X-Trace": {"visible-value"}}, clean)
	require.Equal(t, "Bearer sk-abcdefgh", h.Get("Authorization"), "the request's own header is not touched")
}
