package wire

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The public case: a base's path and query survive the joining, and v1 is there
// once.
func TestJoinURLCase(t *testing.T) {
	folder := "testdata/cases/117-url-join-keeps-path"
	bases := readJSON[map[string][]string](t, filepath.Join(folder, "input.json"))["bases"]
	want := readJSON[map[string][]string](t, filepath.Join(folder, "expected.json"))["urls"]
	require.Len(t, want, len(bases))
	for i, base := range bases {
		got, _, err := JoinURL(base, OpenAIChat().Path())
		require.NoError(t, err)
		require.Equal(t, want[i], got, base)
	}
}

func TestJoinURL(t *testing.T) {
	const chat = "v1/chat/completions"
	for _, tt := range []struct{ why, base, path, want, note string }{
		{"the usual base says v1", "http://h:8000/v1", chat, "http://h:8000/v1/chat/completions", ""},
		{"a bare host gets v1, and we say so", "http://h:8000", chat, "http://h:8000/v1/chat/completions", "added /v1"},
		{"people paste the whole endpoint", "http://h/v1/chat/completions", chat, "http://h/v1/chat/completions", "the URL is the whole endpoint already"},
		{"another version is the server's own", "https://h/api/v3", chat, "https://h/api/v3/chat/completions", "kept the URL's /v3 in place of /v1"},
		{"Google's OpenAI layout", "https://h/v1beta/openai/", chat, "https://h/v1beta/openai/chat/completions", "added no /v1: this host's API has its version elsewhere"},
		{"Azure's deployments", "https://h/openai/deployments/d?api-version=1", chat, "https://h/openai/deployments/d/chat/completions?api-version=1", "added no /v1: this host's API has its version elsewhere"},
		{"a whole endpoint under another version", "https://h/api/v3/chat/completions", chat, "https://h/api/v3/chat/completions", "the URL is the whole endpoint already"},
		{"and in Azure's layout", "https://h/openai/deployments/d/chat/completions?api-version=1", chat, "https://h/openai/deployments/d/chat/completions?api-version=1", "the URL is the whole endpoint already"},
		{"an API that lies beside v1", "http://h:11434/v1", "api/chat", "http://h:11434/api/chat", "left out /v1: this API lies beside it"},
		{"its root may be in the base", "http://h:11434/api/", "api/chat", "http://h:11434/api/chat", ""},
		{"IPv6 keeps its brackets", "http://[::1]:8000", chat, "http://[::1]:8000/v1/chat/completions", "added /v1"},
		{"an escaped slash is no separator", "http://h/a%2Fb/v1", chat, "http://h/a%2Fb/v1/chat/completions", ""},
		{"user information stays in the URL", "http://u:p@h/v1", chat, "http://u:p@h/v1/chat/completions", ""},
	} {
		got, note, err := JoinURL(tt.base, tt.path)
		require.NoError(t, err, tt.why)
		require.Equal(t, tt.want, got, tt.why)
		require.Equal(t, tt.note, note, tt.why)
	}
}

func TestJoinURLRefuses(t *testing.T) {
	for _, tt := range []struct{ why, base, want string }{
		{"nothing was set", "", "wire: URL is empty, want the base of an API as http://host:8000/v1"},
		{"the scheme is forgotten most often", "localhost:8000/v1", `wire: URL is "localhost:8000/v1", want one that starts with http:// or https://`},
		{"no host", "http:///v1", `wire: URL is "http:///v1", want one with a host, as http://host:8000/v1`},
		{"a key in the query or the user is not repeated", "ftp://me:secret@h/v1?key=secret", `wire: URL is "ftp://h/v1", want one that starts with http:// or https://`},
		{"a control character does not reach the terminal", "http://h/\x1b[31m", `wire: URL is "http://h/\\x1b[31m", want one that starts with http:// or https://`},
	} {
		_, _, err := JoinURL(tt.base, "v1/chat/completions")
		require.EqualError(t, err, tt.want, tt.why)
	}
}
