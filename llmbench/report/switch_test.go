package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// The import alone makes kept results and comparisons have their page.
func TestImportSwitchesThePagesOn(t *testing.T) {
	folder := t.TempDir()
	result := analysed(t, synthetic(20, 3))
	result.AddJudgement(llmbench.Judgement{State: "holds", Line: "nothing failed"})
	require.NoError(t, result.WriteArtifacts(folder))
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	require.NoError(t, err)
	has(t, string(page), "The claim holds")
	has(t, string(page), "nothing failed")

	t.Setenv("LLMBENCH_REPORT", folder)
	runs, err := llmbench.NewRuns("TestCompared", result)
	require.NoError(t, err)
	home, err := llmbench.Compare(runs, runs).WriteReport()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(home, folder), home)
	page, err = os.ReadFile(filepath.Join(home, "compare.html"))
	require.NoError(t, err)
	has(t, string(page), "What changed")
}
