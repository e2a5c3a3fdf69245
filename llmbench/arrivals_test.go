package llmbench

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The instants of ramps are where the area under the rate reaches 0, 1, 2, ...
func TestRampsInvertTheAreaUnderTheRate(t *testing.T) {
	for _, row := range []struct {
		why      string
		arrivals Arrivals
		count    int
		rate     func(seconds float64) float64 // the area up to there
	}{
		{"up: 2t + ½·0.8t² for 10 s, then 10 req/s", Ramp(2, 10*time.Second, 10), 100,
			func(t float64) float64 { c := min(t, 10); return 2*c + 0.4*c*c + 10*max(t-10, 0) }},
		{"from nothing", Ramp(0, 10*time.Second, 10), 80,
			func(t float64) float64 { c := min(t, 10); return 0.5*c*c + 10*max(t-10, 0) }},
		{"down, and on at the lower rate", Ramp(10, 10*time.Second, 2), 80,
			func(t float64) float64 { c := min(t, 10); return 10*c - 0.4*c*c + 2*max(t-10, 0) }},
		{"flat is constant", Ramp(5, 10*time.Second, 5), 60, func(t float64) float64 { return 5 * t }},
		{"exponential: (e^(gt)−1)·2/g with g = ln(8)/10", RampExponential(2, 10*time.Second, 16), 120,
			func(t float64) float64 {
				g, c := math.Log(8)/10, min(t, 10)
				return 2*(math.Exp(g*c)-1)/g + 16*max(t-10, 0)
			}},
		{"exponential and flat", RampExponential(5, 10*time.Second, 5), 60, func(t float64) float64 { return 5 * t }},
	} {
		s, err := Plan(Profile{Arrivals: row.arrivals, Requests: row.count})
		require.NoError(t, err, row.why)
		require.Len(t, s.Requests, row.count, row.why)
		require.Zero(t, s.Requests[0].At, row.why)
		for k, r := range s.Requests {
			require.InDelta(t, k, row.rate(r.At.Seconds()), 1e-6, "%s: request %d at %v", row.why, k, r.At)
		}
	}
	s, err := Plan(Profile{Arrivals: Ramp(10, 10*time.Second, 0)})
	require.NoError(t, err, "a ramp to nothing ends by itself")
	require.Len(t, s.Requests, 50, "the area is 50, and the 50th from 0 on would come at the very end")
	require.Equal(t, Rate(5), Ramp(10, 10*time.Second, 0).Rate())
	require.InDelta(t, 14/math.Log(8), float64(RampExponential(2, 10*time.Second, 16).Rate()), 1e-12)
}

// The coefficient of variation of gamma gaps is 1/√shape, the mean that of the
// rate: bounds are four standard errors.
func TestGammaGapsHaveTheirBurstiness(t *testing.T) {
	for _, shape := range []float64{0.25, 1, 4} {
		s, err := Plan(Profile{Arrivals: Gamma(50, shape), Requests: 20001, Seed: 7})
		require.NoError(t, err)
		sum, squares := 0.0, 0.0
		for i := range s.Requests[1:] {
			gap := (s.Requests[i+1].At - s.Requests[i].At).Seconds()
			sum, squares = sum+gap, squares+gap*gap
		}
		mean, cv := sum/20000, 1/math.Sqrt(shape)
		require.InDelta(t, 0.02, mean, 4*0.02*cv/math.Sqrt(20000))
		require.InEpsilon(t, cv, math.Sqrt(squares/20000-mean*mean)/mean, 0.06, "shape %v", shape)
	}
}

// A ramp of independent users keeps the ramp's counts: 0 to 100 req/s over 100 s
// is 5000 requests, a quarter of them in the first half.
func TestBurstyRampFollowsTheRamp(t *testing.T) {
	s, err := Plan(Profile{Arrivals: Bursty(Ramp(0, 100*time.Second, 100), 1), Duration: 100 * time.Second, Seed: 7})
	require.NoError(t, err)
	require.InDelta(t, 5000, len(s.Requests), 4*math.Sqrt(5000))
	first := 0
	for _, r := range s.Requests {
		if r.At < 50*time.Second {
			first++
		}
	}
	require.InDelta(t, 1250, first, 4*math.Sqrt(1250))
	require.Equal(t, "Poisson ramp 0 to 100 req/s over 1m40s for 1m40s, seed 7", s.String())
}

