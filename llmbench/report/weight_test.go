package report

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only who imports this package compiles the chart library, and nobody who uses
// llmbench a browser's protocol.
func TestOnlyThisPackageIsHeavy(t *testing.T) {
	deps := func(packages ...string) string {
		out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, packages...)...).CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	light := deps("github.com/llmbench/go/llmbench", "github.com/llmbench/go/assert", "github.com/llmbench/go/mock")
	require.False(t, strings.Contains(light, "gonum.org/v1/plot"))
	require.False(t, strings.Contains(light, "chromedp"))
	require.True(t, strings.Contains(deps("."), "gonum.org/v1/plot"), "the check would see it: it is here")
}
