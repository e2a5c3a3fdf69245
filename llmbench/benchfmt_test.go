package llmbench

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// golden compares a text with a file of testdata, or writes it with
// LLMBENCH_UPDATE=1.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", "compare", name)
	if os.Getenv("LLMBENCH_UPDATE") == "1" {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text, path)
}

// writeNoisy writes ten runs of a test to a file; each is slower by a factor and
// its own noise of 2 %.
func writeNoisy(t *testing.T, path, test string, slower float64, seed uint64) {
	t.Setenv("LLMBENCH_OUT", path)
	for _, r := range noisyRuns(t, slower, seed).Results() {
		require.NoError(t, WriteOut(test, r))
	}
}

func noisyRuns(t *testing.T, slower float64, seed uint64) *Runs {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	var results []*Result
	for range 10 {
		results = append(results, madeResult(slower*(1+0.02*random.NormFloat64())))
	}
	runs, err := NewRuns("TestServe", results...)
	require.NoError(t, err)
	return runs
}

// tool is a tool's path and version as .ci/tools pins it.
func tool(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../.ci/tools")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return path
		}
	}
	t.Fatalf("%s is not in .ci/tools", name)
	return ""
}

// The command that people use reads our files as they are: one table per figure,
// each line found, scaled, and with the sign of its change.
func TestBenchstatReadsOurFiles(t *testing.T) {
	dir := t.TempDir()
	writeNoisy(t, filepath.Join(dir, "old.txt"), "TestServe", 1, 1)
	writeNoisy(t, filepath.Join(dir, "new.txt"), "TestServe", 1.1, 2)
	machine := regexp.MustCompile(`(?m)^(goos|goarch): .*\n`)
	for _, row := range []struct {
		golden string
		args   []string
	}{
		{"benchstat.txt", nil},
		{"benchstat.csv", []string{"-format", "csv"}},
	} {
		cmd := exec.Command("go", append(append([]string{"run", tool(t, "benchstat")}, row.args...), "old.txt", "new.txt")...)
		cmd.Dir = dir
		var stderr strings.Builder
		cmd.Stderr = &stderr
		text, err := cmd.Output()
		require.NoError(t, err, stderr.String())
		golden(t, row.golden, machine.ReplaceAllString(string(text), ""))
	}
	old, err := os.ReadFile(filepath.Join(dir, "old.txt"))
	require.NoError(t, err)
	block := string(old[:strings.Index(string(old), "\nBenchmark")])
	golden(t, "out.txt", machine.ReplaceAllString(block, ""))
}

// Every figure says which direction is better, is scaled by benchstat, and no
// quantity is written in two units.
func TestUnitsCarryTheirDirection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	writeNoisy(t, path, "TestServe", 1, 1)
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	reader := benchfmt.NewReader(file, path)
	lines := 0
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Fatal(rec)
		case *benchfmt.Result:
			lines++
			require.Len(t, rec.Values, len(Figures()))
			require.Equal(t, 20, rec.Iters)
		}
	}
	require.NoError(t, reader.Err())
	require.Equal(t, 10, lines)
	seen := map[string]Figure{}
	for _, f := range Figures() {
		unit, _ := f.benchUnit()
		_, tidy := benchunit.Tidy(1, unit)
		require.Equal(t, unit, tidy, "benchstat would show another unit")
		require.NotContains(t, seen, tidy, "two figures in one unit")
		seen[tidy] = f
		want := map[Better]int{Higher: 1, Lower: -1}[f.Metric().Better()]
		require.Equal(t, want, reader.Units().GetBetter(unit), unit)
		require.NotNil(t, reader.Units().Get(unit, "assume"), unit)

		reported, _ := f.reportUnit()
		_, tidy = benchunit.Tidy(1, reported)
		require.Equal(t, unit, tidy, "ReportMetric and LLMBENCH_OUT must be the same quantity")
	}
}

func TestBenchUnits(t *testing.T) {
	for _, row := range []struct {
		figure Figure
		unit   string
		per    float64
	}{
		{TTFT.Quantile(0.99), "ttft-p99-sec", 1e3},
		{TPOT.Mean(), "tpot-sec", 1e3},
		{OutputTokenThroughput.Mean(), "tok/s", 1},
		{RequestThroughput.Mean(), "req/s", 1},
		{ActivePrefillThroughput.Quantile(0.5), "active-prefill-p50-tok/s", 1},
		{BenchmarkDuration.Mean(), "benchmark-duration-sec", 1},
		{QueueWait.Quantile(0.999), "queue-wait-p99.9-sec", 1e3},
	} {
		unit, per := row.figure.benchUnit()
		require.Equal(t, row.unit, unit)
		require.Equal(t, row.per, per, unit)
	}
}

func TestBenchNamesAreKeptWhole(t *testing.T) {
	for _, row := range []struct{ why, test, model, more, want string }{
		{"a benchmark's name has its prefix in the format", "BenchmarkServe", "", "", "Serve"},
		{"a test keeps its own, so that -run finds it", "TestServe/warm", "", "", "TestServe/warm"},
		{"a slash in a model would begin a key", "TestServe", "org/tiny", "", "TestServe/model=org_tiny"},
		{"-7 at the end would be GOMAXPROCS", "TestServe", "qwen-7", "", "TestServe/model=qwen_7"},
		{"white space would end the name", "TestServe", "a b\tc\n", "", "TestServe/model=a_b_c_"},
		{"a terminal must not be written to", "TestServe", "a\x1b[31m", "", "TestServe/model=a_[31m"},
		{"sides of a pair come last", "TestServe", "qwen-7", "/side=a", "TestServe/model=qwen-7/side=a"},
	} {
		r := &Result{Environment: &Environment{Model: row.model}}
		name := benchName(row.test, row.more, r)
		require.Equal(t, row.want, name, row.why)
		base, parts := benchfmt.Name(name).Parts()
		for _, p := range parts {
			require.True(t, strings.HasPrefix(string(p), "/"), "%s: %q is read as GOMAXPROCS of %q", row.why, p, base)
		}
	}
}

