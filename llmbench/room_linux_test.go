package llmbench

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Connections are made with room for as many in the kernel's table of files, and
// none is left open for that. The table never shrinks, so this is for a process
// of its own.
func TestConnectMakesRoom(t *testing.T) {
	const alone = "LLMBENCH_TEST_ROOM"
	if os.Getenv(alone) == "" {
		child := exec.Command(os.Args[0], "-test.run", "^TestConnectMakesRoom$")
		child.Env = append(os.Environ(), alone+"=1")
		out, err := child.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	before, limit := openFiles()
	want := min(2000, limit.Or(0)/2)
	require.Less(t, tableSize(t), want)
	Endpoint{URL: "http://127.0.0.1"}.connect(want).close()
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
