package llmbench

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
