package assert

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

func TestNoCoordinatedOmissionTexts(t *testing.T) {
	tenth := llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 10, Seed: 7}
	for _, c := range []struct {
		name, why string
		result    func(*testing.T) *llmbench.Result
	}{
		{"omission-cap", "the example of the style page: a stall fills the cap", func(t *testing.T) *llmbench.Result { return stall(t, 128) }},
		{"omission-closed", "a closed loop cannot make the claim", steady},
		{"omission-imported", "records alone do not tell an open loop from a closed one",
			func(t *testing.T) *llmbench.Result { return made(t, ttfts(100, 110)...) }},
		{"omission-generator", "lateness without a cap is our own fault", func(t *testing.T) *llmbench.Result {
			return planned(t, made(t, shot{0, 50, 90, 99, ""}, shot{100, 180, 190, 199, ""}), tenth, llmbench.Generator{})
		}},
		{"omission-unsent", "what never left is late without end", func(t *testing.T) *llmbench.Result {
			r := planned(t, made(t, shot{0, 0, 5, 1900, ""}, shot{100, 100, 190, 1999, ""}, shot{200, 0, 0, 0, llmbench.Unsent}),
				llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 3, MaxInFlight: 2}, llmbench.Generator{CapFull: 1})
			return r
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, failure(t, c.result(t), NoCoordinatedOmission{}))
		})
	}
}

// The number of the hint is tested like code: with it the claim holds.
func TestNoCoordinatedOmissionHintHolds(t *testing.T) {
	first := stall(t, 128)
	need := offeredInFlight(first)
	require.Greater(t, need, 128)
	again := stall(t, need)
	require.Equal(t, Holds, NoCoordinatedOmission{}.Check(again).State, "%s", NoCoordinatedOmission{}.Check(again))
	require.Zero(t, again.Generator.CapFull)
	require.Equal(t, "1256 requests left on time (p99 lag 0s, want at most 5.00ms)", NoCoordinatedOmission{}.Check(stall(t, 0)).Line)
}

// The rate that a closed loop is offered keeps its mean concurrency.
func TestClosedLoopHintKeepsConcurrency(t *testing.T) {
	closed := steady(t)
	require.Equal(t, 2080*ms, meanInFlight(closed))
	require.Contains(t, NoCoordinatedOmission{}.Check(closed).String(), "llmbench.Poisson(7.69)")
}

func TestNoCoordinatedOmissionVerdicts(t *testing.T) {
	onTime := shot{100, 100, 150, 199, ""}
	profile := llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 2, MaxInFlight: 1}
	full := llmbench.Generator{CapFull: 1}
	for _, c := range []struct {
		why   string
		claim NoCoordinatedOmission
		shots []shot
		edit  func(*llmbench.Result)
		want  State
	}{
		{"on time", NoCoordinatedOmission{}, []shot{{0, 0, 50, 99, ""}, onTime}, nil, Holds},
		{"5 ms late is the bound, inclusive", NoCoordinatedOmission{}, []shot{{0, 5, 50, 99, ""}, onTime}, nil, Holds},
		{"6 ms late is over it", NoCoordinatedOmission{}, []shot{{0, 6, 50, 99, ""}, onTime}, nil, Fails},
		{"a bound of one's own, but 6 % of the rate are missing", NoCoordinatedOmission{MaxLag: 10 * ms}, []shot{{0, 0, 50, 99, ""}, {100, 106, 150, 199, ""}}, nil, Fails},
		{"and a shortfall that allows it", NoCoordinatedOmission{MaxLag: 10 * ms, MaxShortfall: 0.1}, []shot{{0, 0, 50, 99, ""}, {100, 106, 150, 199, ""}}, nil, Holds},
		{"a negative bound is no claim", NoCoordinatedOmission{MaxLag: -1}, []shot{{0, 0, 50, 99, ""}, onTime}, nil, CannotJudge},
		{"nor is a shortfall of all", NoCoordinatedOmission{MaxShortfall: 1}, []shot{{0, 0, 50, 99, ""}, onTime}, nil, CannotJudge},
		{"a stopped run cannot hold", NoCoordinatedOmission{}, []shot{{0, 0, 50, 99, ""}, {100, 0, 0, 0, llmbench.Unsent}},
			func(r *llmbench.Result) { r.Stopped = "context canceled" }, CannotJudge},
		{"but fail it can", NoCoordinatedOmission{}, []shot{{0, 60, 80, 99, ""}, {100, 0, 0, 0, llmbench.Unsent}},
			func(r *llmbench.Result) { r.Stopped = "context canceled" }, Fails},
		{"nothing sent is nothing judged", NoCoordinatedOmission{}, nil, nil, CannotJudge},
		{"late without a full cap is the generator's fault", NoCoordinatedOmission{}, []shot{{0, 60, 80, 99, ""}, onTime},
			func(r *llmbench.Result) { r.Generator.CapFull = 0 }, CannotJudge},
	} {
		r := planned(t, made(t, c.shots...), profile, full)
		if c.edit != nil {
			c.edit(r)
		}
		v := c.claim.Check(r)
		require.Equal(t, c.want, v.State, "%s:\n%s", c.why, v)
	}
}

func TestRoundBelow(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{
		0: ms, 3 * ms: 2 * ms, 9 * ms: 5 * ms, 410 * ms: 200 * ms, 1030 * ms: time.Second,
		time.Second: time.Second, time.Hour: 2000 * time.Second,
	} {
		require.Equal(t, want, roundBelow(d), "%v", d)
	}
}
