package assert

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// A served is a run as it might have been: sixteen requests one after the other,
// TTFT 100 ms and nine gaps of 20 ms, all slower by a factor.
type served struct {
	slower, stalled float64 // stalled is the last request's, beside it
	failed          int
	model           string
}

func (s served) run(t *testing.T) *llmbench.Result {
	t.Helper()
	ms := func(v float64) time.Duration { return time.Duration(v * s.slower * 1e6) }
	var records []llmbench.Record
	at := time.Duration(0)
	for i := range 16 {
		r := llmbench.Record{
			ID: fmt.Sprintf("r%d", i), Phase: llmbench.Measure, Outcome: llmbench.OK, Streamed: true,
			Scheduled: llmbench.Is(at), Sent: llmbench.Is(at), InputTokens: llmbench.Is(200), OutputTokens: llmbench.Is(10),
		}
		if i < s.failed {
			r.Outcome, r.Error, r.OutputTokens = llmbench.Error, "reset", llmbench.Known[int]{}
		}
		at += ms(100)
		for range 10 {
			r.Chunks = append(r.Chunks, llmbench.Chunk{At: at, Kind: llmbench.ContentChunk, Tokens: 1, Counted: true})
			at += ms(20)
		}
		if i == 15 && s.stalled > 0 {
			at += ms(s.stalled)
			r.Chunks[9].At = at - ms(20)
		}
		at -= ms(20)
		r.End = llmbench.Is(at)
		records = append(records, r)
	}
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	profile := llmbench.Profile{Arrivals: llmbench.Closed(1), Requests: 16, Output: llmbench.Tokens(10), Seed: 7}
	result.Profile = &profile
	result.Schedule, err = llmbench.Plan(profile)
	require.NoError(t, err)
	model := s.model
	if model == "" {
		model = "tiny"
	}
	result.Environment = &llmbench.Environment{Model: model, API: "openai-chat", OS: "linux", Arch: "amd64", CPUs: 2, Procs: 2}
	return result
}

// noise gives n runs with a CV; the same seed makes the same runs.
func (s served) noise(t *testing.T, n int, cv float64, seed uint64) *llmbench.Runs {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 9))
	var results []*llmbench.Result
	for range n {
		one := s
		one.slower *= 1 + cv*random.NormFloat64()
		results = append(results, one.run(t))
	}
	runs, err := llmbench.NewRuns("TestServing", results...)
	require.NoError(t, err)
	return runs
}

// logged is a recorder that keeps logs too.
type logged struct {
	*recorder
	logs *[]string
}

func (l logged) Logf(format string, args ...any) {
	*l.logs = append(*l.logs, fmt.Sprintf(format, args...))
}

// gate runs CheckNoRegression as a test of the package ./assert named TestServing.
// LLMBENCH_UPDATE is as given: that of the goldens is not the gate's.
func gate(now *llmbench.Runs, claim NoRegression, update ...string) (held bool, errors, logs []string) {
	defer os.Setenv("LLMBENCH_UPDATE", os.Getenv("LLMBENCH_UPDATE"))
	os.Setenv("LLMBENCH_UPDATE", strings.Join(update, ""))
	seen := watch("TestServing", func(t T) {
		held = CheckNoRegression(logged{t.(*recorder), &logs}, now, claim)
	})
	return held, seen.errors, logs
}

