package llmbench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// recorder is a test whose end and log the real test looks at.
type recorder struct {
	name     string
	ctx      context.Context
	logs     strings.Builder
	failed   bool
	cleanups []func()
}

func (r *recorder) Helper()                        {}
func (r *recorder) Name() string                   { return r.name }
func (r *recorder) Context() context.Context       { return r.ctx }
func (r *recorder) Logf(format string, a ...any)   { fmt.Fprintf(&r.logs, format+"\n", a...) }
func (r *recorder) Errorf(format string, _ ...any) { r.failed = true }
func (r *recorder) FailNow()                       { panic("FailNow") }
func (r *recorder) Cleanup(f func())               { r.cleanups = append(r.cleanups, f) }
func (r *recorder) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

var short = llmbench.Profile{Arrivals: llmbench.Closed(2), Requests: 4, Output: llmbench.Tokens(3), Seed: 7}

// kept runs the short profile in a test of the name and returns that test,
// still open.
func kept(t *testing.T, name string) (*recorder, *llmbench.Result) {
	t.Helper()
	test := &recorder{name: name}
	var result *llmbench.Result
	synctest.Test(t, func(t *testing.T) {
		test.ctx = t.Context()
		result = llmbench.Run(test, mock.Start(t, briefScript), short)
	})
	return test, result
}

func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(folder, path)
			names = append(names, name)
		}
		return err
	}))
	return names
}

func TestReportFolderHoldsEveryRun(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("LLMBENCH_REPORT", "full, "+folder)
	test, _ := kept(t, "TestChat/p99:<script>")
	require.Contains(t, test.logs.String(), " Effective ", "the list also asks for the long form")
	_, _ = kept(t, "TestChat/p99:<script>")

	home := filepath.Join("llmbench", "TestChat", "p99__script_")
	want := []string{}
	for _, run := range []string{"", "run-2"} {
		for _, name := range []string{"bench.txt", "metrics.csv", "openmetrics.txt", "records.jsonl", "report.md", "result.json", "slices.csv"} {
			want = append(want, filepath.Join(home, run, name))
		}
	}
	require.ElementsMatch(t, want, files(t, folder))

	lines, err := os.Open(filepath.Join(folder, home, "records.jsonl"))
	require.NoError(t, err)
	defer func() { require.NoError(t, lines.Close()) }()
	records, err := llmbench.ReadRecords(lines)
	require.NoError(t, err)
	require.Len(t, records, 4)
}

func TestWithoutSettingsNothingIsWritten(t *testing.T) {
	t.Setenv("LLMBENCH_REPORT", "")
	test, _ := kept(t, "TestQuiet")
	test.end()
	require.Contains(t, test.logs.String(), "\n  ttft ")
	require.NotContains(t, test.logs.String(), "kept in")
}

func TestClaimsReachTheFilesWhenTheTestEnds(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("LLMBENCH_REPORT", folder)
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(folder, "summary.md"))
	test, result := kept(t, "TestClaims")
	home := filepath.Join(folder, "llmbench", "TestClaims")
	before, err := os.ReadFile(filepath.Join(home, "result.json"))
	require.NoError(t, err, "written before any claim, in case the test dies")
	require.NotContains(t, string(before), `"claims"`)

	claim := llmbench.Judgement{State: "fails", Line: "p99 is 2s, want 1s <b>", Rows: [][2]string{{"window", "whole"}}}
	result.AddJudgement(claim)
	result.AddJudgement(claim)
	result.AddJudgement(llmbench.Judgement{State: "holds", Line: "no errors"})
	test.end()

	var after struct {
		Test   string               `json:"test"`
		Claims []llmbench.Judgement `json:"claims"`
	}
	data, err := os.ReadFile(filepath.Join(home, "result.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &after))
	require.Equal(t, "TestClaims", after.Test)
	require.Equal(t, []llmbench.Judgement{claim, {State: "holds", Line: "no errors"}}, after.Claims, "said twice, kept once")
	for _, page := range []string{filepath.Join(home, "report.md"), filepath.Join(folder, "summary.md")} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Contains(t, string(text), "| **fails** | p99 is 2s, want 1s &#60;b&#62; |\n| holds | no errors |")
	}
}

