package llmbench_test

import (
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

// golden compares a text with a file of testdata; LLMBENCH_UPDATE=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("LLMBENCH_UPDATE") == "1" {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "%s: LLMBENCH_UPDATE=1 writes it anew", path)
}

// briefResult is the worked run in virtual time, the same to the bit each time.
func briefResult(t *testing.T) (result *llmbench.Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		result, err = llmbench.Do(t.Context(), mock.Start(t, briefScript), brief)
		require.NoError(t, err)
	})
	return result
}

// Each row of the catalogue has a row here, so only two tables are held to the
// letter: the others grow with it.
func TestConsoleTexts(t *testing.T) {
	result := briefResult(t)
	t.Setenv("COLUMNS", "")
	golden(t, "console/summary.golden", result.Summary())
	require.Len(t, strings.Split(strings.TrimSpace(result.Summary()), "\n"), 10)
	golden(t, "console/full.golden", upTo(result.String(), "\n Latency "))
	t.Setenv("COLUMNS", "100")
	narrow := result.String()
	golden(t, "console/narrow.golden", upTo(narrow, "\n Latency "))
	_, tables, _ := strings.Cut(narrow, "\n\n")
	for line := range strings.Lines(tables) {
		require.LessOrEqual(t, len(line), 101, line)
		require.False(t, strings.HasSuffix(line, " \n"), "trailing blank: %q", line)
	}
}

func upTo(text, end string) string {
	text, _, _ = strings.Cut(text, end)
	return text
}

// The quickstart and people's eyes rely on these headings in this order.
func TestConsoleHeadingsInTheKnownOrder(t *testing.T) {
	text := briefResult(t).String()
	previous := 0
	for _, heading := range []string{"Effective", "Active", "Latency", "Throughput", "Usage", "Tokens", "Counts", "HTTP"} {
		at := strings.Index(text, "\n "+heading+" ")
		require.Greater(t, at, previous, heading)
		previous = at
	}
	require.Regexp(t, `(?m)^ Counts +total$`, text)
	require.Regexp(t, `(?m)^   Requests +200$`, text)
}

func TestConsoleIsPlainText(t *testing.T) {
	evil := "\x1b[2J\x1b]0;pwned\a\n::error::forged" + strings.Repeat("x", 1<<20)
	failed := llmbench.Record{ID: evil, Outcome: llmbench.Error, Error: evil, Sent: llmbench.Is(second), End: llmbench.Is(2 * second)}
	result := analysed(t, reply("a", 0, 1500*time.Nanosecond, 3*second), failed)
	result.Environment = &llmbench.Environment{URL: evil, Model: evil, API: evil, Notes: []string{evil}}
	result.Stopped = evil
	for _, text := range []string{result.Summary(), result.String()} {
		require.Less(t, len(text), 20_000)
		require.Contains(t, text, "more bytes)")
		for _, r := range text {
			require.True(t, r == '\n' || r >= ' ' && r < 0x7f, "%q in a text for terminals", r)
		}
		require.NotRegexp(t, `(?m)^\s*::`, text, "a forged CI command")
	}
	require.Contains(t, result.Summary(), "ttft       p50 1.50us")
}
