package llmbench

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What LLMBENCH_OUT kept compares as the runs themselves do, to the last digit.
func TestReadOutGivesTheRunsBack(t *testing.T) {
	dir := t.TempDir()
	old, now := filepath.Join(dir, "old.txt"), filepath.Join(dir, "new.txt")
	writeNoisy(t, old, "TestServe", 1, 1)
	writeNoisy(t, old, "TestOther", 1, 3)
	writeNoisy(t, now, "TestServe", 1.1, 2)

	before, err := ReadOut(old)
	require.NoError(t, err)
	require.Len(t, before, 2, "a benchmark name each, in their order")
	require.Equal(t, "TestServe/model=org_tiny_7", before[0].Name())
	require.Equal(t, "TestOther/model=org_tiny_7", before[1].Name())
	after, err := ReadOut(now)
	require.NoError(t, err)
	require.Len(t, after, 1)
	require.Equal(t, 10, after[0].N())
	require.Nil(t, after[0].Results())

	wantBefore, wantAfter := noisyRuns(t, 1, 1), noisyRuns(t, 1.1, 2)
	for _, f := range Figures() {
		require.Equal(t, wantBefore.Values(f), before[0].Values(f), f)
		require.Equal(t, wantAfter.Values(f), after[0].Values(f), f)
	}
	want, got := Compare(wantBefore, wantAfter), Compare(before[0], after[0])
	require.Empty(t, got.Unlike)
	require.Equal(t, want.Table(), got.Table())
	require.Empty(t, Compare(before[0], wantAfter).Unlike, "a file against runs of this process")
	require.Empty(t, Compare(wantBefore, after[0]).Unlike, "and the other way round")

	after[0].identity.Metrics[TTFT.Tag()] = "ms: another rule"
	require.Equal(t, []Trait{MetricTrait}, Compare(wantBefore, after[0]).Unlike, "a file of another version, on either side")
	require.Equal(t, []Trait{MetricTrait}, Compare(after[0], wantBefore).Unlike)
	after[0].identity.Metrics[TTFT.Tag()] = before[0].identity.Metrics[TTFT.Tag()]

	path := filepath.Join(dir, "x.baseline.json")
	require.NoError(t, WriteBaseline(path, before[0]))
	baseline, err := ReadBaseline(path)
	require.NoError(t, err)
	require.Empty(t, Compare(baseline, after[0]).Unlike, "a file makes a baseline")
}

// A figure that one run lacks is absent there, and stays in its place.
func TestReadOutKeepsGaps(t *testing.T) {
	line := func(figures string) string {
		return `{"schema":"llmbench.facts/v1","name":"TestA","figures":{` + figures + "}}\n"
	}
	path := filepath.Join(t.TempDir(), "x.txt")
	text := line(`"time_to_first_token:p50":1`) + "\n" + line(`"request_throughput":5`) + line(`"time_to_first_token:p50":3,"request_throughput":null`)
	require.NoError(t, os.WriteFile(path+".jsonl", []byte(text), 0o644))
	runs, err := ReadOut(path)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	none := Known[float64]{}
	require.Equal(t, []Known[float64]{Is(1.), none, Is(3.)}, runs[0].Values(TTFT.Quantile(0.5)))
	require.Equal(t, []Known[float64]{none, Is(5.), none}, runs[0].Values(RequestThroughput.Mean()))
}

func TestReadOutOfBrokenFiles(t *testing.T) {
	_, err := ReadOut(filepath.Join(t.TempDir(), "none.txt"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	good := `{"schema":"llmbench.facts/v1","name":"TestA","identity":{"model":"a"},"figures":{"request_throughput":5}}` + "\n"
	for _, row := range []struct{ why, text, want string }{
		{"nothing in it", "\n", "there are 0 runs, want > 0"},
		{"the last line is cut off, as of a process that was killed", good + good[:40], "line 2: unexpected EOF"},
		{"no JSON", good + "\nBenchmarkX 1 5 ns/op\n", "line 3: invalid character 'B'"},
		{"two values on a line", strings.TrimSpace(good) + good, "line 1: has more than one JSON value"},
		{"another file", `{"schema":"llmbench.record/v1"}`, `line 1: schema is "llmbench.record/v1", want "llmbench.facts/v1"`},
		{"a line without a name", strings.Replace(good, "TestA", "", 1), "line 1: name is empty"},
		{"a line without figures", strings.Replace(good, `"request_throughput":5`, "", 1), "line 1: there are 0 figures, want > 0"},
		{"a metric of a later version", strings.Replace(good, "request_throughput", "speed", 1), `line 1: llmbench: figure: key is "speed"`},
		{"a word for a number", strings.Replace(good, ":5", `:"fast"`, 1), "line 1: json: cannot unmarshal"},
		{"two loads under one name", good + strings.Replace(good, `"a"`, `"b"`, 1), "line 2: TestA differs from its first run in its model, want runs of one load"},
	} {
		path := filepath.Join(t.TempDir(), "x.txt")
		require.NoError(t, os.WriteFile(path+".jsonl", []byte(row.text), 0o644))
		runs, err := ReadOut(path)
		require.ErrorContains(t, err, "llmbench: read out: "+path+".jsonl: ", row.why)
		require.ErrorContains(t, err, row.want, row.why)
		require.Nil(t, runs, row.why)
	}
}