// Two loads in one test are two benchmarks; the seed makes no other load.
func TestSecondProfileIsAnotherBenchmark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	t.Setenv("LLMBENCH_OUT", path)
	for _, change := range []func(*Profile){
		func(*Profile) {}, func(p *Profile) { p.Requests = 21 }, func(p *Profile) { p.Seed = 99 },
	} {
		r := madeResult(1)
		change(r.Profile)
		require.NoError(t, WriteOut("TestTwoLoads", r))
	}
	require.Equal(t, []string{"TestTwoLoads/model=org_tiny_7", "TestTwoLoads#01/model=org_tiny_7", "TestTwoLoads/model=org_tiny_7"},
		namesIn(t, path))
}

func namesIn(t *testing.T, path string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Benchmark"); ok {
			names = append(names, strings.Fields(rest)[0])
		}
	}
	return names
}

// What differs from run to run is beside the file, not in it.
func TestFactsAreBesideTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	writeNoisy(t, path, "TestFacts", 1, 1)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, key := range []string{"seed", "time", "commit", "profile"} {
		require.NotRegexp(t, `(?m)^`+key+`\w*:`, string(text))
	}
	file, err := os.Open(path + ".jsonl")
	require.NoError(t, err)
	defer file.Close()
	n := 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); n++ {
		var facts struct {
			Schema, Name string
			Profile      struct{ Seed int }
			Hash         string `json:"profile_hash"`
			Environment  struct{ Model string }
			Counts       struct{ OK int }
		}
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &facts))
		require.Equal(t, []any{FactsSchema, "TestFacts/model=org_tiny_7", 7, "org/tiny-7", 20},
			[]any{facts.Schema, facts.Name, facts.Profile.Seed, facts.Environment.Model, facts.Counts.OK})
		require.Len(t, facts.Hash, 16)
	}
	require.Equal(t, 10, n)
}

// Tests run in parallel, and their lines do not mix.
func TestLinesOfParallelTestsDoNotMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	t.Setenv("LLMBENCH_OUT", path)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := WriteOut("TestParallel", madeResult(1)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	reader, n := benchfmt.NewReader(file, path), 0
	for reader.Scan() {
		_, bad := reader.Result().(*benchfmt.SyntaxError)
		require.False(t, bad, "%v", reader.Result())
		if _, ok := reader.Result().(*benchfmt.Result); ok {
			n++
		}
	}
	require.Equal(t, 20, n)
}

func TestOutErrors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("LLMBENCH_OUT", filepath.Join(dir, "missing", "out.txt"))
	test := watch("TestX", func(f *fakeT) { out(f, madeResult(1)) })
	require.Len(t, test.errors, 1, "results that were asked for are missing: that fails the test")
	require.Contains(t, test.errors[0], "llmbench: LLMBENCH_OUT: open ")

	t.Setenv("LLMBENCH_OUT", filepath.Join(dir, "out.txt"))
	empty, err := Analyze(nil, AnalyzeOptions{})
	require.NoError(t, err)
	require.EqualError(t, WriteOut("TestEmpty", empty),
		"llmbench: LLMBENCH_OUT: TestEmpty has no figure to write, want at least one request that was answered or failed: 0 planned: 0 ok")

	part := madeResult(1)
	part.Stopped = "interrupted"
	require.EqualError(t, WriteOut("TestPart", part),
		"llmbench: LLMBENCH_OUT: TestPart was stopped early and is not written, want a whole run: interrupted")
	test = watch("TestPart", func(f *fakeT) { out(f, part) })
	require.Empty(t, test.errors, "Run has failed the test already")
	require.NoFileExists(t, filepath.Join(dir, "out.txt"))
	_, err = NewRuns("x", madeResult(1), part)
	require.EqualError(t, err, "llmbench: runs: run 2 was stopped early, want whole runs: interrupted")

	t.Setenv("LLMBENCH_OUT", "")
	require.NoError(t, WriteOut("TestEmpty", empty), "nothing is asked for")
}

// A relative path is the same file from every package of a module.
func TestRelativeOutIsAtTheModule(t *testing.T) {
	root, below := moduleRoot()
	require.FileExists(t, filepath.Join(root, "go.mod"))
	require.Equal(t, "llmbench", below)
	require.Equal(t, filepath.Join(root, "new.txt"), fromModule("new.txt"))
	t.Chdir(t.TempDir())
	require.Equal(t, "new.txt", fromModule("new.txt"), "no module, no root")
}

// Case 138: the name alone, as go test -v prints it first, is no result and no
// error for the reader that our files are made for.
func TestNameOnlyLine(t *testing.T) {
	file, err := os.Open("testdata/compare/cases/138-bench-line-name-only/input.txt")
	require.NoError(t, err)
	defer file.Close()
	reader, n := benchfmt.NewReader(file, "input.txt"), 0
	for reader.Scan() {
		rec, ok := reader.Result().(*benchfmt.Result)
		require.True(t, ok, "%v", reader.Result())
		n++
		require.Equal(t, "Serve-8", rec.Name.String())
		require.Equal(t, 1000, rec.Iters)
		for unit, want := range map[string]float64{"sec/op": 0.0125, "tok/s": 85.5, "ttft-ms": 41.2} {
			value, ok := rec.Value(unit)
			require.True(t, ok, unit)
			require.InDelta(t, want, value, 1e-12, unit)
		}
	}
	require.Equal(t, 1, n)
}
