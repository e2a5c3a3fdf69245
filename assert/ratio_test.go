package assert

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// classed are chat requests of 100 tokens with 100 ms to the first token, and
// batch requests of 300 tokens with 240 ms; every second chat request was cached
// and took 40 ms. Odd ones are second turns.
func classed(t *testing.T, n int) *llmbench.Result {
	t.Helper()
	var shots []shot
	for i := range n {
		first := 240
		if i%3 != 0 {
			first = []int{100, 40}[i%2]
		}
		shots = append(shots, ttfts(first)[0])
		last := &shots[i]
		last.due, last.sent, last.first, last.last = 1000*i, 1000*i, 1000*i+first, 1000*i+first+90
	}
	records := made(t, shots...).Records
	for i := range records {
		r := &records[i]
		r.Turn, r.Label = i%2, "chat"
		r.CachedTokens = llmbench.Is(0)
		if i%3 == 0 {
			r.Label, r.InputTokens = "batch", llmbench.Is(300)
		} else if i%2 == 1 {
			r.CachedTokens = llmbench.Is(64)
		}
	}
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	return result
}

func TestRatioTexts(t *testing.T) {
	hit, miss := Class{Label: "chat", Cache: CacheHit}, Class{Label: "chat", Cache: CacheMiss}
	small := func(t *testing.T) *llmbench.Result { return classed(t, 60) }
	for _, c := range []struct {
		name, why string
		result    func(*testing.T) *llmbench.Result
		claim     Claim
	}{
		{"ratio-cache", "cached prompts against cold ones", small, Ratio{Metric: llmbench.TTFT, Stat: "p50", Of: hit, To: miss, AtMost: 0.3}},
		{"ratio-load", "one run against another", drowning,
			Ratio{Metric: llmbench.TTFT, Stat: "p99", Base: loaded(t, 10), AtMost: 3}},
		{"ratio-unsure", "percentiles that are not known well enough", small,
			Ratio{Metric: llmbench.TTFT, Stat: "p90", Of: hit, To: miss, AtMost: 0.5, Confidence: 0.95}},
		{"ratio-same", "a thing against itself", small, Ratio{Metric: llmbench.TTFT, Stat: "p50", AtMost: 1}},
		{"ratio-none", "nothing to divide by", small, Ratio{Metric: llmbench.TTFT, Of: hit, To: Class{Label: "vision"}, AtMost: 1}},
		{"among-label", "one class alone", small, Among(Class{Label: "batch"}, TTFT{P50: 200 * ms})},
		{"among-none", "a class without requests", small, Among(Class{Label: "vision"}, TTFT{P50: time.Hour})},
		{"among-bad", "bounds that cross", small, Among(Class{MinInput: 5, MaxInput: 3}, TTFT{P50: time.Hour})},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, failure(t, c.result(t), c.claim))
		})
	}
}

