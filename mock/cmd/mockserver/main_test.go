package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/mock"
)

// output is what the program prints, readable while it runs.
type output struct {
	mu    sync.Mutex
	b     bytes.Buffer
	lines chan string
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines <- string(p)
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// The program prints its address when it can be reached, and at the end lets the
// reply in flight go on.
func TestServeAndShutDown(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	out := &output{lines: make(chan string, 9)}
	ended := make(chan error)
	go func() {
		ended <- run(ctx, []string{"-addr", "127.0.0.1:0", "-ttft", "50ms", "-itl", "1ms", "-model", "tiny", "-output", "5", "-tokens-per-chunk", "2", "-reasoning", "1"}, out)
	}()
	url := regexp.MustCompile(`listening on (http://127\.0\.0\.1:\d+/v1), model tiny`).FindStringSubmatch(<-out.lines)
	require.NotNil(t, url, out.String())
	require.NoError(t, mock.WaitReady(ctx, nil, strings.TrimSuffix(url[1], "/v1")+"/health"))

	resp, err := http.Post(url[1]+"/chat/completions", "application/json", strings.NewReader(`{"messages":[{"content":"x"}],"stream":true}`))
	require.NoError(t, err) // the headers are here, the first token is not
	interrupt()
	require.Contains(t, <-out.lines, "1 replies in flight may go on for 10s")
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Contains(t, string(body), "[DONE]")
	require.Contains(t, string(body), `"reasoning_content":"the"`)
	require.NoError(t, <-ended)
	require.Contains(t, out.String(), "mockserver: 1 requests, 5 tokens; own lateness p50 ")
	_, err = net.DialTimeout("tcp", strings.TrimSuffix(strings.TrimPrefix(url[1], "http://"), "/v1"), time.Second)
	require.Error(t, err, "the port is closed")
}

func TestBadFlags(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	rows := []struct {
		args string
		want string
	}{
		{"-ttft -1s", "mock: script: TTFT is -1s, want >= 0"},
		{"surplus", `unexpected argument "surplus"`},
		{"-script testdata/all.yaml -ttft 1s", "-ttft does not go with -script"},
		{"-script testdata/none.yaml", "no such file"},
		{"-addr " + taken.Addr().String(), "address already in use"},
	}
	for _, row := range rows {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		args := strings.Fields(row.args)
		if !strings.Contains(row.args, "-addr") {
			args = append([]string{"-addr", "127.0.0.1:0"}, args...)
		}
		require.ErrorContains(t, run(ctx, args, io.Discard), row.want, row.args)
	}
}

// Every field of a Script can be said in a file: the one that sets them all
// leaves none at its zero value.
func TestScriptFileKnowsEveryField(t *testing.T) {
	r, err := load(filepath.Join("testdata", "script.yaml"))
	require.NoError(t, err)
	v := reflect.ValueOf(r)
	require.IsType(t, mock.Script{}, r)
	for i := range v.NumField() {
		require.False(t, v.Field(i).IsZero(), v.Type().Field(i).Name)
	}
	s := r.(mock.Script)
	require.Equal(t, mock.NoneCached, s.Cached)
	require.Equal(t, []time.Duration{10 * time.Millisecond, 30 * time.Millisecond}, s.Gaps)
	require.NoError(t, s.Validate())
}

func TestEngineFileKnowsEveryField(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "all.yaml"))
	require.NoError(t, err)
	from := bytes.Index(b, []byte("engine:"))
	to := bytes.Index(b, []byte("      - script: {}"))
	r, err := read(b[from:to])
	require.NoError(t, err)
	v := reflect.ValueOf(r)
	require.IsType(t, mock.Engine{}, r)
	for i := range v.NumField() {
		require.False(t, v.Field(i).IsZero(), v.Type().Field(i).Name)
	}
	require.Equal(t, 13*time.Millisecond, r.(mock.Engine).StepTime(3))
}

func TestFileWithEverythingServes(t *testing.T) {
	r, err := load(filepath.Join("testdata", "all.yaml"))
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server, err := mock.Serve(l, r)
	require.NoError(t, err)
	server.Close()
}

// The file that the documentation shows is one.
func TestScriptOfTheDocumentationServes(t *testing.T) {
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	shown := regexp.MustCompile(`(?m)^//\tmix:\n(?://\t.*\n)+`).FindAll(source, -1)
	require.Len(t, shown, 1)
	r, err := read(regexp.MustCompile(`(?m)^//\t`).ReplaceAll(shown[0], nil))
	require.NoError(t, err)
	server := mock.Listen(t, r)
	resp, err := server.Client().Post(server.URL()+"/chat/completions", "application/json", strings.NewReader(`{"messages":[{"content":"x"}]}`))
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
}

func TestBadFiles(t *testing.T) {
	rows := []struct{ why, file, want string }{
		{"nothing in it", "", "the file is empty"},
		{"a field that does not exist, with its line", "script:\n  ttfd: 1s\n", "line 2: field ttfd not found"},
		{"a number where a time is wanted", "script: {ttft: soon}", "cannot unmarshal"},
		{"two kinds at once", "script: {}\nsequence: [{script: {}}]", "an entry has 2 kinds"},
		{"no kind deep inside", "mix: {shares: [{weight: 1}]}", "mix: share 0: an entry has 0 kinds"},
		{"a branch that leads nowhere", "by_model: {model: x, then: {script: {}}}", "otherwise: an entry has 0 kinds"},
		{"an empty sequence", "sequence: []", "sequence: there are 0 entries"},
		{"two faults in one", "script: {faults: [{no_done: true, bundle: 2}]}", "faults: entry 0 has 2 kinds"},
		{"a message that would be lost", "script: {faults: [{refuse: {status: 429, retry_after: 1s, message: x}}]}", "refuse: message does not go with retry_after"},
		{"an unknown word", "script: {role: later}", `role is "later", want at_once, with_first or never`},
		{"another", "script: {usage: sometimes}", `usage is "sometimes", want as_asked, always, never or every`},
		{"two distributions", "script: {itls: {exponential: {mean: 1s}, uniform: {}}}", "a distribution has 2 kinds"},
		{"two documents", "script: {}\n---\nscript: {}", "several documents"},
	}
	for _, row := range rows {
		_, err := read([]byte(row.file))
		require.ErrorContains(t, err, row.want, row.why)
	}
}
