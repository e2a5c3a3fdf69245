package llmbench_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
)

// caseFile is the records.json of a case folder: finished requests as another
// tool might keep them.
type caseFile struct {
	Config struct {
		SLO struct{ TTFT, TPOT, E2E float64 } `json:"slo_ms"`
		// Window and Duration are in milliseconds.
		Window   []int `json:"window_ms"`
		Duration int   `json:"run_duration_ms"`
	}
	Requests []struct {
		ID        string
		Scheduled *int64 `json:"scheduled_ns"`
		Start     int64  `json:"start_ns"`
		End       int64  `json:"end_ns"`
		Status    llmbench.Outcome
		Output    int `json:"output_tokens"`
		Requested int `json:"requested_max_tokens"`
		Usage     *struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			Details    struct {
				Reasoning int `json:"reasoning_tokens"`
			} `json:"completion_tokens_details"`
		}
		Events []struct {
			At     int64 `json:"t_ns"`
			Tokens int32
		} `json:"token_events"`
	}
}

func readCase(t *testing.T, name string) (caseFile, []llmbench.Record) {
	data, err := os.ReadFile(filepath.Join("testdata", "cases", name, "records.json"))
	require.NoError(t, err)
	var file caseFile
	require.NoError(t, json.Unmarshal(data, &file))
	var records []llmbench.Record
	for _, q := range file.Requests {
		r := llmbench.Record{ID: q.ID, Streamed: true, Outcome: q.Status,
			Sent: llmbench.Is(time.Duration(q.Start)), End: llmbench.Is(time.Duration(q.End))}
		if q.Scheduled != nil {
			r.Scheduled = llmbench.Is(time.Duration(*q.Scheduled))
		}
		for _, e := range q.Events {
			r.Chunks = append(r.Chunks, llmbench.Chunk{At: time.Duration(e.At), Kind: llmbench.ContentChunk, Tokens: e.Tokens, Counted: true})
		}
		if q.Requested > 0 { // case 80: the server said nothing
			r.RequestedOutputTokens = llmbench.Is(q.Requested)
		} else {
			r.OutputTokens = llmbench.Is(q.Output)
		}
		if u := q.Usage; u != nil {
			r.Usage = &llmbench.Usage{Prompt: llmbench.Is(u.Prompt), Completion: llmbench.Is(u.Completion), Reasoning: llmbench.Is(u.Details.Reasoning)}
		}
		records = append(records, r)
	}
	return file, records
}

// samples are all values of a per-request metric, one Analyze per request.
func samples(t *testing.T, m llmbench.Metric, records []llmbench.Record) []float64 {
	var all []float64
	for i := range records {
		if v, ok := analyze(t, records[i:i+1]).Stats(m).Mean().Get(); ok {
			all = append(all, v)
		}
	}
	return all
}

