package assert

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// sparse is an open loop of long prompts with pauses between them, after a
// warm-up.
func sparse(t *testing.T) *llmbench.Result {
	return keep("sparse", func() *llmbench.Result {
		return run(t, mock.Script{TTFT: 90 * ms, ITL: 5 * ms}, llmbench.Profile{
			Arrivals: llmbench.Poisson(6.4), Duration: 30 * time.Second, Warmup: llmbench.WarmupPart{Duration: 5 * time.Second},
			Input: llmbench.Tokens(1024), Output: llmbench.Tokens(20), Seed: 7,
		})
	})
}

func TestRateTexts(t *testing.T) {
	for _, c := range []struct {
		name, why string
		result    func(*testing.T) *llmbench.Result
		claim     Claim
	}{
		{"active-prefill", "the example of the style page", sparse, ActivePrefill{Mean: 20_000}},
		{"active-prefill-p5", "two limits, the farther one first", sparse, ActivePrefill{Mean: 16_000, P5: 12_000}},
		{"active-prefill-failures", "failed requests are in no prefill", func(t *testing.T) *llmbench.Result {
			return made(t, append(ttfts(100, 100), failed(2)...)...)
		}, ActivePrefill{Mean: 2000}},
		{"active-prefill-none", "no streamed reply, no prefill", func(t *testing.T) *llmbench.Result {
			return run(t, mock.Script{TTFT: 90 * ms}, llmbench.Profile{Requests: 3, Body: llmbench.Body{NoStream: true}})
		}, ActivePrefill{Mean: 1}},
		{"active-prefill-bad", "NaN is no limit", sparse, ActivePrefill{Mean: math.NaN()}},
		{"active-prefill-empty", "a claim without a limit would always hold", sparse, ActivePrefill{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, failure(t, c.result(t), c.claim))
		})
	}
}

// In virtual time the brief's figures are exact, so the limits may be too.
func TestActivePrefillOfTheBrief(t *testing.T) {
	r := steady(t)
	for _, c := range []struct {
		why  string
		f    Floor
		want State
	}{
		{"40000 tokens in 1.3 s of prefill", Floor{Mean: 40000 / 1.3}, Holds},
		{"and no more", Floor{Mean: 30770}, Fails},
		{"16 prompts of 200 tokens in 100 ms", Floor{P50: 32_000, Max: 32_000}, Holds},
		{"the last wave has 8", Floor{Min: 16_000}, Holds},
		{"so the least is no more than half", Floor{Min: 16_001}, Fails},
		{"a negative rate", Floor{Mean: -1}, CannotJudge},
		{"an infinite rate", Floor{Mean: math.Inf(1)}, CannotJudge},
	} {
		v := ActivePrefill(c.f).Check(r)
		require.Equal(t, c.want, v.State, "%s:\n%s", c.why, v)
	}
}

func TestActiveShareIsExact(t *testing.T) {
	r := steady(t)
	part, span, ok := activeShare(r.Stats(llmbench.ActivePrefillThroughput), r.Stats(llmbench.EffectivePrefillThroughput), r.Window.Length())
	require.True(t, ok)
	require.Equal(t, "4.81%", part)
	require.InDelta(t, 1300*ms, span, 1, "13 waves of 100 ms")
}

// Requests with contradicting instants make a rate that holds doubtful; one
// that fails would fail with them too.
func TestInconsistentRecordsAreNotJudged(t *testing.T) {
	r := made(t, ttfts(100, -3)...)
	require.Equal(t, CannotJudge, ActivePrefill{Mean: 1}.Check(r).State)
	require.Equal(t, Fails, ActivePrefill{Mean: 1e6}.Check(r).State)
}