// The texts of the gate, one golden each.
func TestRegressionTexts(t *testing.T) {
	base := served{slower: 1}.noise(t, 10, 0.01, 1)
	median := func(f llmbench.Figure) llmbench.Comparer { return llmbench.Comparer{Figures: []llmbench.Figure{f}} }
	for _, row := range []struct {
		golden, why string
		now         *llmbench.Runs
		claim       NoRegression
	}{
		{"regression", "12 % slower: every figure is worse", served{slower: 1.12}.noise(t, 10, 0.01, 2), NoRegression{Base: base}},
		{"regression-one", "one figure is worse, the others hold", served{slower: 1, stalled: 60}.noise(t, 10, 0.01, 3), NoRegression{Base: base}},
		{"regression-few", "4 + 4 runs cannot reach p < 0.05 after Holm", served{slower: 1.5}.noise(t, 4, 0.01, 4),
			NoRegression{Base: served{slower: 1}.noise(t, 4, 0.01, 5)}},
		{"regression-unclear", "20 % slower in noise of 25 %: no verdict, never a pass", served{slower: 1.2}.noise(t, 6, 0.25, 6),
			NoRegression{Base: served{slower: 1}.noise(t, 6, 0.25, 8), Comparer: median(llmbench.TTFT.Quantile(0.5))}},
		{"regression-missing", "a figure that no run has", served{slower: 1}.noise(t, 10, 0.01, 8),
			NoRegression{Base: base, Comparer: median(llmbench.HTTPTLS.Quantile(0.5))}},
		{"regression-failed", "failed requests make room for the rest", served{slower: 0.9, failed: 4}.noise(t, 10, 0.01, 9), NoRegression{Base: base}},
		{"regression-none", "there is no file", served{slower: 1}.noise(t, 10, 0.01, 10), NoRegression{Baseline: "testdata/none.baseline.json"}},
		{"regression-bad", "neither file nor runs", served{slower: 1}.noise(t, 10, 0.01, 10), NoRegression{}},
	} {
		held, errors, _ := gate(row.now, row.claim)
		require.False(t, held, row.why)
		require.Len(t, errors, 1, row.why)
		checkForm(t, errors[0])
		golden(t, row.golden, errors[0])
	}
}

// Noise alone is no regression, and what is better passes and says how to keep it.
func TestNoRegressionHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "serve.baseline.json")
	base := served{slower: 1}.noise(t, 10, 0.02, 1)
	require.NoError(t, llmbench.WriteBaseline(path, base))

	held, errors, logs := gate(served{slower: 1}.noise(t, 10, 0.02, 2), NoRegression{Baseline: path})
	require.True(t, held, errors)
	require.Empty(t, errors)
	require.Len(t, logs, 1)
	require.Contains(t, logs[0], "TestServing: 10 + 10 runs\n")

	held, errors, logs = gate(served{slower: 0.8}.noise(t, 10, 0.02, 3), NoRegression{Baseline: path})
	require.True(t, held, errors)
	require.Len(t, logs, 2)
	require.Equal(t, "TTFT p50, TPOT p50, request latency p99, output token throughput improved on "+path+
		"; this makes it the new base:\n  LLMBENCH_UPDATE=1 go test -run '^TestServing$' ./assert", logs[1])

	v := NoRegression{Baseline: path}.Check(base)
	require.Equal(t, Holds, v.State)
	require.Equal(t, "4 figures are no worse than the base: TTFT p50, TPOT p50, request latency p99, output token throughput", v.Line)
}

// The reports of the last run show what the gate said, whatever it was.
func TestGateIsAmongTheJudgements(t *testing.T) {
	base := served{slower: 1}.noise(t, 10, 0.01, 1)
	for _, row := range []struct {
		now   *llmbench.Runs
		state string
		line  string
	}{
		{served{slower: 1}.noise(t, 10, 0.01, 2), "holds", "4 figures are no worse than the base"},
		{served{slower: 1.12}.noise(t, 10, 0.01, 2), "fails", "4 of 4 figures are worse than the base"},
		{served{slower: 1.12}.noise(t, 2, 0.01, 2), "cannot judge", "cannot judge no regression"},
	} {
		results := row.now.Results()
		held, _, _ := gate(row.now, NoRegression{Base: base})
		require.Equal(t, row.state == "holds", held)
		for _, result := range results[:len(results)-1] {
			require.Empty(t, result.Judgements(), "the verdict is said once")
		}
		said := results[len(results)-1].Judgements()
		require.Len(t, said, 1)
		require.Equal(t, "NoRegression", said[0].Claim)
		require.Equal(t, row.state, said[0].State)
		require.Contains(t, said[0].Line, row.line)
	}
}

