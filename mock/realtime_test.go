//go:build linux

package mock

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRealTime measures what the package doc says about real time: lateness and
// CPU per token of the mock and of a plain net/http handler that sleeps, encodes
// and flushes, in one run, to a client in another process. It needs a quiet
// machine and half a minute, so it runs on request:
//
//	LLMBENCH_MOCK_REALTIME=1000x20 go test -run TestRealTime -v ./mock
func TestRealTime(t *testing.T) {
	load := os.Getenv("LLMBENCH_MOCK_REALTIME")
	if load == "" {
		t.Skip("set LLMBENCH_MOCK_REALTIME to streams x tokens per second, such as 1000x20")
	}
	var streams, rate int
	_, err := fmt.Sscanf(load, "%dx%d", &streams, &rate)
	require.NoError(t, err)
	tokens := 6 * rate
	itl := time.Second / time.Duration(rate)
	script := Script{TTFT: time.Second, ITL: itl, Output: tokens}

	var plain plainServer
	plain.start(t, script)
	plainCPU := measure(t, plain.addr, streams, tokens)
	server := Listen(t, script)
	mockCPU := measure(t, strings.TrimPrefix(strings.TrimSuffix(server.URL(), "/v1"), "http://"), streams, tokens)

	report := func(name string, l Lateness, cpu time.Duration) float64 {
		perToken := float64(cpu.Microseconds()) / float64(streams*tokens)
		t.Logf("%-6s %d streams of %d tok/s: late p50 %s p99 %s p99.9 %s max %s; CPU %.1f us per token",
			name, streams, rate, l.P50, l.P99, l.P999, l.Max, perToken)
		return perToken
	}
	a := report("plain", plain.late.report(), plainCPU)
	b := report("mock", server.Lateness(), mockCPU)
	t.Logf("ratio  %.2f", b/a)
}

// measure lets a client in another process read the streams, and returns the CPU
// time that this process spent on serving them.
func measure(t *testing.T, addr string, streams, tokens int) time.Duration {
	t.Helper()
	before := cpuTime(t)
	client := exec.Command(os.Args[0], "-test.run", "^TestCrowdProcess$", "-test.v")
	client.Env = append(os.Environ(), fmt.Sprintf("LLMBENCH_MOCK_CROWD=%s %d %d", addr, streams, tokens))
	out, err := client.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), fmt.Sprintf("read %d tokens", streams*tokens))
	return cpuTime(t) - before
}

func cpuTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// plainServer is how one writes a mock at first: a handler that sleeps until the
// next token is due, and flushes it.
type plainServer struct {
	addr string
	mu   sync.Mutex
	late lateness
}

func (p *plainServer) start(t *testing.T, script Script) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.addr = l.Addr().String()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", sse)
		flush := http.NewResponseController(w)
		for k := range script.Output {
			due := script.TTFT + time.Duration(k)*script.ITL
			time.Sleep(due - time.Since(begin)) // this is what is measured
			late := time.Since(begin) - due
			chunk, _ := json.Marshal(plainChunk{
				"chatcmpl-eff722bad4565db8", "chat.completion.chunk", begin.Unix(), "m",
				[]plainChoice{{Delta: plainDelta{words(k, 1)}}},
			})
			fmt.Fprintf(w, "data: %s\n\n", chunk)
			flush.Flush()
			p.mu.Lock()
			p.late.add(late)
			p.mu.Unlock()
		}
		io.WriteString(w, "data: [DONE]\n\n")
	})}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
}

// plainChunk has the fields that the mock sends.
type plainChunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []plainChoice `json:"choices"`
}

type plainChoice struct {
	Index  int        `json:"index"`
	Delta  plainDelta `json:"delta"`
	Finish *string    `json:"finish_reason"`
}

type plainDelta struct {
	Content string `json:"content"`
}
