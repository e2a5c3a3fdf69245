package serving

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// block returns the first block of the README in the language that begins with
// the words given.
func block(t *testing.T, language, begins string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "```"+language+"\n"+begins)
	require.True(t, found, "README.md has no %s block that begins with %q", language, begins)
	text, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	return begins + text
}

// The server of one's own, here a mock's client that leads to it whatever the
// address.
func TestReadmeServer(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	synctest.Test(t, func(t *testing.T) {
		there := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond})
		server := llmbench.Endpoint{URL: "http://127.0.0.1:8000/v1", Model: "my-model", KeyFrom: "OPENAI_API_KEY"}
		server.HTTP = there.Client()
		result := llmbench.Run(t, server, llmbench.Profile{Requests: 3})
		assert.RequireNoErrors(t, result)
		require.Equal(t, "Bearer secret", there.Requests()[0].Header.Get("Authorization"))
	})
}

// Records in the form of ours that another tool wrote.
func TestReadmeRecords(t *testing.T) {
	file := strings.NewReader(`{"id":"a","streamed":true,"outcome":"ok","sent_ns":0,"end_ns":900000000,"chunks":[{"t_ns":300000000},{"t_ns":900000000}]}`)
	records, err := llmbench.ReadRecords(file)
	require.NoError(t, err)
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	assert.RequireTTFT(t, result, assert.Ceiling{Max: 300 * time.Millisecond})
}

// recorder is the test that a broken claim fails.
type recorder struct{ text string }

func (r *recorder) Name() string                 { return "TestServing" }
func (r *recorder) Errorf(f string, args ...any) { r.text += fmt.Sprintf(f, args...) }
func (r *recorder) FailNow()                     {}
func (r *recorder) Helper()                      {}

// The failure that the README shows is what a slower server really prints.
func TestReadmeHasTheFailureOfASlowerServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 180 * time.Millisecond, ITL: 20 * time.Millisecond})
		result, err := llmbench.Do(t.Context(), server, llmbench.Profile{
			Arrivals: llmbench.Closed(16), Requests: 200,
			Input: llmbench.Tokens(200), Output: llmbench.Tokens(100), Seed: 7,
		})
		require.NoError(t, err)
		var failed recorder
		assert.CheckActivePrefill(&failed, result, assert.Floor{Mean: 25_000})
		require.Equal(t, failed.text, strings.TrimSpace(block(t, "text", "active prefill throughput")))
	})
}

// Each figure of the README stands in the file that its row links to, beside the
// benchmark or test that makes it.
func TestFiguresOfTheReadmeStandBesideTheirBenchmark(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| \\[[^]]+\\]\\(([^)]+)\\) \\| `[^`]+` \\|$").FindAllStringSubmatch(string(readme), -1)
	require.Len(t, rows, 6)
	for _, row := range rows {
		source, err := os.ReadFile("../../" + row[3])
		require.NoError(t, err)
		figures := regexp.MustCompile(`[\d.]*\d`).FindAllString(strings.ReplaceAll(row[2], "p99", ""), -1)
		require.NotEmpty(t, figures)
		for _, figure := range figures {
			require.Regexp(t, `(?:^|[^\d.])`+regexp.QuoteMeta(figure)+`(?:[^\d]|$)`, string(source), "%s: %s is not in %s", row[1], figure, row[3])
		}
	}
}
