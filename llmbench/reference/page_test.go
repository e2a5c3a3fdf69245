package main

import (
	"os"
	"testing"

	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
)

// TestPageIsFresh fails when METRICS.md is not what the table makes.
func TestPageIsFresh(t *testing.T) {
	names, err := os.ReadFile("../names.go")
	require.NoError(t, err)
	kept, err := os.ReadFile("../METRICS.md")
	require.NoError(t, err)
	require.Equal(t, page(string(names)), string(kept), "run go generate ./llmbench")
	for _, m := range llmbench.Metrics() {
		require.Contains(t, string(kept), "| `"+m.Tag()+"` | `")
	}
	require.NotContains(t, string(kept), "| `` |", "a metric without a Go name")
}
