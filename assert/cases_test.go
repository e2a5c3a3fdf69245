package assert

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// The cases are bugs of other tools, as inputs with the right answer; see
// case.json in each folder.

func readJSON(t *testing.T, v any, path ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"testdata", "cases"}, path...)...))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, v))
}

// caseResult analyses the records of a case.
func caseResult(t *testing.T, name string) *llmbench.Result {
	t.Helper()
	var file struct {
		Requests []struct {
			ID        string
			Scheduled *int64 `json:"scheduled_ns"`
			Start     int64  `json:"start_ns"`
			End       int64  `json:"end_ns"`
			Status    llmbench.Outcome
			Output    int `json:"output_tokens"`
			Events    []struct {
				At     int64 `json:"t_ns"`
				Tokens int32
			} `json:"token_events"`
		}
	}
	readJSON(t, &file, name, "records.json")
	var records []llmbench.Record
	for _, q := range file.Requests {
		r := llmbench.Record{
			ID: q.ID, Streamed: true, Outcome: q.Status, Sent: llmbench.Is(time.Duration(q.Start)),
			End: llmbench.Is(time.Duration(q.End)), OutputTokens: llmbench.Is(q.Output),
		}
		if q.Scheduled != nil {
			r.Scheduled = llmbench.Is(time.Duration(*q.Scheduled))
		}
		for _, e := range q.Events {
			r.Chunks = append(r.Chunks, llmbench.Chunk{At: time.Duration(e.At), Kind: llmbench.ContentChunk, Tokens: e.Tokens, Counted: true})
		}
		records = append(records, r)
	}
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	return result
}

// 72: failed requests are neither fast nor slow answers, and never praised.
func TestCase072FailedRequests(t *testing.T) {
	r := caseResult(t, "072-failed-requests-kept-out")
	require.Equal(t, Holds, TTFT{Mean: 100 * ms, OKOnly: true}.Check(r).State, "of three ok requests")
	require.Equal(t, Holds, RequestLatency{Mean: time.Second, OKOnly: true}.Check(r).State)
	require.Equal(t, Fails, TTFT{Mean: time.Hour}.Check(r).State, "with the failures there is no mean")
	require.Equal(t, Fails, NoErrors{}.Check(r).State)
	require.Equal(t, Holds, ErrorRate{AtMost: 0.4}.Check(r).State, "2 of 5")
	require.Equal(t, Fails, ErrorRate{AtMost: 0.39}.Check(r).State)
}

// 73: nothing but failures has no latency, and no claim on one holds.
func TestCase073AllFailed(t *testing.T) {
	r := caseResult(t, "073-all-requests-failed")
	v := TTFT{P99: 100 * ms}.Check(r)
	require.Equal(t, CannotJudge, v.State)
	require.Contains(t, v.Line, "no samples")
	require.NotEqual(t, Holds, Ceiling{P99: time.Hour}.judge(llmbench.RequestLatency, r).State)
	require.NotEqual(t, Holds, TPOT{P99: time.Hour}.Check(r).State)
	require.Equal(t, Fails, NoErrors{}.Check(r).State)
}

// 74: a percentile of a few samples is judged, and says that it is one.
func TestCase074FewSamples(t *testing.T) {
	r := caseResult(t, "074-percentiles-few-samples")
	for of, want := range map[string]float64{"p50": 25, "p90": 37, "p99": 39.7, "max": 40} {
		stat, ok := statNamed(of)
		require.True(t, ok)
		require.InDelta(t, want, sampleOf(llmbench.TTFT, r, order{}).observed(stat), 1e-9, of)
	}
	require.Contains(t, TTFT{P99: 30 * ms}.Check(r).String(), "an upper bound needs 299 requests")
	require.Contains(t, TTFT{P90: 30 * ms}.Check(r).String(), "an upper bound needs 29 requests")
	require.Equal(t, CannotJudge, TTFT{P99: time.Second, Confidence: 0.95}.Check(r).State)
}

// 77: the denominator of goodput is every request that ended, and what does not
// exist for a request breaks nothing.
func TestCase077GoodputDenominators(t *testing.T) {
	r := caseResult(t, "077-goodput-denominators")
	limits := Goodput{TTFT: 200 * ms, TPOT: 25 * ms, RequestLatency: time.Second}
	for _, c := range []struct {
		fraction float64
		want     State
	}{{0.4, Holds}, {0.41, Fails}, {0.5, Fails}} {
		limits.Fraction = c.fraction
		require.Equal(t, c.want, limits.Check(r).State, "2 of 5, not 2 of 4, against %v", c.fraction)
	}
	// The case states a run of 2 s; its last reply ends earlier, so the rate is
	// taken over a window of that length.
	r, err := llmbench.Analyze(r.Records, llmbench.AnalyzeOptions{To: 2 * time.Second})
	require.NoError(t, err)
	limits.Fraction, limits.Rate = 0, 1
	require.Equal(t, Holds, limits.Check(r).State)
	limits.Rate = 1.01
	require.Equal(t, Fails, limits.Check(r).State)
}

