package mock

import (
	"fmt"
	"os"
	"regexp"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A server on a socket has room for its connections from the start.
func TestListenMakesRoom(t *testing.T) {
	Listen(t, Script{})
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^FDSize:\s*(\d+)$`).FindSubmatch(status)
	require.NotNil(t, found)
	var size int
	_, err = fmt.Sscan(string(found[1]), &size)
	require.NoError(t, err)
	var bound syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &bound))
	require.GreaterOrEqual(t, size, int(min(room, bound.Cur)))
}
