package wire

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// version is a path segment that names an API's version, as v1, v3 or v1beta.
var version = regexp.MustCompile(`^v[0-9]+([a-z]+[0-9]*)?$`)

// JoinURL puts a protocol's path below an API base. The base keeps its path and
// its query. What people give as base is understood: with or without a trailing
// slash, with or without the version, or the whole endpoint already. The note
// says in words what was done beyond plain joining; it is empty when nothing
// was. The error names the base, without its user and query.
//
//	http://h/team/m1     v1/chat/completions  http://h/team/m1/v1/chat/completions   "added /v1"
//	http://h/v1/?k=v     v1/chat/completions  http://h/v1/chat/completions?k=v
//	http://h/api/v3      v1/chat/completions  http://h/api/v3/chat/completions       "kept the base's /v3 in place of /v1"
//	http://h/v1          api/chat             http://h/api/chat                      "left out /v1: ..."
func JoinURL(base, path string) (joined, note string, err error) {
	u, err := parseBase(base)
	if err != nil {
		return "", "", err
	}
	have, want := segments(u.EscapedPath()), segments(path)
	merged, note := mergePaths(have, want)
	u.Path, u.RawPath = "", ""
	u = u.JoinPath(merged...)
	return u.String(), note, nil
}

func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	switch {
	case base == "":
		return nil, fmt.Errorf("wire: URL is empty, want the base of an API as http://host:8000/v1")
	case err != nil || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, fmt.Errorf("wire: URL is %q, want one that starts with http:// or https://", bareURL(base))
	case u.Hostname() == "":
		return nil, fmt.Errorf("wire: URL is %q, want one with a host, as http://host:8000/v1", bareURL(base))
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// mergePaths joins two paths and uses what they have in common once.
func mergePaths(have, want []string) ([]string, string) {
	for n := min(len(have), len(want)); n > 0; n-- {
		if slices.Equal(have[len(have)-n:], want[:n]) {
			note := ""
			if n == len(want) && n > 1 {
				note = wholeEndpoint
			}
			return append(have, want[n:]...), note
		}
	}
	if isEndpoint(have, want) {
		return have, wholeEndpoint
	}
	last := ""
	if len(have) > 0 {
		last = have[len(have)-1]
	}
	switch {
	case !version.MatchString(want[0]) && version.MatchString(last):
		return append(have[:len(have)-1:len(have)-1], want...), "left out /" + last + ": this API lies beside it"
	case !version.MatchString(want[0]):
		return append(have, want...), ""
	case version.MatchString(last):
		return append(have, want[1:]...), "kept the URL's /" + last + " in place of /" + want[0]
	case hostedWithoutVersion(have):
		return append(have, want[1:]...), "added no /" + want[0] + ": this host's API has its version elsewhere"
	}
	return append(have, want...), "added /" + want[0]
}

const wholeEndpoint = "the URL is the whole endpoint already"

// isEndpoint reports whether a path is the whole endpoint, under another
// version than ours or a host's own layout.
func isEndpoint(have, want []string) bool {
	root := len(have) - len(want) + 1
	if root < 1 || !version.MatchString(want[0]) || !slices.Equal(have[root:], want[1:]) {
		return false
	}
	return version.MatchString(have[root-1]) || hostedWithoutVersion(have[:root])
}

// hostedWithoutVersion knows two public layouts: Azure's
// /openai/deployments/NAME, whose version is in the query, and Google's
// /v1beta/openai, whose version stands before the last segment.
func hostedWithoutVersion(have []string) bool {
	n := len(have)
	if n >= 3 && have[n-3] == "openai" && have[n-2] == "deployments" {
		return true
	}
	return n >= 2 && have[n-1] == "openai" && version.MatchString(have[n-2])
}

func segments(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" })
}

// bareURL is a URL for people: no user, no query, since both can hold keys.
func bareURL(raw string) string {
	bare, _, _ := strings.Cut(raw, "?")
	if scheme, rest, ok := strings.Cut(bare, "://"); ok {
		host, path, _ := strings.Cut(rest, "/")
		if i := strings.LastIndex(host, "@"); i >= 0 {
			host = host[i+1:]
		}
		bare = scheme + "://" + host
		if path != "" {
			bare += "/" + path
		}
	}
	return printable(bare, 120)
}