// TestPublicCases holds the metrics to bugs that other tools had in public; the
// folder of each tells where. It is long because it is one list, an entry per bug.
func TestPublicCases(t *testing.T) {
	for name, check := range map[string]func(t *testing.T, r *llmbench.Result){
		"067-tpot-one-and-zero-tokens": func(t *testing.T, r *llmbench.Result) {
			near(t, 30, r.Stats(llmbench.TPOT).Mean())
			require.Equal(t, 1, r.Stats(llmbench.TPOT).N())
			require.Equal(t, map[string]int{"fewer than 2 output tokens": 1}, r.Stats(llmbench.TPOT).LeftOut())
			near(t, 100, r.Stats(llmbench.TTFT).Mean())
			require.Equal(t, 2, r.Stats(llmbench.TTFT).N())
		},
		"068-ttft-not-in-itl": func(t *testing.T, r *llmbench.Result) {
			near(t, 500, r.Stats(llmbench.TTFT).Mean())
			for _, m := range []llmbench.Metric{llmbench.ICL, llmbench.ITL} {
				require.Equal(t, 3, r.Stats(m).N())
				near(t, 10, r.Stats(m).Mean())
				near(t, 10, r.Stats(m).Max())
			}
		},
		"069-itl-multi-token-chunks": func(t *testing.T, r *llmbench.Result) {
			near(t, 24, r.Stats(llmbench.TPOT).Mean())
			near(t, 60, r.Stats(llmbench.ICL).Min())
			near(t, 60, r.Stats(llmbench.ICL).Max())
			near(t, 6, r.Stats(llmbench.OSL).Mean())
			near(t, 2, r.Stats(llmbench.TokensPerChunk).Mean())
		},
		"070-zero-token-chunk": func(t *testing.T, r *llmbench.Result) {
			require.Equal(t, 1, r.Stats(llmbench.ICL).N())
			near(t, 100, r.Stats(llmbench.ICL).Mean())
			near(t, 100, r.Stats(llmbench.TPOT).Mean())
			near(t, 2, r.Stats(llmbench.OSL).Mean())
		},
		"072-failed-requests-kept-out": func(t *testing.T, r *llmbench.Result) {
			require.Equal(t, 3, r.Counts.OK)
			require.Equal(t, 2, r.Counts.Error)
			near(t, 0.4, r.Stats(llmbench.ErrorRate).Mean())
			near(t, 1000, r.Stats(llmbench.RequestLatency).Mean())
			near(t, 100, r.Stats(llmbench.TTFT).Mean())
			near(t, 33, r.Stats(llmbench.OutputTokenThroughput).Mean(), "33 tokens in 1 s")
			near(t, 4, r.Stats(llmbench.PartialOutputTokens).Mean())
		},
		"073-all-requests-failed": func(t *testing.T, r *llmbench.Result) {
			near(t, 1, r.Stats(llmbench.ErrorRate).Mean())
			near(t, 0, r.Stats(llmbench.RequestThroughput).Mean())
			for _, m := range []llmbench.Metric{llmbench.TTFT, llmbench.RequestLatency, llmbench.TPOT} {
				require.False(t, r.Stats(m).Quantile(0.99).Ok())
				require.Equal(t, "no ok request", r.Stats(m).Absent())
			}
		},
		"074-percentiles-few-samples": func(t *testing.T, r *llmbench.Result) {
			s := r.Stats(llmbench.TTFT)
			for q, want := range map[float64]float64{0.5: 25, 0.9: 37, 0.99: 39.7, 1: 40} {
				near(t, want, s.Quantile(q), q)
			}
			require.False(t, s.Carries(0.99))
			require.False(t, s.Carries(0.9))
		},
		"076-percentile-one-sample": func(t *testing.T, r *llmbench.Result) {
			for _, q := range []float64{0.5, 0.99, 1} {
				near(t, 575, r.Stats(llmbench.RequestLatency).Quantile(q))
			}
			near(t, 0, r.Stats(llmbench.RequestLatency).Std(), "population of one")
		},
		"078-reasoning-not-double-counted": func(t *testing.T, r *llmbench.Result) {
			near(t, 251, r.Stats(llmbench.OSL).Mean())
			near(t, 187, r.Stats(llmbench.ReasoningTokens).Mean())
			near(t, 100, r.Stats(llmbench.OutputTokenThroughputPerUser).Mean())
			near(t, 65, r.Stats(llmbench.ISL).Mean())
		},
		"080-usage-missing-fallback": func(t *testing.T, r *llmbench.Result) {
			near(t, 5, r.Stats(llmbench.OSL).Mean())
			require.Equal(t, map[llmbench.Source]int{llmbench.FromChunks: 1}, r.Sources.Output)
			near(t, 1, r.Stats(llmbench.OSLMismatchCount).Mean(), "5 of 64 asked for")
		},
		"081-tpot-weighting": func(t *testing.T, r *llmbench.Result) {
			near(t, 55, r.Stats(llmbench.TPOT).Mean())
		},
		"082-zero-duration": func(t *testing.T, r *llmbench.Result) {
			near(t, 0, r.Stats(llmbench.RequestLatency).Mean())
			for _, m := range []llmbench.Metric{llmbench.RequestThroughput, llmbench.OutputTokenThroughput,
				llmbench.E2EOutputTokenThroughput, llmbench.PrefillThroughputPerUser, llmbench.EffectiveConcurrency} {
				require.False(t, r.Stats(m).Mean().Ok(), m.Tag())
				require.NotEmpty(t, r.Stats(m).Absent(), m.Tag())
			}
		},
		"083-clock-steps-back": func(t *testing.T, r *llmbench.Result) {
			require.Equal(t, 1, r.Counts.Inconsistent)
			require.Equal(t, 1, r.Counts.OK)
			for _, m := range llmbench.Metrics() {
				require.GreaterOrEqual(t, r.Stats(m).Min().Or(0), 0.0, m.Tag())
			}
			require.Equal(t, "instants contradict each other", r.Stats(llmbench.ICL).Absent())
			near(t, 4/0.12, r.Stats(llmbench.OutputTokenThroughput).Mean(), "its tokens count")
		},
		"085-nan-inf-export": func(t *testing.T, r *llmbench.Result) {
			require.Equal(t, 1, r.Stats(llmbench.TTFT).N())
		},
		"091-coordinated-omission-stall": func(t *testing.T, r *llmbench.Result) {
			near(t, 175, r.Stats(llmbench.EffectiveLatency).Mean())
			near(t, 510, r.Stats(llmbench.EffectiveLatency).Max())
			near(t, 60, r.Stats(llmbench.RequestLatency).Mean())
			require.Equal(t, []float64{0, 0, 0, 410, 320, 230, 140, 50, 0, 0}, samples(t, llmbench.QueueWait, r.Records))
			require.Equal(t, []float64{10, 10, 510, 420, 330, 240, 150, 60, 10, 10}, samples(t, llmbench.EffectiveTTFT, r.Records))
		},
		"093-concurrency-cap-hides-queue": func(t *testing.T, r *llmbench.Result) {
			require.Equal(t, []float64{0, 200, 400, 600}, samples(t, llmbench.QueueWait, r.Records))
			require.Equal(t, []float64{300, 300, 300, 300}, samples(t, llmbench.TTFT, r.Records))
			require.Equal(t, []float64{300, 500, 700, 900}, samples(t, llmbench.EffectiveTTFT, r.Records))
			near(t, 1, r.Stats(llmbench.MaxConcurrency).Mean(), "the cap")
		},
		"094-achieved-versus-requested-rate": func(t *testing.T, r *llmbench.Result) {
			near(t, 10, r.Stats(llmbench.OfferedRate).Mean())
			near(t, 10/1.1, r.Stats(llmbench.AchievedRate).Mean())
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, records := readCase(t, name)
			check(t, analyze(t, records))
			out, err := json.Marshal(analyze(t, records))
			require.NoError(t, err)
			require.NotRegexp(t, `NaN|Inf`, string(out))
		})
	}
}