func TestRatioVerdicts(t *testing.T) {
	hit, miss := Class{Label: "chat", Cache: CacheHit}, Class{Label: "chat", Cache: CacheMiss}
	small, large := classed(t, 60), classed(t, 600)
	withFailures := made(t, append(ttfts(100, 100, 100), failed(1)...)...)
	for _, c := range []struct {
		why  string
		r    *llmbench.Result
		c    Ratio
		want State
	}{
		{"40 ms of 100 ms", small, Ratio{Metric: llmbench.TTFT, Stat: "max", Of: hit, To: miss, AtMost: 0.4}, Holds},
		{"from below", small, Ratio{Metric: llmbench.TTFT, Of: hit, To: miss, AtLeast: 0.4}, Holds},
		{"both", small, Ratio{Metric: llmbench.TTFT, Of: hit, To: miss, AtLeast: 0.41, AtMost: 0.5}, Fails},
		{"known, with enough requests", large, Ratio{Metric: llmbench.TTFT, Stat: "p90", Of: hit, To: miss, AtMost: 0.5, Confidence: 0.95}, Holds},
		{"known to be broken", large, Ratio{Metric: llmbench.TTFT, Stat: "p90", Of: hit, To: miss, AtMost: 0.3, Confidence: 0.95}, Fails},
		{"rates too", steady(t), Ratio{Metric: llmbench.ActivePrefillThroughput, Base: steady(t), AtLeast: 1}, Holds},
		{"a failure makes the p99 infinite", withFailures, Ratio{Metric: llmbench.TTFT, Stat: "p99", Base: small, AtMost: 1e9}, Fails},
		{"and nothing to divide by", small, Ratio{Metric: llmbench.TTFT, Stat: "p99", Base: withFailures, AtMost: 1e9}, CannotJudge},
		{"no metric", small, Ratio{Of: hit, To: miss, AtMost: 1}, CannotJudge},
		{"no limit", small, Ratio{Metric: llmbench.TTFT, Of: hit, To: miss}, CannotJudge},
		{"NaN", small, Ratio{Metric: llmbench.TTFT, Of: hit, To: miss, AtMost: math.NaN()}, CannotJudge},
		{"no such statistic", small, Ratio{Metric: llmbench.TTFT, Stat: "p100", Of: hit, To: miss, AtMost: 1}, CannotJudge},
		{"a confidence for a mean", small, Ratio{Metric: llmbench.TTFT, Of: hit, To: miss, AtMost: 1, Confidence: 0.9}, CannotJudge},
		{"percentiles of a single number", small, Ratio{Metric: llmbench.RequestThroughput, Stat: "p50", Of: hit, To: miss, AtMost: 1}, CannotJudge},
	} {
		v := c.c.Check(c.r)
		require.Equal(t, c.want, v.State, "%s:\n%s", c.why, v)
	}
}

func TestClassHas(t *testing.T) {
	r := classed(t, 60)
	for _, c := range []struct {
		class Class
		want  int
		text  string
	}{
		{Class{}, 60, "all requests"},
		{Class{Label: "batch"}, 20, "requests with label batch"},
		{Class{MinInput: 101}, 20, "requests with input tokens >= 101"},
		{Class{MaxInput: 100}, 40, "requests with input tokens <= 100"},
		{Class{MinInput: 100, MaxInput: 300}, 60, "requests with input tokens 100 to 300"},
		{Class{MinTurn: 1, MaxTurn: 1}, 30, "requests with turn 1"},
		{Class{MinTurn: 2}, 30, "requests with turn >= 2"},
		{Class{Cache: CacheHit}, 20, "requests with a cache hit"},
		{Class{Cache: CacheMiss, Label: "chat"}, 20, "requests with label chat and a cache miss"},
	} {
		n := 0
		for i := range r.Records {
			if c.class.has(&r.Records[i]) {
				n++
			}
		}
		require.Equal(t, c.want, n, c.text)
		require.Equal(t, c.text, c.class.String())
		part, err := c.class.of(r)
		require.NoError(t, err)
		require.Equal(t, c.want, part.Counts.OK, c.text)
		require.Equal(t, r.Window.Length(), part.Window.Length(), "the window is that of the whole")
	}
	require.False(t, Class{MinInput: 1}.has(&llmbench.Record{}), "unknown tokens")
	require.False(t, Class{Cache: CacheMiss}.has(&llmbench.Record{}), "a server that does not say")
}

func TestStatNamed(t *testing.T) {
	for name, want := range map[string]statistic{
		"mean": mean, "avg": mean, "min": low, "max": high, "med": pth("p50", 0.5), "p99": pth("p99", 0.99),
		"p99.9": {"P999", " p99.9", 0.999}, "p(95)": pth("p95", 0.95), "p(99.9)": {"P999", " p99.9", 0.999}, "p50.0": pth("p50", 0.5),
	} {
		got, ok := statNamed(name)
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"", "p", "p0", "p100", "p-1", "pNaN", "p(99", "99", "P99", "mode", "p1e1000"} {
		_, ok := statNamed(name)
		require.False(t, ok, name)
	}
}
