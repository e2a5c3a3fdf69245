package assert

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// What is decided early is what the whole run says, and what the part of it that
// was run says too: the rule keeps its word on both sides.
func TestDecidedIsTheVerdictOfTheWholeRun(t *testing.T) {
	stopped := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(rt, "n")
		over := rapid.Float64Range(0, 0.3).Draw(rt, "over")
		bad := rapid.Float64Range(0, 0.1).Draw(rt, "bad")
		coin := rapid.Float64Range(0, 1)
		var shots []shot
		for i := range n {
			s := ttfts(100)[0]
			if coin.Draw(rt, "slow") < over {
				s.first, s.last = 200, 290
			}
			if coin.Draw(rt, "failed") < bad {
				s = failed(1)[0]
			}
			s.due, s.sent, s.first, s.last = s.due+1000*i, s.sent+1000*i, s.first+1000*i, s.last+1000*i
			shots = append(shots, s)
		}
		confidence := rapid.SampledFrom([]float64{0, 0.9, 0.95}).Draw(rt, "confidence")
		claim := rapid.SampledFrom([]Claim{
			TTFT{P90: 150 * ms, Confidence: confidence},
			TTFT{P50: 150 * ms, P99: time.Second, Confidence: confidence},
			TTFT{P90: 150 * ms, Confidence: confidence, OKOnly: true},
			TTFT{Max: 150 * ms},
			TTFT{P90: 140 * ms, PerInputToken: 100 * time.Microsecond, Confidence: confidence},
			ErrorRate{AtMost: 0.05, Confidence: confidence},
			Goodput{TTFT: 150 * ms, Fraction: 0.8, Confidence: confidence},
			NoErrors{},
		}).Draw(rt, "claim")

		whole := made(t, shots...)
		watch := Decided(claim)(n)
		for i := range whole.Records {
			why := watch(&whole.Records[i])
			if why == "" {
				continue
			}
			stopped++
			want := claim.Check(whole)
			part := claim.Check(made(t, shots[:i+1]...))
			require.Equal(rt, want.State, part.State, "after %d of %d (%s):\n%s\n%s", i+1, n, why, want, part)
			require.NotEqual(rt, CannotJudge, want.State, why)
			return
		}
	})
	require.Positive(t, stopped, "some runs must be decided early")
}

// A run against a server that is too slow ends after as many requests as prove
// it, one against a fast one when the rest cannot matter.
func TestRunStopsWhenDecided(t *testing.T) {
	for _, c := range []struct {
		why    string
		claims []Claim
		sent   int
		want   State
		text   string
	}{
		{"p90 of 200 over the limit: 28 are too many", []Claim{TTFT{P90: 50 * ms, Confidence: 0.95}}, 28, Fails,
			"TTFT p90 within 50.0ms fails: 28 over it after 28 of 200 requests, want under 28"},
		{"p90 of 200 within: 12 may be over", []Claim{TTFT{P90: 150 * ms, Confidence: 0.95}}, 188, Holds,
			"all claims hold, whatever the other 12 of 200 requests do"},
		{"the maximum is known by its first request over", []Claim{TTFT{Max: 50 * ms}}, 1, Fails, "TTFT maximum within 50.0ms fails: 1 over it after 1 of 200 requests, want under 1"},
		{"what cannot be decided early keeps the run going", []Claim{TTFT{P90: 150 * ms}, ActivePrefill{Mean: 1}}, 200, Holds, ""},
		{"but not from failing", []Claim{TTFT{Max: 50 * ms}, ActivePrefill{Mean: 1}}, 1, Fails, "TTFT maximum within 50.0ms fails: 1 over it after 1 of 200 requests, want under 1"},
		{"a mean is known at the end", []Claim{TTFT{Mean: 50 * ms}}, 200, Fails, ""},
	} {
		r := run(t, mock.Script{TTFT: 100 * ms, ITL: 10 * ms}, llmbench.Profile{
			Arrivals: llmbench.Closed(1), Requests: 200, Output: llmbench.Tokens(5), StopWhenDecided: Decided(c.claims...),
		})
		require.Equal(t, c.sent, r.Counts.OK, c.why)
		require.Equal(t, 200, r.Counts.Planned, "%s: what was not sent is counted", c.why)
		require.Equal(t, c.text, r.Decided, c.why)
		require.Empty(t, r.Stopped, c.why)
		require.Equal(t, c.want.String(), AllOf(c.claims...)(r).State, c.why)
	}
}

// An open loop ends early too, and what is in flight is cancelled, not failed.
func TestOpenLoopStopsWhenDecided(t *testing.T) {
	r := run(t, mock.Script{TTFT: 100 * ms, ITL: 10 * ms}, llmbench.Profile{
		Arrivals: llmbench.Constant(100), Duration: 10 * time.Second, Output: llmbench.Tokens(5),
		StopWhenDecided: Decided(TTFT{P99: 50 * ms, Confidence: 0.95}),
	})
	require.Equal(t, 16, r.Counts.OK, "of 1000, 16 are too many")
	require.Zero(t, r.Counts.Failed())
	require.Positive(t, r.Counts.Cancelled)
	require.Equal(t, 1000, r.Counts.Planned)
	require.Equal(t, Holds, NoCoordinatedOmission{}.Check(r).State, "what was not sent on purpose is not late: %s", NoCoordinatedOmission{}.Check(r))
	golden(t, "complete-decided", failure(t, r, Complete{}))
}

func TestDecidedNeedsANumber(t *testing.T) {
	_, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: "http://localhost:1"}, llmbench.Profile{
		Arrivals: llmbench.Closed(1), Duration: time.Second, StopWhenDecided: Decided(NoErrors{}),
	})
	require.EqualError(t, err, "llmbench: profile: StopWhenDecided is set, want Requests in a closed loop: their number must be known in advance")
}

// Contracts are decided early as their claims are, classes and pooled gaps never.
func TestWhatIsDecidedEarly(t *testing.T) {
	c, err := LoadContract("testdata/chat.slo.yaml")
	require.NoError(t, err)
	early := 0
	for _, claim := range c.Claims {
		if len(claim.(curtailed).trials(200)) > 0 {
			early++
		}
	}
	require.Equal(t, 7, early, "the third limit is of a class, the first has a mean")
	for _, claim := range []Claim{TTFT{}, TTFT{Min: ms}, Goodput{TTFT: ms, Rate: 1}, ErrorRate{}, term{claim: ITL{P99: ms}}} {
		require.Empty(t, claim.(curtailed).trials(200), "%T", claim)
	}
}
