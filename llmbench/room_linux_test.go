package llmbench

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// After makeRoom the kernel's table holds the files that a load may open, and none
// is left open.
func TestMakeRoom(t *testing.T) {
	before, limit := openFiles()
	want := tableSize(t) + 100
	if want > limit.Or(0) {
		t.Fatalf("the test wants %d files, may have %d", want, limit.Or(0))
	}
	makeRoom(want)
	require.GreaterOrEqual(t, tableSize(t), want)
	after, _ := openFiles()
	require.Equal(t, before, after)
}

// tableSize is for how many files the kernel's table of this process has room.
func tableSize(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^FDSize:\s*(\d+)$`).FindSubmatch(status)
	require.NotNil(t, found)
	size, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return size
}