func TestRequireNoRegressionStops(t *testing.T) {
	base := served{slower: 1}.noise(t, 10, 0.01, 1)
	reached := false
	seen := watch("TestServing", func(t T) {
		RequireNoRegression(t, base, NoRegression{Base: base})
		reached = true
		RequireNoRegression(t, nil, NoRegression{Base: base})
		reached = false
	})
	require.True(t, seen.stopped)
	require.True(t, reached, "what holds goes on, what does not stops")
	require.Len(t, seen.errors, 1)
	require.True(t, strings.HasPrefix(seen.errors[0], "cannot judge no regression: there are no runs (nil)"))
}

// LLMBENCH_UPDATE=1 writes the file that the next run is held to, with the figures
// asked for; runs that could not be compared make no base.
func TestUpdateWritesTheBaseline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "testdata", "serve.baseline.json")
	tail := llmbench.TTFT.Quantile(0.9)
	claim := NoRegression{Baseline: path, Comparer: llmbench.Comparer{Figures: []llmbench.Figure{tail}}}
	now := served{slower: 1}.noise(t, 10, 0.01, 1)
	held, errors, logs := gate(now, claim, "1")
	require.True(t, held, errors)
	require.Equal(t, []string{"wrote " + path + ": 10 runs"}, logs)
	written, err := llmbench.ReadBaseline(path)
	require.NoError(t, err)
	require.Equal(t, now.Values(tail), written.Values(tail))
	held, errors, _ = gate(now, claim)
	require.True(t, held, errors)

	held, errors, _ = gate(served{slower: 1, failed: 3}.noise(t, 10, 0.01, 1), claim, "1")
	require.False(t, held)
	require.Contains(t, errors[0], path+" was not written\ncannot judge no regression: requests failed in 10 of 10 runs of now, up to 18.8% of a run")
	again, err := llmbench.ReadBaseline(path)
	require.NoError(t, err)
	require.Equal(t, written.Values(tail), again.Values(tail), "the file is as it was")

	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o644))
	held, errors, _ = gate(now, claim)
	require.False(t, held)
	require.Contains(t, errors[0], `cannot judge no regression: llmbench: baseline `+path+`: schema is "", want "llmbench.baseline/v1"`)
}

// Unlike is not compared with unlike; the text shows what differs and how to go on.
func TestUnlikeRunsCannotBeJudged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "serve.baseline.json")
	require.NoError(t, llmbench.WriteBaseline(path, served{slower: 1}.noise(t, 10, 0.01, 1)))
	now := served{slower: 1, model: "large"}.noise(t, 10, 0.01, 2)
	held, errors, _ := gate(now, NoRegression{Baseline: path})
	require.False(t, held)
	require.Len(t, errors, 1)
	first, rest, _ := strings.Cut(errors[0], "\n")
	require.Equal(t, "cannot judge no regression: the base and now differ in model", first)
	rest = strings.ReplaceAll(rest, "\u00a0", " ") // cmp's text is not stable, and says so by such blanks
	require.Regexp(t, `(?s)  differs +\(-base \+now\)\n.*-\s+Model:\s+"tiny".*\+\s+Model:\s+"large"`, rest)
	require.Contains(t, rest, "\n  hint       LLMBENCH_UPDATE=1 before the rerun writes a baseline of what runs now; or list in Comparer.MayDiffer what may differ\n")

	held, errors, _ = gate(now, NoRegression{Baseline: path, Comparer: llmbench.Comparer{MayDiffer: []llmbench.Trait{llmbench.ModelTrait}}})
	require.True(t, held, errors)
}