func TestStagesFollowOneAnother(t *testing.T) {
	s, err := Plan(Profile{Arrivals: Stages(
		Stage{For: 2 * time.Second, Arrivals: Constant(2)},
		Stage{For: time.Second, Arrivals: Ramp(0, time.Second, 8)},
		Stage{For: time.Second, Arrivals: Constant(4)},
	)})
	require.NoError(t, err, "stages need neither Requests nor Duration")
	require.Equal(t, []time.Duration{0, 500e6, 1000e6, 1500e6, 2000e6, 2500e6, 2707106781, 2866025404,
		3000e6, 3250e6, 3500e6, 3750e6}, instants(s), "the ramp's come at √(k/4)")
	require.Equal(t, []StageSpan{
		{0, 2 * time.Second, "constant 2 req/s"},
		{2 * time.Second, 3 * time.Second, "ramp 0 to 8 req/s over 1s"},
		{3 * time.Second, 4 * time.Second, "constant 4 req/s"},
	}, s.Stages())
	require.Equal(t, Rate(3), s.profile.Arrivals.Rate(), "4 + 4 + 4 in 4 s")

	long, err := Plan(Profile{Arrivals: Steps(time.Second, Poisson(20), Poisson(40)), Seed: 7})
	require.NoError(t, err)
	longer, err := Plan(Profile{Arrivals: Stages(Stage{2 * time.Second, Poisson(20)}, Stage{time.Second, Poisson(40)}), Seed: 7})
	require.NoError(t, err)
	second := func(s *Schedule, begin time.Duration) (at []time.Duration) {
		for _, r := range s.Requests {
			if r.At >= begin {
				at = append(at, r.At-begin)
			}
		}
		return at
	}
	require.Equal(t, second(long, time.Second), second(longer, 2*time.Second), "a longer first stage leaves the second as it was")
}

func TestUsersOfStages(t *testing.T) {
	load := Steps(time.Second, Closed(2), Closed(5), Closed(1))
	require.Equal(t, 5, load.Users(), "the most at once")
	for _, row := range []struct {
		at    time.Duration
		users int
		next  Known[time.Duration]
	}{
		{0, 2, Is(time.Second)}, {time.Second - 1, 2, Is(time.Second)}, {time.Second, 5, Is(2 * time.Second)},
		{2 * time.Second, 1, Is(3 * time.Second)}, {3 * time.Second, 0, Known[time.Duration]{}},
	} {
		users, next := usersAt(load, row.at)
		require.Equal(t, row.users, users, row.at)
		require.Equal(t, row.next, next, row.at)
	}
	require.Equal(t, 3*time.Second, Profile{Arrivals: load}.withDefaults().Duration)
	require.Equal(t, 2*time.Second, Profile{Arrivals: load, Warmup: WarmupPart{Duration: time.Second}}.withDefaults().Duration,
		"warm-up is taken from the stages")
}

