package llmbench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// small is a run of a third of a second in real time.
var small = llmbench.Profile{Arrivals: llmbench.Closed(4), Requests: 16, Output: llmbench.Tokens(5), Seed: 7}

// noted is a target that says when it is asked where it is, once per run.
type noted struct {
	*mock.Server
	ask func()
}

func (n noted) URL() string { n.ask(); return n.Server.URL() }

// Fingerprint is what a baseline keeps of the server.
func (n noted) Fingerprint() string { return "mock 1" }

func TestRepeatMakesRunsOfOneSchedule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	t.Setenv("LLMBENCH_OUT", path)
	synctest.Test(t, func(t *testing.T) {
		runs := llmbench.Repeat(t, 3, noted{mock.Start(t, briefScript), func() {}}, small)
		require.Equal(t, 3, runs.N())
		require.Equal(t, t.Name(), runs.Name())
		require.Equal(t, "mock 1", runs.Identity().Server)
		require.True(t, runs.Exact(), "virtual time repeats to the bit")
		for _, r := range runs.Results() {
			require.Equal(t, runs.Results()[0].Schedule.Hash(), r.Schedule.Hash())
			require.NotEmpty(t, r.Schedule.Hash())
		}
		ttft := llmbench.TTFT.Quantile(0.5)
		require.Equal(t, []llmbench.Known[float64]{llmbench.Is(100.0), llmbench.Is(100.0), llmbench.Is(100.0)}, runs.Values(ttft))
		require.Regexp(t, `TTFT p50 +100ms +exact +none`, runs.String())
	})
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(text), "\nBenchmarkTestRepeatMakesRunsOfOneSchedule"))
}

// A run must not be answered from what a server kept of the one before.
func TestRunsHaveWordsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := make(chan string, 200)
		responder := mock.ResponderFunc(func(r *mock.Request) mock.Reply {
			seen <- r.Prompt
			return briefScript.Respond(r)
		})
		server := mock.Start(t, responder)
		count := func() (all, different int) {
			prompts := map[string]bool{}
			for all = len(seen); len(seen) > 0; {
				prompts[<-seen] = true
			}
			return all, len(prompts)
		}
		llmbench.Run(t, server, small)
		llmbench.Run(t, server, small)
		all, different := count()
		require.Equal(t, [2]int{32, 16}, [2]int{all, different}, "the same profile sends the same prompts")

		llmbench.Repeat(t, 3, server, small)
		all, different = count()
		require.Equal(t, [2]int{48, 48}, [2]int{all, different})

		llmbench.Pair(t, 2, server, server, small)
		all, different = count()
		require.Equal(t, [2]int{64, 64}, [2]int{all, different}, "two targets may have one server behind them")
	})
}

// Run writes its line by itself, also where the test goes on to fail.
func TestRunWritesToOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	t.Setenv("LLMBENCH_OUT", path)
	synctest.Test(t, func(t *testing.T) {
		llmbench.Run(t, mock.Start(t, briefScript), small)
	})
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), "\nBenchmarkTestRunWritesToOut/model=mock 16 0.1 ttft-p50-sec 0.1 ttft-p99-sec 0.02 tpot-p50-sec ")
	require.FileExists(t, path+".jsonl")
}

func TestPairAlternates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	t.Setenv("LLMBENCH_OUT", path)
	synctest.Test(t, func(t *testing.T) {
		order := ""
		server := mock.Start(t, briefScript)
		a, b := noted{server, func() { order += "A" }}, noted{server, func() { order += "B" }}
		pairs := llmbench.Pair(t, 4, a, b, llmbench.Profile{Arrivals: llmbench.Poisson(20), Requests: 10, Output: llmbench.Tokens(2), Seed: 3})
		require.Equal(t, "ABBAABBA", order)
		require.Equal(t, [2]int{4, 4}, [2]int{pairs.A.N(), pairs.B.N()})
		for i := range 4 {
			require.Equal(t, pairs.A.Results()[i].Schedule.Hash(), pairs.B.Results()[i].Schedule.Hash())
		}
		c := llmbench.Compare(pairs.A, pairs.B)
		require.True(t, c.Paired)
		require.Equal(t, llmbench.Unchanged, c.Changes[0].Finding)
	})
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, side := range []string{"/side=a ", "/side=b "} {
		require.Equal(t, 4, strings.Count(string(text), side))
	}
}

