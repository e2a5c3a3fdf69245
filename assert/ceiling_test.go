package assert

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/llmbench/go/llmbench"
)

// failed is so many requests that end in an error after a millisecond.
func failed(n int) []shot {
	var shots []shot
	for i := range n {
		shots = append(shots, shot{due: 10 * i, sent: 10 * i, last: 10*i + 1, outcome: llmbench.Error})
	}
	return shots
}

func TestLatencyTexts(t *testing.T) {
	for _, c := range []struct {
		name, why string
		result    func(*testing.T) *llmbench.Result
		claim     Claim
	}{
		{"ttft", "a percentile over its limit, and another one", func(t *testing.T) *llmbench.Result {
			return made(t, ttfts(series(195, 100, 180, 190, 200, 210, 220)...)...)
		}, TTFT{P99: 150 * ms, Max: 210 * ms, Mean: time.Second}},
		{"ttft-mean", "the mean has no name and no interval", steady, TTFT{Mean: 99 * ms}},
		{"ttft-near", "a near miss shows the digits it needs", steady, TTFT{P50: 99999 * time.Microsecond}},
		{"ttft-failures", "failures are over every limit", func(t *testing.T) *llmbench.Result {
			return made(t, append(ttfts(series(96, 100)...), failed(4)...)...)
		}, TTFT{P99: 150 * ms}},
		{"ttft-failures-apart", "unless they are left out", func(t *testing.T) *llmbench.Result {
			return made(t, append(ttfts(series(96, 100)...), failed(4)...)...)
		}, TTFT{P99: 50 * ms, OKOnly: true}},
		{"ttft-none", "all failed: no sample", func(t *testing.T) *llmbench.Result { return made(t, failed(2)...) },
			TTFT{P99: 100 * ms}},
		{"ttft-few", "a confidence that the sample cannot carry", func(t *testing.T) *llmbench.Result {
			return made(t, ttfts(series(120, 100)...)...)
		}, TTFT{P99: 500 * ms, Confidence: 0.95}},
		{"ttft-few-over", "and with some over the limit", func(t *testing.T) *llmbench.Result {
			return made(t, ttfts(series(498, 100, 600, 700)...)...)
		}, TTFT{P99: 500 * ms, Confidence: 0.95}},
		{"ttft-zero", "no server answers in no time", func(t *testing.T) *llmbench.Result { return made(t, ttfts(0, 0)...) },
			TTFT{P99: 500 * ms}},
		{"ttft-bad", "a limit below zero is no claim", steady, TTFT{P99: -ms}},
		{"ttft-empty", "a claim without a limit would always hold", steady, TTFT{}},
		{"ttft-generator", "a slow generator is not the server", func(t *testing.T) *llmbench.Result {
			r := made(t, ttfts(100, 100)...)
			return planned(t, r, llmbench.Profile{Arrivals: llmbench.Constant(1), Requests: 2},
				llmbench.Generator{LagP99: llmbench.Is(30 * ms)})
		}, TTFT{P99: 50 * ms}},
		{"request-latency", "another metric, another name", steady, RequestLatency{P90: 2 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, failure(t, c.result(t), c.claim))
		})
	}
}