func TestArrivalErrorsNameWhatIsWrong(t *testing.T) {
	for _, row := range []struct {
		why      string
		arrivals Arrivals
		want     string
	}{
		{"case 103: burstiness 0", Gamma(10, 0), "Gamma shape is 0, want > 0 and finite; 1 is Poisson"},
		{"no gap is infinitely even", Gamma(10, math.Inf(1)), "Gamma shape is +Inf, want > 0 and finite; 1 is Poisson"},
		{"the rate is checked too", Gamma(-1, 1), "Gamma rate is -1, want > 0 req/s"},
		{"Poisson is random already", Bursty(Poisson(3), 2), "Bursty takes Poisson 3 req/s, want Constant, Ramp or RampExponential"},
		{"a ramp of nothing", Ramp(0, time.Second, 0), "Ramp rates are both 0, want one of them > 0"},
		{"no time", Ramp(1, 0, 2), "Ramp time is 0s, want > 0"},
		{"a negative end", Ramp(1, time.Second, -2), "Ramp last rate is -2, want >= 0 and finite req/s"},
		{"nothing grows from 0", RampExponential(0, time.Second, 2), "RampExponential first rate is 0, want > 0 and finite req/s"},
		{"not a number", Ramp(Rate(math.NaN()), time.Second, 2), "Ramp first rate is NaN, want >= 0 and finite req/s"},
		{"no stage", Stages(), "Stages is empty, want at least one"},
		{"a stage without load", Stages(Stage{For: 1}), "stage 1: Arrivals is nil, want a load such as Constant(5)"},
		{"a stage without time", Stages(Stage{Arrivals: Constant(1)}), "stage 1: For is 0s, want > 0"},
		{"a stage's own fault", Steps(1, Constant(1), Constant(0)), "stage 2: Constant rate is 0, want > 0 req/s"},
		{"open and closed", Steps(1, Constant(1), Closed(1)), "stage 2 is closed loop, 1 user and stage 1 is constant 1 req/s, want all open or all closed"},
		{"endless in one instant", Steps(1, Constant(Rate(math.Inf(1)))), "stage 1: constant +Inf req/s has an infinite rate, want a finite one"},
		{"stages of stages", Stages(Stage{1, Steps(1, Constant(1))}), "stage 1: Arrivals is stages: constant 1 req/s for 1ns, want a simple load"},
		{"no trace", Replay(nil), "Replay of nil trace, 0 requests: it has no row to send"},
		{"only failures", Replay(&Trace{Name: "x", Rows: []TraceRow{{Failed: true}}}), "Replay of x trace, 0 requests: it has no row to send"},
		{"no times", Replay(&Trace{Name: "x", Rows: []TraceRow{{Input: 1}}}), "Replay of x trace, 1 requests: it has no times; use it as Profile.Dataset under other arrivals"},
		{"out of order", Replay(&Trace{Name: "x", Timed: true, Rows: []TraceRow{{At: 2}, {At: 1}}}), "Replay of x trace, 2 requests over 1ns: row 2 is at 1ns, want instants >= 0 in order"},
	} {
		_, err := Plan(Profile{Arrivals: row.arrivals, Requests: 3})
		if row.arrivals.Users() > 0 {
			_, err = Plan(Profile{Arrivals: row.arrivals, Requests: 30})
		}
		require.EqualError(t, err, "llmbench: profile: Arrivals: "+row.want, row.why)
	}
}

// Every kind of load has a golden hash: next year's build must send the same.
func TestHashesOfAllLoads(t *testing.T) {
	trace := &Trace{Name: "x", Timed: true, BlockTokens: 4, Rows: []TraceRow{
		{At: 0, Input: 9, Output: 3, Blocks: []uint64{1, 2, 3}}, {At: 5e6, Input: 2, Output: 1, Label: "a", Session: "s"},
	}}
	for _, row := range []struct {
		want    string
		profile Profile
	}{
		{"d8e2797562aea0b4", Profile{Arrivals: Gamma(40, 0.5)}},
		{"506590b96c2cbc7b", Profile{Arrivals: Ramp(5, time.Minute, 50)}},
		{"e40fe39f29a95263", Profile{Arrivals: Bursty(RampExponential(5, time.Minute, 50), 1)}},
		{"b1e745b569a0977b", Profile{Arrivals: Steps(time.Second, Poisson(20), Constant(40))}},
		{"4989f45c1ff008ef", Profile{Arrivals: Closed(2), Input: Normal(500, 200), Output: LogNormal(100, 1000)}},
		{"958275a5b267d359", Profile{Arrivals: Closed(2), Input: From([]int{5, 70, 900}), Output: Within(2, 8, Normal(5, 5))}},
		{"c85b2c4187c573f2", Profile{Arrivals: Poisson(4), Sessions: Sessions{Turns: Uniform(1, 5)}, Think: WaitAbout(time.Second)}},
		{"c0ecdd23772079a3", Profile{Arrivals: Poisson(4), Classes: []Class{{Label: "chat", Share: 3}, {Label: "code", Share: 1, Input: Tokens(900)}}}},
		{"06de417cd54b489f", Profile{Arrivals: Poisson(4), Cancel: CancelPart{Share: 0.2, After: WaitBetween(time.Second, 3*time.Second)}}},
		{"43ea2c00d57247c4", Profile{Arrivals: Replay(trace)}},
		{"6e403f44204fbb18", Profile{Arrivals: Poisson(4), Dataset: trace}},
	} {
		row.profile.Requests, row.profile.Seed = 200, 7
		s, err := Plan(row.profile)
		require.NoError(t, err)
		require.Equal(t, row.want, s.Hash(), "%v", row.profile.Arrivals)
	}
}
