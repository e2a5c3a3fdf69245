package assert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// golden compares a text with testdata/NAME.golden. LLMBENCH_UPDATE=1 writes
// the file instead; a flag would break go test ./... in other packages.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if os.Getenv("LLMBENCH_UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "LLMBENCH_UPDATE=1 writes missing goldens")
	require.Equal(t, strings.TrimSuffix(string(want), "\n"), text)
}

// failure is the whole text that a failed claim shows in a test of the package
// ./assert named TestServing.
func failure(t *testing.T, r *llmbench.Result, claim Claim) string {
	t.Helper()
	seen := watch("TestServing", func(t T) { Check(t, r, claim) })
	require.Len(t, seen.errors, 1, "the claim must not hold")
	checkForm(t, seen.errors[0])
	return seen.errors[0]
}

// checkForm holds every failure text to the house style.
func checkForm(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	require.LessOrEqual(t, len(lines), 11, "a line and at most ten rows:\n%s", text)
	require.NotRegexp(t, `Inf\b|%!|\{|\[`, text, "no struct dumps, no broken numbers")
	require.NotContains(t, strings.ReplaceAll(text, "is NaN", ""), "NaN", "only a claim of the user can be NaN")
	order := map[string]int{"window": 1, "schedule": 1, "cause": 3, "effect": 4, "limit": 5, "hint": 6, "docs": 7, "rerun": 8}
	last := 0
	for _, line := range lines[1:] {
		require.Regexp(t, `^  [a-z][a-z ]{0,9} +\S`, line, "two spaces, a label, a value")
		require.NotEqual(t, " ", line[13:14], "labels are padded to ten: %q", line)
		rank, known := order[strings.TrimSpace(line[2:12])]
		if !known {
			rank = 2
		}
		require.GreaterOrEqual(t, rank, last, "rows are in their order: %q", line)
		last = rank
	}
}

// TestMain keeps a seed from outside out of the goldens.
func TestMain(m *testing.M) {
	os.Unsetenv("LLMBENCH_SEED")
	os.Exit(m.Run())
}
