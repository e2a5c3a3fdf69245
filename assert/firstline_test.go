package assert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A CI summary shows the first line of a failure alone: it says what was seen
// and what was wanted, or why there is no verdict, in one line of a length that
// annotations keep.
func TestFirstLinesStandAlone(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.golden")
	require.NoError(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, ".rules.golden") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		line, _, _ := strings.Cut(string(text), "\n")
		require.Regexp(t, `, want |^bad claim: |^cannot judge |longer than|took longer|responses set the pace|the bottleneck`, line, path)
		require.LessOrEqual(t, len(line), 300, path)
		require.NotRegexp(t, `^\s|\s$|\t`, line, path)
	}
}
