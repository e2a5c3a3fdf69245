package llmbench_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// underWay tells the parent process that the second request has come.
type underWay struct{ mock.Script }

func (u underWay) Respond(r *mock.Request) mock.Reply {
	if r.Number == 1 {
		fmt.Println("under way")
	}
	return u.Script.Respond(r)
}

// TestLongRun is what TestCtrlCKeepsTheRun starts in a process of its own.
func TestLongRun(t *testing.T) {
	if os.Getenv("LLMBENCH_TEST_INTERRUPT") == "" {
		t.Skip("the other half of TestCtrlCKeepsTheRun")
	}
	server := mock.Listen(t, underWay{mock.Script{TTFT: 20 * time.Millisecond}})
	llmbench.Run(t, server, llmbench.Profile{Requests: 2000, Output: llmbench.Tokens(1)})
	fmt.Println("the test went on") // never: the signal ends the process when the run is kept
}

// Ctrl-C in the middle of a long run ends the test binary, as it always has, and
// what was measured is on disk.
func TestCtrlCKeepsTheRun(t *testing.T) {
	folder := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLongRun$", "-test.v")
	child.Env = append(os.Environ(), "LLMBENCH_TEST_INTERRUPT=1", "LLMBENCH_REPORT="+folder)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "under way") {
			require.NoError(t, child.Process.Signal(os.Interrupt))
		}
	}
	require.ErrorContains(t, child.Wait(), "signal: interrupt", said.String())
	require.NotContains(t, said.String(), "the test went on")
	data, err := os.ReadFile(filepath.Join(folder, "llmbench", "TestLongRun", "result.json"))
	require.NoError(t, err, said.String())
	require.Contains(t, string(data), `"stopped": "interrupted"`)
	_, err = os.Stat(filepath.Join(folder, "llmbench", "TestLongRun", "records.jsonl"))
	require.NoError(t, err)
}
