package llmbench

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textBound is the longest text of a stranger that tables and reports show, in
// bytes: a server may answer with a megabyte.
const textBound = 300

// plain makes text that others wrote (a server's error, a model's name, an
// imported record) fit for a terminal, a log line and a line of Markdown: one
// line of at most textBound bytes with a mark where it was cut, and every
// character that does not print as its escape, so that nothing writes to a
// terminal through us.
func plain(text string) string {
	var out strings.Builder
	for i, r := range text {
		piece := printable(text[i:], r)
		if out.Len()+len(piece) > textBound {
			return fmt.Sprintf("%s... (%d more bytes)", out.String(), len(text)-i)
		}
		out.WriteString(piece)
	}
	return out.String()
}

func printable(rest string, r rune) string {
	switch {
	case r == utf8.RuneError:
		if _, size := utf8.DecodeRuneInString(rest); size == 1 {
			return fmt.Sprintf(`\x%02x`, rest[0])
		}
	case r == '\n' || r == '\t' || r == '\r':
		return " "
	case !unicode.IsPrint(r) && r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case !unicode.IsPrint(r):
		return fmt.Sprintf(`\u{%x}`, r)
	}
	return string(r)
}
