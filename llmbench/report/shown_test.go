package report_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// As the package documentation shows it.
import _ "github.com/llmbench/go/llmbench/report"

func TestShownImport(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("LLMBENCH_REPORT", folder)
	synctest.Test(t, func(t *testing.T) {
		llmbench.Run(t, mock.Start(t, mock.Script{ITL: 1}), llmbench.Profile{Requests: 3})
	})
	require.FileExists(t, filepath.Join(folder, "llmbench", "report", "TestShownImport", "report.html"))
}
