package assert

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRerun(t *testing.T) {
	for _, c := range []struct {
		test, dir, seed, want, why string
	}{
		{"TestPrefillRate", "./serving", "", "go test -run '^TestPrefillRate$' ./serving", "the example of the style page"},
		{"TestLoad/16_users", ".", "", "go test -run '^TestLoad$/^16_users$' .", "each level of a subtest is a pattern of its own"},
		{"TestLoad/p(99)", ".", "", `go test -run '^TestLoad$/^p\(99\)$' .`, "names may hold what patterns take for syntax"},
		{"TestLoad/it's", "", "", `go test -run '^TestLoad$/^it'\''s$'`, "and what shells do; outside a module there is no folder"},
		{"BenchmarkServe", "./x", "", "go test -run '^$' -bench '^BenchmarkServe$' ./x", "a benchmark runs by -bench alone"},
		{"TestX", "./x", "7", "LLMBENCH_SEED='7' go test -run '^TestX$' ./x", "a seed from outside is part of the test"},
	} {
		require.Equal(t, c.want, rerun(c.test, c.dir, c.seed), c.why)
	}
}

type named string

func (named) Errorf(string, ...any) {}
func (named) FailNow()              {}
func (n named) Name() string        { return string(n) }

// A spec of ginkgo is named by its text, and -run with it would run nothing.
func TestNoCommandForNamesThatGoTestDoesNotKnow(t *testing.T) {
	require.Empty(t, withRerun(nil, named("the server counts its tokens")))
	require.Empty(t, withRerun(nil, named("")))
	require.Len(t, withRerun(nil, named("TestX")), 1)
}

func TestDirInModule(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(deep, 0o755))
	require.Empty(t, dirInModule(deep), "there is no go.mod above a temporary folder")

	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o644))
	require.Equal(t, "./a/b", dirInModule(deep))
	require.Equal(t, ".", dirInModule(root), "the root of the module")
	require.Equal(t, "./assert", packageDir(), "this package itself")
}