// 91, 93, 94: late sends, a cap that hides a queue, and a rate that was missed
// are seen, and the claim on the users' latency is made from the schedule.
func TestCasesOfCoordinatedOmission(t *testing.T) {
	tenth := llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 10, MaxInFlight: 1}
	r := planned(t, caseResult(t, "091-coordinated-omission-stall"), tenth, llmbench.Generator{CapFull: 5})
	require.Equal(t, Fails, NoCoordinatedOmission{}.Check(r).State)
	require.Equal(t, Holds, RequestLatency{Mean: 60 * ms}.Check(r).State, "from send it looks well")
	require.Equal(t, Holds, EffectiveLatency{Mean: 175 * ms, Max: 510 * ms}.Check(r).State)
	require.Equal(t, Fails, EffectiveLatency{Mean: 174 * ms}.Check(r).State)

	r = planned(t, caseResult(t, "093-concurrency-cap-hides-queue"), tenth, llmbench.Generator{CapFull: 3})
	v := NoCoordinatedOmission{}.Check(r)
	require.Equal(t, Fails, v.State)
	require.Contains(t, v.String(), "MaxInFlight = 1 was full")
	require.Equal(t, Holds, QueueWait{Max: 600 * ms}.Check(r).State)
	require.Equal(t, Fails, QueueWait{Max: 599 * ms}.Check(r).State)
	require.Equal(t, Holds, TTFT{Max: 300 * ms}.Check(r).State)
	require.Equal(t, Holds, EffectiveTTFT{Max: 900 * ms}.Check(r).State)
	require.Equal(t, Fails, EffectiveTTFT{Max: 899 * ms}.Check(r).State)

	r = planned(t, caseResult(t, "094-achieved-versus-requested-rate"), tenth, llmbench.Generator{CapFull: 1})
	v = NoCoordinatedOmission{MaxLag: time.Hour}.Check(r)
	require.Equal(t, Fails, v.State, "the rate alone tells: %s", v)
	require.Contains(t, v.Line, "9.09 req/s were sent of 10.0 req/s offered, want at least 95.0% of them")
}

// 134: an upper bound holds of nothing, of zero, of a negative time, and of one
// answer among failures in no tool but ours.
func TestCase134GatePassesOnNothing(t *testing.T) {
	var input struct {
		Results []struct{ N, Value, Failed int }
	}
	var expected struct{ Verdicts []string }
	readJSON(t, &input, "134-gate-passes-on-nothing", "input.json")
	readJSON(t, &expected, "134-gate-passes-on-nothing", "expected.json")
	require.Len(t, input.Results, len(expected.Verdicts))
	for i, c := range input.Results {
		require.Equal(t, "fail", expected.Verdicts[i])
		r := made(t, append(ttfts(series(c.N, c.Value)...), failed(c.Failed)...)...)
		seen := watch("TestServing", func(t T) { RequireTTFT(t, r, Ceiling{P99: 500 * ms}) })
		require.True(t, seen.stopped, "%+v", c)
	}
}

// 135: NaN is on no side of any limit, and the text says NaN.
func TestCase135NaN(t *testing.T) {
	var input struct{ Checks [][]any }
	readJSON(t, &input, "135-nan-in-assertions", "input.json")
	number := func(v any) float64 {
		if f, ok := v.(float64); ok {
			return f
		}
		return math.NaN()
	}
	r := steady(t)
	for _, check := range input.Checks {
		value, wanted := number(check[1]), number(check[2])
		l := limit{statistic: mean, value: wanted}
		require.False(t, l.within(value) || l.reached(value), "%v", check)
		f := numbers{least: true}.find(value, l, llmbench.ActivePrefillThroughput, r)
		require.NotEqual(t, Holds, f.state, "%v", check)
		if math.IsNaN(value) {
			require.Equal(t, "it is NaN", f.why)
		}
		if math.IsNaN(wanted) {
			v := ActivePrefill{Mean: wanted}.Check(r)
			require.Contains(t, v.Line, "Mean is NaN")
			require.Equal(t, CannotJudge, v.State)
			require.Equal(t, CannotJudge, Ratio{Metric: llmbench.TTFT, Base: r, AtMost: wanted}.Check(r).State)
		}
	}
}