func TestInterruptedRunIsKept(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("LLMBENCH_REPORT", folder)
	test := &recorder{name: "TestCut"}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		test.ctx = ctx
		time.AfterFunc(150*time.Millisecond, func() { cancel(errors.New("interrupt")) })
		llmbench.Run(test, mock.Start(t, briefScript), short)
	})
	require.True(t, test.failed)
	data, err := os.ReadFile(filepath.Join(folder, "llmbench", "TestCut", "result.json"))
	require.NoError(t, err)
	require.Contains(t, string(data), `"stopped": "interrupt"`)
}

// A folder that cannot be made is a warning, and the test goes on.
func TestBadFolderIsAWarning(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	t.Setenv("LLMBENCH_REPORT", file)
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(file, "summary.md"))
	test, result := kept(t, "TestWarned")
	test.end()
	require.False(t, test.failed)
	require.Equal(t, 4, result.Counts.OK)
	require.Contains(t, test.logs.String(), "warning: the result was not kept in "+file)
	require.Contains(t, test.logs.String(), "warning: llmbench: GITHUB_STEP_SUMMARY: ")
}

// A write that fails half way leaves the file of before, no half of the new one
// and no temporary file, and the other files are there.
func TestFilesAppearWholeOrNotAtAll(t *testing.T) {
	folder, full := t.TempDir(), errors.New("no space left on device")
	result := analysed(t, reply("a", 0, second, 2*second))
	written := func(w io.Writer, _ *llmbench.Result) error { _, err := io.WriteString(w, "first"); return err }
	llmbench.RegisterArtifact("extra.txt", written)
	t.Cleanup(func() { llmbench.RegisterArtifact("extra.txt", nil) })
	require.NoError(t, result.WriteArtifacts(folder))
	llmbench.RegisterArtifact("extra.txt", func(w io.Writer, _ *llmbench.Result) error {
		_, _ = io.WriteString(w, strings.Repeat("half", 1<<16))
		return full
	})
	require.NoError(t, os.Remove(filepath.Join(folder, "report.md")))
	err := result.WriteArtifacts(folder)
	require.ErrorIs(t, err, full)
	require.EqualError(t, err, "llmbench: artifacts: extra.txt: no space left on device")

	text, err := os.ReadFile(filepath.Join(folder, "extra.txt"))
	require.NoError(t, err)
	require.Equal(t, "first", string(text))
	require.ElementsMatch(t, []string{"bench.txt", "extra.txt", "metrics.csv", "openmetrics.txt", "records.jsonl", "report.md", "result.json", "slices.csv"}, files(t, folder))
}

// No file shows a key, wherever the user or the server put it.
func TestNoArtifactShowsASecret(t *testing.T) {
	const canary, other = "sk-canary-7f3a9b", "url-canary-5b1"
	t.Setenv("CANARY_KEY", canary)
	folder := t.TempDir()
	t.Setenv("LLMBENCH_REPORT", "full,"+folder)
	test := &recorder{name: "TestSecret"}
	var result *llmbench.Result
	synctest.Test(t, func(t *testing.T) {
		test.ctx = t.Context()
		server := mock.Start(t, briefScript)
		endpoint := llmbench.Endpoint{
			URL: server.URL() + "?api_key=" + other, KeyFrom: "CANARY_KEY",
			Header: http.Header{"X-Api-Key": {canary}}, HTTP: &http.Client{Transport: echo{}},
		}
		profile := short
		profile.Body.Extra = map[string]any{
			"api_key": canary, "max_tokens_hint": 5,
			"tools": []any{map[string]any{"Authorization": "Bearer " + canary, "name": "search"}},
		}
		result = llmbench.Run(test, endpoint, profile)
	})
	test.end()
	require.Equal(t, 4, result.Counts.Error)
	require.NotContains(t, test.logs.String(), "canary")
	for _, name := range files(t, folder) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.NotContains(t, string(text), "canary", name)
	}
	text, err := os.ReadFile(filepath.Join(folder, "llmbench", "TestSecret", "result.json"))
	require.NoError(t, err)
	require.Contains(t, string(text), `"api_key": "[redacted]"`)
	require.Contains(t, string(text), `"max_tokens_hint": 5`)
	require.Contains(t, string(text), `"name": "search"`)
}

// echo answers as servers do that repeat the key they refuse.
type echo struct{}

func (echo) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil { // the question for the model has none
		_, _ = io.Copy(io.Discard, r.Body)
	}
	body := fmt.Sprintf(`{"error":{"message":"Incorrect API key provided: %s at %s"}}`, r.Header.Get("Authorization"), r.URL.RawQuery)
	return &http.Response{
		StatusCode: http.StatusUnauthorized, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}
