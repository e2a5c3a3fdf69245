package browsertest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// brief is the worked run of NVIDIA's brief: 16 users, 200 requests.
func brief(t *testing.T) *llmbench.Result {
	t.Helper()
	return run(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond}, llmbench.Profile{
		Arrivals: llmbench.Closed(16), Requests: 200, Input: llmbench.Tokens(200), Output: llmbench.Tokens(100), Seed: 7,
	})
}

// stalled is an open loop at 20 req/s with 12 slots, against a server that
// answers nothing from second 8 to second 11 and refuses some requests later.
func stalled(t *testing.T) *llmbench.Result {
	t.Helper()
	result := run(t, stalling{}, llmbench.Profile{
		Arrivals: llmbench.Poisson(20), Duration: 30 * time.Second, MaxInFlight: 12,
		Input: llmbench.Uniform(100, 900), Output: llmbench.Uniform(5, 40), Seed: 3,
	})
	for i := range result.Records {
		if r := &result.Records[i]; i%61 == 60 {
			r.Outcome, r.Status, r.Error, r.Chunks = llmbench.Rejected, 429, "status 429: <b>slow down</b>", nil
		}
	}
	again, err := llmbench.Analyze(result.Records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	again.Profile, again.Schedule, again.Environment, again.Generator = result.Profile, result.Schedule, result.Environment, result.Generator
	again.Test = "TestStalledServer"
	again.ServerSide = readings()
	again.Generator.Fitness = llmbench.Strained
	again.Generator.Reasons = []string{"requests left late by the harness's own doing, p99: 7.20ms, want at most 5ms"}
	again.AddJudgement(llmbench.Judgement{
		State: "fails", Line: "TTFT p99 is 3.21s from schedule, want at most 500ms",
		Rows: [][2]string{{"window", "30.0s measured, 588 requests"}, {"effect", "57 requests waited over 1.00s for a first token"}},
	})
	again.AddJudgement(llmbench.Judgement{State: "holds", Line: "decode throughput is 1.02k tok/s while active, want at least 500 tok/s"})
	again.AddJudgement(llmbench.Judgement{State: "cannot judge", Line: "cannot judge p99.9 within 1s: it needs 2995 requests at 95%, has 588"})
	return again
}

// readings are what an engine with six slots might say of that run.
func readings() *llmbench.ServerSide {
	side := &llmbench.ServerSide{Engine: "vllm", Missed: 1, Trouble: "status 503 <b>"}
	for i := range 62 {
		at := time.Duration(i)*500*time.Millisecond - 100*time.Millisecond
		running, waiting := float64(2+i%4), 0.0
		if i > 16 && i < 24 {
			running, waiting = 6, 6
		}
		side.Readings = append(side.Readings, llmbench.ServerReading{
			At: at, Running: llmbench.Is(running), Waiting: llmbench.Is(waiting), KVUse: llmbench.Is(running / 9),
			OutputTokens: llmbench.Is(float64(i * 205)), PromptTokens: llmbench.Is(float64(i * 4590)),
		})
	}
	return side
}

// slowed compares five runs with five of a server whose first tokens come 30 %
// later.
func slowed(t *testing.T) *llmbench.Comparison {
	t.Helper()
	side := func(name string, ttft time.Duration) *llmbench.Runs {
		var results []*llmbench.Result
		for i := range 5 {
			results = append(results, run(t, mock.Script{TTFT: ttft + time.Duration(i)*time.Millisecond, ITL: 20 * time.Millisecond}, llmbench.Profile{
				Arrivals: llmbench.Poisson(4), Requests: 80, Input: llmbench.Tokens(200), Output: llmbench.Tokens(60), Seed: 7,
			}))
		}
		runs, err := llmbench.NewRuns(name, results...)
		require.NoError(t, err)
		return runs
	}
	return llmbench.Compare(side("main", 100*time.Millisecond), side("TestRegression", 130*time.Millisecond))
}

func run(t *testing.T, responder mock.Responder, profile llmbench.Profile) (result *llmbench.Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		result, err = llmbench.Do(t.Context(), mock.Start(t, responder), profile)
		require.NoError(t, err)
	})
	result.Test = t.Name()
	return result
}

// stalling takes longer for longer prompts and stands still for three seconds.
type stalling struct{}

func (stalling) Respond(r *mock.Request) mock.Reply {
	script := mock.Script{
		TTFT: 60*time.Millisecond + time.Duration(r.InputTokens)*120*time.Microsecond,
		ITL:  9 * time.Millisecond,
	}
	if r.Number >= 158 && r.Number < 170 {
		script.TTFT += 3 * time.Second
	}
	if r.Number%97 == 40 {
		script.ITL = 70 * time.Millisecond
	}
	return script.Respond(r)
}