// Each row is judged as the reason says.
func TestCeilingVerdicts(t *testing.T) {
	for _, c := range []struct {
		why   string
		shots []shot
		c     Ceiling
		want  State
	}{
		{"a limit is inclusive", ttfts(100, 150), Ceiling{Max: 150 * ms}, Holds},
		{"a nanosecond under is not", ttfts(100, 150), Ceiling{Max: 150*ms - 1}, Fails},
		{"the median interpolates", ttfts(100, 200), Ceiling{P50: 150 * ms}, Holds},
		{"all limits must hold", ttfts(100, 200), Ceiling{P50: 150 * ms, Max: 199 * ms}, Fails},
		{"one failure of four makes the maximum infinite", append(ttfts(1, 2, 3), failed(1)...), Ceiling{Max: time.Hour}, Fails},
		{"and the mean", append(ttfts(1, 2, 3), failed(1)...), Ceiling{Mean: time.Hour}, Fails},
		{"but not the median", append(ttfts(1, 2, 3), failed(1)...), Ceiling{P50: 2 * ms}, Holds},
		{"nor the minimum", append(ttfts(1, 2, 3), failed(1)...), Ceiling{Min: ms}, Holds},
		{"nearest rank: p75 of four is the third", append(ttfts(1, 2, 3), failed(1)...), Ceiling{P75: 3 * ms}, Holds},
		{"p90 of four is the fourth", append(ttfts(1, 2, 3), failed(1)...), Ceiling{P90: time.Hour}, Fails},
		{"failures left out on request", append(ttfts(1, 2, 3), failed(1)...), Ceiling{Max: 3 * ms, OKOnly: true}, Holds},
		{"one ok of a hundred cannot save a run", append(ttfts(20), failed(99)...), Ceiling{P50: 500 * ms}, Fails},
		{"no requests", nil, Ceiling{P99: time.Hour}, CannotJudge},
		{"a first token before the send", ttfts(100, -3), Ceiling{Max: time.Hour}, CannotJudge},
		{"p99 with 298 is not known", ttfts(series(298, 100)...), Ceiling{P99: 150 * ms, Confidence: 0.95}, CannotJudge},
		{"p99 with 299 is", ttfts(series(299, 100)...), Ceiling{P99: 150 * ms, Confidence: 0.95}, Holds},
		{"a failure counts among the 299", append(ttfts(series(298, 100)...), failed(1)...), Ceiling{P99: 150 * ms, Confidence: 0.95}, CannotJudge},
		{"four of a hundred over p99 are too many", ttfts(series(96, 100, 200, 200, 200, 200)...), Ceiling{P99: 150 * ms, Confidence: 0.95}, Fails},
		{"three may be chance", ttfts(series(97, 100, 200, 200, 200)...), Ceiling{P99: 150 * ms, Confidence: 0.95}, CannotJudge},
		{"without a confidence the sample is all there is", ttfts(series(98, 100, 200, 200)...), Ceiling{P99: 150 * ms}, Fails},
		{"the mean has no rule for confidence", ttfts(100, 200), Ceiling{Mean: 150 * ms, Confidence: 0.95}, Holds},
		{"a confidence of all", ttfts(100), Ceiling{P99: time.Hour, Confidence: 1}, CannotJudge},
		{"a confidence that is none", ttfts(100), Ceiling{P99: time.Hour, Confidence: math.NaN()}, CannotJudge},
	} {
		v := TTFT(c.c).Check(made(t, c.shots...))
		require.Equal(t, c.want, v.State, "%s:\n%s", c.why, v)
	}
}

func TestLatencyHoldsText(t *testing.T) {
	require.Equal(t, "TTFT p99 is 100ms, want at most 150ms", TTFT{P99: 150 * ms, Max: time.Hour}.Check(steady(t)).Line,
		"the limit nearest to its value is the one to tell")
}

// An imported result that nobody analysed has no statistics.
func TestUnanalysedResultCannotBeJudged(t *testing.T) {
	v := TTFT{P99: time.Hour}.Check(&llmbench.Result{})
	require.Equal(t, CannotJudge, v.State)
	require.Equal(t, "cannot judge TTFT: no samples: no request was measured", v.Line)
}

// Counting over a limit by search is counting, failures included.
func TestSampleOver(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		times := rapid.SliceOfN(rapid.IntRange(1, 20), 1, 40).Draw(rt, "times")
		bad := rapid.IntRange(0, 3).Draw(rt, "failed")
		most := rapid.IntRange(0, 21).Draw(rt, "limit")
		s := sampleOf(llmbench.TTFT, made(t, append(ttfts(times...), failed(bad)...)...), order{})
		want := bad
		for _, d := range times {
			if d > most {
				want++
			}
		}
		require.Equal(rt, want, s.over(limit{value: float64(most)}))
		require.Equal(rt, len(times)+bad, s.n())
	})
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		n    int
		q    float64
		want int
	}{{1, 0.5, 0}, {4, 0.5, 1}, {4, 0.75, 2}, {100, 0.95, 94}, {100, 0.99, 98}, {101, 0.99, 99}, {1000, 0.999, 998}, {5, 1, 4}, {5, 0, 0}} {
		require.Equal(t, c.want, nearest(c.n, c.q), "%d at %v", c.n, c.q)
	}
}
