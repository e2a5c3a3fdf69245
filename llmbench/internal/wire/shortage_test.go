//go:build unix

package wire

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench/internal/http1"
)

const childURL = "LLMBENCH_TEST_SHORTAGE_URL"

// TestNoFileDescriptors takes the descriptors away for real, in a process of
// its own since the limit is one of the process.
func TestNoFileDescriptors(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(stream("eof", aChunk, aFinish, aDone)))
	defer server.Close()
	child := exec.Command(os.Args[0], "-test.run=^TestShortageChild$")
	child.Env = append(os.Environ(), childURL+"="+server.URL)
	out, err := child.CombinedOutput()
	require.NoError(t, err, string(out[:min(len(out), 2000)]))
	require.Contains(t, string(out), "directly: outcome error, generator true: the load generator has no file descriptor left")
	require.Contains(t, string(out), "outcome error, generator true: the load generator has no file descriptor left", "the server is not to blame")
}

func TestShortageChild(t *testing.T) {
	url := os.Getenv(childURL)
	if url == "" {
		t.Skip("runs as the child of TestNoFileDescriptors")
	}
	transport := NewTransport(1)
	call := Call{Client: &http.Client{Transport: transport}, URL: url}
	r := call.Do(context.Background(), Request{Stream: true})
	require.Equal(t, OutcomeOK, r.Outcome, "with descriptors: %s", r.Err)
	transport.CloseIdleConnections()
	// The limit is on the number that a new descriptor gets, so one that is
	// below the next free number leaves none.
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: 1 << 10}))
	r = call.Do(context.Background(), Request{Stream: true})
	fmt.Printf("outcome %v, generator %v: %s\n", r.Outcome, r.Generator, r.Err)
	call.Direct = TransportOptions{PerHost: 1}.Direct()
	r = call.Do(context.Background(), Request{Stream: true})
	fmt.Printf("directly: outcome %v, generator %v: %s\n", r.Outcome, r.Generator, r.Err)
}

// Case 108 once more over TCP, both ways, with the numbers of the case.
func TestConnectionsAreReusedOverTCP(t *testing.T) {
	testReuse(t, nil)
	testReuse(t, TransportOptions{PerHost: 10}.Direct())
}

func testReuse(t *testing.T, direct *http1.Client) {
	scenario := readJSON[struct {
		Workers  int
		Requests int `json:"requests_per_worker"`
	}](t, "testdata/cases/108-connection-reuse/scenario.json")
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(stream("eof", aChunk, aFinish, aDone)))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	transport := NewTransport(scenario.Workers)
	defer transport.CloseIdleConnections()
	call := Call{Client: &http.Client{Transport: transport}, URL: server.URL, Direct: direct}
	defer direct.CloseIdle()
	var bad sync.Map
	var all sync.WaitGroup
	for range scenario.Workers {
		all.Go(func() {
			for range scenario.Requests {
				if r := call.Do(context.Background(), Request{Stream: true}); r.Outcome != OutcomeOK {
					bad.Store(r.Err, true)
				}
			}
		})
	}
	all.Wait()
	bad.Range(func(text, _ any) bool { t.Error(text); return true })
	require.LessOrEqual(t, int(opened.Load()), scenario.Workers)
}
