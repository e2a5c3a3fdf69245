package wire

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textBound is the longest text that a reply says about a failure, in bytes
// before the escaping of hostile ones.
const textBound = 300

// printable makes text from a stranger fit for a terminal and a log line: at
// most limit bytes, runs of white space as one space, and every other character
// that does not print as its escape, so that no server writes to a terminal
// through us.
func printable(s string, limit int) string {
	var out strings.Builder
	space := false
	cut := 0 // how much of out leaves room for the dots
	for i, r := range s {
		if unicode.IsSpace(r) {
			space = out.Len() > 0
			continue
		}
		piece := escaped(s[i:], r)
		if space {
			piece = " " + piece
		}
		space = false
		out.WriteString(piece)
		switch n := out.Len(); {
		case n <= limit-len("..."):
			cut = n
		case n > limit:
			return out.String()[:cut] + "..."
		}
	}
	return out.String()
}

const hexDigits = "0123456789abcdef"

// escaped shows an invalid byte and an invisible character each in a form of
// its own: people who look for one need to know which it was.
func escaped(s string, r rune) string {
	if r == utf8.RuneError {
		if _, size := utf8.DecodeRuneInString(s); size == 1 {
			return `\x` + string(hexDigits[s[0]>>4]) + string(hexDigits[s[0]&15])
		}
	}
	if unicode.IsPrint(r) {
		return string(r)
	}
	if r < 0x80 {
		return `\x` + string(hexDigits[r>>4]) + string(hexDigits[r&15])
	}
	var digits []byte
	for ; r > 0; r >>= 4 {
		digits = append([]byte{hexDigits[r&15]}, digits...)
	}
	return `\u{` + string(digits) + `}`
}

// secretHeaders are the headers whose values no text and no capture may show.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie", "Set-Cookie"}

const redacted = "[redacted]"

// redactor takes the secrets of one request out of any text, since servers like
// to repeat a wrong key in their answer.
type redactor struct{ secrets []string }

// newRedactor takes each word of a secret header by itself, so that a key is
// known also without its scheme, and the password and every value of the query
// of the address, where some servers want the key. Words under six bytes would
// blank out half of any text and are no keys.
func newRedactor(h http.Header, address string) redactor {
	var r redactor
	r.secrets = append(r.secrets, addressSecrets(address)...)
	for _, name := range secretHeaders {
		for _, value := range h.Values(name) {
			for _, word := range strings.Fields(value) {
				if len(word) >= 6 && !strings.EqualFold(word, "bearer") {
					r.secrets = append(r.secrets, word)
				}
			}
		}
	}
	return r
}

// addressSecrets are what an address may carry of a key, as it was written and
// as a server decodes it.
func addressSecrets(address string) (all []string) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if password, ok := u.User.Password(); ok {
		all = append(all, password, url.QueryEscape(password))
	}
	for _, values := range u.Query() {
		for _, value := range values {
			all = append(all, value, url.QueryEscape(value))
		}
	}
	return slices.DeleteFunc(all, func(word string) bool { return len(word) < 6 })
}

func (r redactor) text(s string) string {
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, redacted)
		s = cutSecret(s, secret)
	}
	return s
}

// cutSecret takes out the beginning of a secret at the place where a text was
// cut short.
func cutSecret(s, secret string) string {
	body, cut := strings.CutSuffix(s, "...")
	for n := len(secret) - 1; cut && n >= 4; n-- {
		if strings.HasSuffix(body, secret[:n]) {
			return body[:len(body)-n] + redacted
		}
	}
	return s
}

// header is a copy of h that shows that a secret was there, and not which.
func (r redactor) header(h http.Header) http.Header {
	clean := h.Clone()
	for _, name := range secretHeaders {
		if len(clean.Values(name)) > 0 {
			clean.Set(name, redacted)
		}
	}
	return clean
}
