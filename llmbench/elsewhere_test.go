package llmbench_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// scriptVariable holds the script that a copy of the test binary serves in place
// of running tests.
const scriptVariable = "LLMBENCH_TEST_MOCK"

func TestMain(m *testing.M) {
	if script := os.Getenv(scriptVariable); script != "" {
		if err := serve(script); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve is the mock until standard input ends.
func serve(text string) error {
	var script mock.Script
	if err := json.Unmarshal([]byte(text), &script); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server, err := mock.Serve(l, script)
	if err != nil {
		return err
	}
	fmt.Println(server.URL())
	_, err = io.Copy(io.Discard, os.Stdin)
	server.Close()
	return err
}

// elsewhere serves the script in another process, so that its work is not the
// client's.
func elsewhere(tb testing.TB, script mock.Script) llmbench.Endpoint {
	tb.Helper()
	text, err := json.Marshal(script)
	require.NoError(tb, err)
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), scriptVariable+"="+string(text))
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	require.NoError(tb, err)
	out, err := server.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, server.Start())
	tb.Cleanup(func() {
		in.Close()
		require.NoError(tb, server.Wait())
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(tb, err)
	return llmbench.Endpoint{URL: strings.TrimSpace(url)}
}