// TestGoodputDenominators: a failed request breaks every SLO, a metric that
// does not exist breaks none, and the bound itself is kept (A's TPOT is 25).
func TestGoodputDenominators(t *testing.T) {
	file, records := readCase(t, "077-goodput-denominators")
	slo := file.Config.SLO
	r, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{
		To: time.Duration(file.Config.Duration) * time.Millisecond,
		SLOs: []llmbench.SLO{
			{Metric: llmbench.TTFT, Limit: slo.TTFT}, {Metric: llmbench.TPOT, Limit: slo.TPOT},
			{Metric: llmbench.RequestLatency, Limit: slo.E2E},
		},
	})
	require.NoError(t, err)
	near(t, 2, r.Stats(llmbench.GoodRequestCount).Mean())
	near(t, 0.4, r.Stats(llmbench.GoodRequestFraction).Mean())
	near(t, 1, r.Stats(llmbench.Goodput).Mean())
	var held []int
	for _, a := range r.Attainments {
		require.Equal(t, 5, a.Of)
		held = append(held, a.Held)
	}
	require.Equal(t, []int{3, 3, 4}, held, "TTFT: A C E; TPOT: A B E; latency: all but D")
}

// TestWarmupOverlap: request figures follow the requests that start in the
// window, token figures the tokens that arrive in it.
func TestWarmupOverlap(t *testing.T) {
	file, records := readCase(t, "086-warmup-overlap")
	w := file.Config.Window
	r, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{
		From: time.Duration(w[0]) * time.Millisecond, To: time.Duration(w[1]) * time.Millisecond,
	})
	require.NoError(t, err)
	require.Equal(t, llmbench.BetweenRule, r.Window.Rule)
	require.Equal(t, 1, r.Stats(llmbench.RequestLatency).N())
	near(t, 800, r.Stats(llmbench.RequestLatency).Mean(), "C alone starts inside")
	near(t, 7, r.Stats(llmbench.WindowOutputTokenThroughput).Mean(), "A 1, B 3, C 3")
	near(t, 4, r.Stats(llmbench.UnselectedTokensInsideWindow).Mean(), "A 1, B 3")
	near(t, 0, r.Stats(llmbench.SelectedTokensOutsideWindow).Mean())
	near(t, 3, r.Stats(llmbench.WindowCompletionRate).Mean(), "all end inside")
	near(t, 0.1+0.9+0.8, r.Stats(llmbench.WindowInFlightMean).Mean(), "clipped")
}

// TestServerReportedTimes: Ollama's durations are nanoseconds.
func TestServerReportedTimes(t *testing.T) {
	data, err := os.ReadFile("testdata/cases/097-server-reported-times-in-ns/input.json")
	require.NoError(t, err)
	var in struct {
		Tokens int           `json:"eval_count"`
		Span   time.Duration `json:"eval_duration"`
	}
	require.NoError(t, json.Unmarshal(data, &in))
	got := llmbench.ServerTimings{OutputTokens: llmbench.Is(in.Tokens), Decode: llmbench.Is(in.Span)}
	near(t, 9/0.147877, got.DecodeRate())
	require.False(t, got.PromptRate().Ok(), "not reported")
	got.Decode = llmbench.Is(time.Duration(0))
	require.False(t, got.DecodeRate().Ok(), "no time")
}

// TestEveryCaseIsUsed fails when a folder is copied here and no test reads it.
func TestEveryCaseIsUsed(t *testing.T) {
	folders, err := os.ReadDir("testdata/cases")
	require.NoError(t, err)
	source, err := os.ReadFile("cases_test.go")
	require.NoError(t, err)
	for _, f := range folders {
		require.Contains(t, string(source), f.Name())
	}
}