// Case 134, for runs: nothing passes on nothing, on zeros, or where requests fail
// fast.
func TestGateNeverPassesOnNothing(t *testing.T) {
	base := served{slower: 1}.noise(t, 10, 0.01, 1)
	one := served{slower: 1}.noise(t, 1, 0, 1)
	for _, row := range []struct {
		why, want string
		now       *llmbench.Runs
		claim     NoRegression
	}{
		{"one run", "cannot judge no regression: 10 + 1 runs reach p = 0.727 at best after Holm over 4 metrics; run 5 + 5 or more", one, NoRegression{Base: base}},
		{"all failed", "cannot judge no regression: requests failed in 10 of 10 runs of now, up to 100% of a run, want at most 0%",
			served{slower: 0.01, failed: 16}.noise(t, 10, 0.01, 2), NoRegression{Base: base}},
		{"all failed, and that is allowed: no latency", "cannot judge no regression: TTFT p50 is missing in 10 of 10 runs of now",
			served{slower: 0.01, failed: 16}.noise(t, 10, 0.01, 2), NoRegression{Base: base, ErrorRate: 1}},
		{"a latency of 0", "cannot judge no regression: TTFT p50 is 0 on one side: ",
			served{slower: 0}.noise(t, 10, 0, 2), NoRegression{Base: base, Comparer: llmbench.Comparer{Figures: []llmbench.Figure{llmbench.TTFT.Quantile(0.5)}}}},
		{"a NaN for a limit", "bad claim: no regression: ErrorRate is NaN, want a share in [0,1]", base, NoRegression{Base: base, ErrorRate: math.NaN()}},
		{"a NaN for a slack", "bad claim: no regression: Slack is NaN, want >= 0 or llmbench.NoSlack", base, NoRegression{Base: base, Comparer: llmbench.Comparer{Slack: math.NaN()}}},
		{"two bases", "bad claim: no regression: Baseline is \"x\" and Base has 10 runs, want exactly one of them", base, NoRegression{Baseline: "x", Base: base}},
	} {
		held, errors, _ := gate(row.now, row.claim)
		require.False(t, held, row.why)
		require.Len(t, errors, 1, row.why)
		require.True(t, strings.HasPrefix(errors[0], row.want), "%s: %s", row.why, errors[0])
	}
}

// A run in which the generator was the bottleneck says nothing of the server.
func TestLateGeneratorCannotBeJudged(t *testing.T) {
	base := served{slower: 1}.noise(t, 10, 0.01, 1)
	now := served{slower: 1}.noise(t, 10, 0.01, 2)
	now.Results()[3].Generator = &llmbench.Generator{LagP99: llmbench.Is(300 * time.Millisecond)}
	held, errors, _ := gate(now, NoRegression{Base: base})
	require.False(t, held)
	require.True(t, strings.HasPrefix(errors[0],
		"cannot judge no regression: in run 4 of 10 of now the generator itself was late (p99 lag 300ms"), errors[0])
}

// LLMBENCH_REPORT keeps the comparison, pass or fail, and trouble with the folder
// is no business of the verdict's.
func TestComparisonIsKept(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("LLMBENCH_REPORT", folder)
	base := served{slower: 1}.noise(t, 10, 0.01, 1)
	held, _, _ := gate(served{slower: 1.12}.noise(t, 10, 0.01, 2), NoRegression{Base: base})
	require.False(t, held)
	held, _, _ = gate(base, NoRegression{Base: base})
	require.True(t, held)
	for _, name := range []string{"compare.md", "compare.csv", "compare-2.md", "compare-2.csv"} {
		require.FileExists(t, filepath.Join(folder, "assert", "TestServing", name))
	}
	text, err := os.ReadFile(filepath.Join(folder, "assert", "TestServing", "compare.md"))
	require.NoError(t, err)
	require.Contains(t, string(text), "| regressed |")

	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	t.Setenv("LLMBENCH_REPORT", file)
	held, errors, logs := gate(base, NoRegression{Base: base})
	require.True(t, held, errors)
	require.Contains(t, logs[0], "warning: the comparison was not kept: llmbench: compare: mkdir ")
}