// What was measured before a stop is kept.
func TestStoppedRepeatsKeepCompletedRuns(t *testing.T) {
	enough := errors.New("enough seen")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		runs := 0
		server := noted{mock.Start(t, briefScript), func() {
			if runs++; runs == 3 {
				cancel(enough)
			}
		}}
		got, err := llmbench.DoRepeat(ctx, 5, server, small)
		require.ErrorIs(t, err, enough)
		require.ErrorContains(t, err, "run 3 of 5: llmbench: run stopped early")
		require.Equal(t, 2, got.N())
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		runs := 0
		server := noted{mock.Start(t, briefScript), func() {
			if runs++; runs == 4 {
				cancel(enough)
			}
		}}
		got, err := llmbench.DoPair(ctx, 5, server, server, small)
		require.ErrorContains(t, err, "run 4 of 10, side a: llmbench: run stopped early")
		require.Equal(t, [2]int{1, 1}, [2]int{got.A.N(), got.B.N()}, "half a pair is no pair")
	})
}

func TestRepeatErrors(t *testing.T) {
	ctx := t.Context()
	_, err := llmbench.DoRepeat(ctx, 0, llmbench.Endpoint{}, small)
	require.EqualError(t, err, "llmbench: repeat: n is 0, want > 0")
	_, err = llmbench.DoPair(ctx, -1, nil, nil, small)
	require.EqualError(t, err, "llmbench: pair: n is -1, want > 0")
	runs, err := llmbench.DoRepeat(ctx, 1, nil, small)
	require.ErrorContains(t, err, "run 1 of 1: llmbench: target is nil")
	require.Nil(t, runs)
	_, err = llmbench.NewRuns("x")
	require.EqualError(t, err, "llmbench: runs: there are 0 results, want > 0")
	_, err = llmbench.NewRuns("x", nil)
	require.EqualError(t, err, "llmbench: runs: run 1 is nil, want a result")
}

func TestRunsAreOfOneLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, other := mock.Start(t, briefScript), small
		other.Requests++
		_, err := llmbench.NewRuns("x", llmbench.Run(t, server, small), llmbench.Run(t, server, other))
		require.EqualError(t, err, "llmbench: runs: run 2 differs from run 1 in its profile, want runs of one load")
	})
}

// BenchmarkServe is what TestBench runs.
func BenchmarkServe(b *testing.B) {
	fmt.Println("set up")
	llmbench.Bench(b, mock.Listen(b, mock.Script{TTFT: 5 * time.Millisecond, ITL: time.Millisecond}), small)
}

// -benchtime=1x -count=3 is three runs, each with one set-up, and benchstat finds
// the figures in what the benchmark prints.
func TestBench(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.txt")
	cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkServe$", "-test.benchtime=1x", "-test.count=3")
	cmd.Env = append(os.Environ(), "LLMBENCH_OUT="+path)
	printed, err := cmd.CombinedOutput()
	require.NoError(t, err, string(printed))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(text), "\nBenchmarkServe"), "runs")
	require.Equal(t, 3, strings.Count(string(printed), "set up"))
	for _, unit := range []string{"ttft-p50-ns", "tpot-p99-ns", "tok/s", "req/s", "active-prefill-tok/s", "error-share"} {
		require.Equal(t, 3, strings.Count(string(printed), " "+unit), "%s in\n%s", unit, printed)
	}
	require.Regexp(t, `\b\d{7,10} ttft-p50-ns`, string(printed), "5 ms or more, to the nanosecond")
}
