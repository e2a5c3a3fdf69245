package llmbench

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One table, a row per mistake, which is why it is long.
func TestProfileErrorsNameFieldValueAndWanted(t *testing.T) {
	for _, row := range []struct {
		why     string
		profile Profile
		want    string
	}{
		{"no silent default of ten requests", Profile{},
			"llmbench: profile: Requests and Duration are both 0, want at least one of them > 0"},
		{"zero requests are none", Profile{Arrivals: Poisson(5)},
			"llmbench: profile: Requests and Duration are both 0, want at least one of them > 0"},
		{"negative count", Profile{Requests: -1},
			"llmbench: profile: Requests is -1, want > 0"},
		{"negative time", Profile{Duration: -time.Second},
			"llmbench: profile: Duration is -1s, want > 0"},
		{"more users than requests", Profile{Arrivals: Closed(16), Requests: 10},
			"llmbench: profile: Arrivals: Closed users is 16, want <= Requests, which is 10: the rest would have nothing to send"},
		{"no users", Profile{Arrivals: Closed(0), Requests: 1},
			"llmbench: profile: Arrivals: Closed users is 0, want >= 1"},
		{"case 103: rate 0", Profile{Arrivals: Constant(0), Requests: 1},
			"llmbench: profile: Arrivals: Constant rate is 0, want > 0 req/s"},
		{"case 103: rate below 0", Profile{Arrivals: Poisson(-1), Requests: 1},
			"llmbench: profile: Arrivals: Poisson rate is -1, want > 0 req/s"},
		{"case 103: rate NaN", Profile{Arrivals: Constant(Rate(math.NaN())), Requests: 1},
			"llmbench: profile: Arrivals: Constant rate is NaN, want > 0 req/s"},
		{"all at once, for ever", Profile{Arrivals: Constant(Rate(math.Inf(1))), Duration: time.Second},
			"llmbench: profile: Arrivals: rate is +Inf, want under 2e9 req/s or Requests > 0: all would come at once, without end"},
		{"a slip of the keyboard must not take all memory", Profile{Arrivals: Constant(1e9), Duration: time.Hour},
			"llmbench: profile: Arrivals and Duration or Requests plan 3.6e+12 requests, want at most 10000000"},
		{"prompt of nothing", Profile{Requests: 1, Input: Tokens(0)},
			"llmbench: profile: Input is 0 tokens, want >= 1"},
		{"lengths the wrong way round", Profile{Requests: 1, Output: Uniform(9, 3)},
			"llmbench: profile: Output is 9 to 3 tokens, want 1 <= low <= high"},
		{"negative warm-up", Profile{Requests: 1, Warmup: WarmupPart{Requests: -2}},
			"llmbench: profile: Warmup.Requests is -2, want >= 0"},
		{"negative warm-up time", Profile{Requests: 1, Warmup: WarmupPart{Duration: -2}},
			"llmbench: profile: Warmup.Duration is -2ns, want >= 0"},
		{"negative cool-down", Profile{Requests: 1, Cooldown: -2},
			"llmbench: profile: Cooldown is -2ns, want >= 0"},
		{"nothing comes after the stages", Profile{Arrivals: Steps(time.Second, Constant(1)), Cooldown: 2},
			"llmbench: profile: Cooldown is 2ns, want 0 unless Requests or Duration ends the measured part before the arrivals end"},
		{"warm-up of all stages", Profile{Arrivals: Steps(time.Second, Constant(1)), Warmup: WarmupPart{Duration: time.Second}},
			"llmbench: profile: Warmup.Duration is 1s, want under the 1s of the arrivals: it is taken from them"},
		{"a share over 1", Profile{Requests: 1, Cancel: CancelPart{Share: 1.5}},
			"llmbench: profile: Cancel.Share is 1.5, want a share in [0,1]"},
		{"giving up before the start", Profile{Requests: 1, Cancel: CancelPart{Share: 1, After: Wait(-1)}},
			"llmbench: profile: Cancel.After is -1ns, want >= 0"},
		{"a limit of nothing", Profile{Requests: 1, FailureLimit: -0.5},
			"llmbench: profile: FailureLimit is -0.5, want a share in (0,1] or llmbench.NoFailureLimit"},
		{"an unknown pace", Profile{Requests: 1, Pace: 7},
			"llmbench: profile: Pace is 7, want Relaxed or Precise"},
		{"thinking backwards", Profile{Requests: 1, Think: WaitBetween(2, 1)},
			"llmbench: profile: Think is 2ns to 1ns, want 0 <= low <= high"},
		{"a negative mean", Profile{Requests: 1, Think: WaitAbout(-1)},
			"llmbench: profile: Think is about -1ns, want >= 0"},
		{"no turn", Profile{Requests: 1, Sessions: Sessions{Turns: Tokens(0)}},
			"llmbench: profile: Sessions.Turns is 0 turns, want >= 1"},
		{"an unknown history", Profile{Requests: 1, Sessions: Sessions{History: 9}},
			"llmbench: profile: Sessions.History is 9, want ReplyHistory, FixedHistory or NoHistory"},
		{"fewer than no slots", Profile{Requests: 1, Sessions: Sessions{Slots: -1}},
			"llmbench: profile: Sessions.Slots is -1, want >= 0"},
		{"a class without a name", Profile{Requests: 1, Classes: []Class{{Share: 1}}},
			"llmbench: profile: Classes[0].Label is empty, want a name"},
		{"a class of nobody", Profile{Requests: 1, Classes: []Class{{Label: "a"}}},
			"llmbench: profile: Classes[0].Share is 0, want > 0"},
		{"a class with a bad length", Profile{Requests: 1, Classes: []Class{{Label: "a", Share: 1, Output: Tokens(0)}}},
			"llmbench: profile: Classes[0]: a length is 0 tokens, want >= 1"},
		{"no data", Profile{Requests: 1, Dataset: &Trace{Name: "x"}},
			"llmbench: profile: Dataset is x trace, 0 requests, want at least one row"},
		{"two sources of requests", Profile{Dataset: &Trace{Name: "x", Rows: make([]TraceRow, 1)}, Arrivals: Replay(&Trace{Timed: true, Rows: make([]TraceRow, 1)})},
			"llmbench: profile: Dataset is x trace, 1 requests, want none under Replay, whose trace has the requests"},
		{"two kinds of sessions", Profile{Requests: 1, Dataset: &Trace{Rows: make([]TraceRow, 1)}, Sessions: Sessions{Turns: Tokens(2)}},
			"llmbench: profile: Sessions.Turns is given beside a trace, want one of them: its rows have sessions of their own"},
		{"two kinds of classes", Profile{Requests: 1, Dataset: &Trace{Rows: make([]TraceRow, 1)}, Classes: []Class{{Label: "a", Share: 1}}},
			"llmbench: profile: Classes are given beside a trace, want one of them: its rows have labels of their own"},
		{"half a pool", Profile{Requests: 1, Prompt: PromptPart{Prefixes: 2}},
			"llmbench: profile: Prompt.Prefixes is 2 and PrefixTokens is 0, want both or neither > 0"},
		{"pictures without a size", Profile{Requests: 1, Prompt: PromptPart{Images: ImagePart{Count: 1}}},
			"llmbench: profile: Prompt.Images is 0x0 pixels, want 1 to 8192 each"},
		{"two truths about tokens", Profile{Requests: 1, Prompt: PromptPart{Calibrate: true, TokensPerWord: 2}},
			"llmbench: profile: Prompt.TokensPerWord is 2, want 0 when Prompt.Calibrate finds it out"},
		{"a normal of nothing", Profile{Requests: 1, Input: Normal(0, 1)},
			"llmbench: profile: Input is normal 0 tokens, deviation 1, want mean >= 1, deviation >= 0, both finite"},
		{"a tail below the middle", Profile{Requests: 1, Input: LogNormal(10, 5)},
			"llmbench: profile: Input is log-normal, median 10 tokens, p99 5, want 1 <= median <= p99, finite"},
		{"lengths of nothing", Profile{Requests: 1, Input: From(nil)},
			"llmbench: profile: Input is one of no lengths, want at least one, each >= 1"},
		{"cut to nothing", Profile{Requests: 1, Input: Within(5, 2, Tokens(1))},
			"llmbench: profile: Input is within 5 to 2 tokens, want 1 <= low <= high"},
		{"a second bound on prefill", Profile{Arrivals: Closed(2), Requests: 2, MaxPrefill: 1},
			"llmbench: profile: MaxPrefill is 1, want 0 in a closed loop: its 2 users are the bound"},
		{"negative timeout that is not NoTimeout", Profile{Requests: 1, Timeout: -time.Second},
			"llmbench: profile: Timeout is -1s, want >= 0 or llmbench.NoTimeout"},
		{"negative grace", Profile{Requests: 1, Grace: -time.Second},
			"llmbench: profile: Grace is -1s, want >= 0 or llmbench.NoGrace"},
		{"negative idle timeout", Profile{Requests: 1, IdleTimeout: -time.Second},
			"llmbench: profile: IdleTimeout is -1s, want >= 0"},
		{"negative bound", Profile{Arrivals: Poisson(1), Requests: 1, MaxInFlight: -1},
			"llmbench: profile: MaxInFlight is -1, want >= 0"},
		{"a second bound on a closed loop", Profile{Arrivals: Closed(2), Requests: 2, MaxInFlight: 1},
			"llmbench: profile: MaxInFlight is 1, want 0 in a closed loop: its 2 users are the bound"},
		{"unknown field for the limit", Profile{Requests: 1, Body: Body{LimitField: "n_predict"}},
			`llmbench: profile: Body.LimitField is "n_predict", want max_tokens, max_completion_tokens or both`},
		{"negative least length", Profile{Requests: 1, Body: Body{MinTokens: -1}},
			"llmbench: profile: Body.MinTokens is -1, want >= 0"},
	} {
		_, err := Plan(row.profile)
		require.EqualError(t, err, row.want, row.why)
	}
}

func TestProfileDefaultsAreTheDocumentedOnes(t *testing.T) {
	p := Profile{Requests: 1}.withDefaults()
	require.Equal(t, Closed(1), p.Arrivals)
	require.Equal(t, Tokens(DefaultInput), p.Input)
	require.Nil(t, p.Output)
	require.Equal(t, DefaultTimeout, p.Timeout)
	require.Equal(t, DefaultGrace, p.Grace)
	require.Equal(t, NoGrace, Profile{Grace: NoGrace}.withDefaults().withDefaults().Grace, "applied twice, still none")
}
