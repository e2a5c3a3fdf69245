package assert

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// Every claim at its edges: where it holds, where it just does not, what it
// cannot judge, and what is no claim. That it fails, TestSetTexts shows. It is long
// because it is one table, a row per edge.
func TestSetVerdicts(t *testing.T) {
	none := func(t *testing.T) *llmbench.Result { return made(t) }
	allFailed := func(t *testing.T) *llmbench.Result { return made(t, failed(3)...) }
	oneOf := func(n int) func(*testing.T) *llmbench.Result {
		return func(t *testing.T) *llmbench.Result {
			return made(t, append(ttfts(series(n-1, 100)...), failed(1)...)...)
		}
	}
	at := func(rate llmbench.Rate) func(*testing.T) *llmbench.Result {
		return func(t *testing.T) *llmbench.Result { return loaded(t, rate) }
	}
	capped := func(slots int) func(*testing.T) *llmbench.Result {
		return func(t *testing.T) *llmbench.Result { return stall(t, slots) }
	}
	for _, c := range []struct {
		why    string
		result func(*testing.T) *llmbench.Result
		claim  Claim
		want   State
	}{
		{"TPOT: exact", steady, TPOT{Max: 20 * ms}, Holds},
		{"ITL: exact, but for the role frame that comes 100 ms before the first token", steady, ITL{P99: 20 * ms, Max: 100 * ms}, Holds},
		{"ICL: a freeze of 300 ms lengthens one gap", stuttering, ICL{Max: 310 * ms}, Holds},
		{"EffectiveLatency: 100 tokens of 20 ms after 100 ms", steady, EffectiveLatency{Max: 2080 * ms}, Holds},
		{"QueueWait: nothing waits in a closed loop, and 0 is a time to wait", steady, QueueWait{Max: time.Nanosecond}, Holds},
		{"linear: 100 ms are 80 ms and 200 tokens of 100 µs", steady, TTFT{Max: 80 * ms, PerInputToken: 100 * time.Microsecond}, Holds},
		{"linear: negative", steady, TTFT{Max: 80 * ms, PerInputToken: -1}, CannotJudge},
		{"linear: input tokens unknown", func(t *testing.T) *llmbench.Result {
			r := made(t, ttfts(100, 100)...)
			r.Records[0].InputTokens = llmbench.Known[int]{}
			again, err := llmbench.Analyze(r.Records, llmbench.AnalyzeOptions{})
			require.NoError(t, err)
			return again
		}, TTFT{Max: time.Second, PerInputToken: 1}, CannotJudge},

		{"ActiveDecode: exact", steady, ActiveDecode{Mean: 200 * 99 / 25.74}, Holds},
		{"EffectivePrefill: exact", steady, EffectivePrefill{Mean: 40000/27.04 - 1e-9}, Holds},
		{"EffectiveDecode: exact", steady, EffectiveDecode{Mean: 200*99/27.04 - 1e-9}, Holds},
		{"TotalThroughput: exact", steady, TotalThroughput{Mean: 60000/27.04 - 1e-9}, Holds},
		{"RequestRate: exact", steady, RequestRate{Mean: 200/27.04 - 1e-9}, Holds},
		{"ThroughputPerUser: exact", steady, ThroughputPerUser{Min: 50}, Holds},
		{"ThroughputPerUser: a failure is the slowest", oneOf(4), ThroughputPerUser{Min: 1}, Fails},
		{"ThroughputPerUser: and counts in the mean", oneOf(4), ThroughputPerUser{Mean: 75}, Holds},
		{"ThroughputPerUser: to its share", oneOf(4), ThroughputPerUser{Mean: 76}, Fails},
		{"rates: without requests", none, ActiveDecode{Mean: 1}, CannotJudge},
		{"rates: all failed is no rate of ok requests", allFailed, ActiveDecode{Mean: 1}, CannotJudge},
		{"rates: but a rate of requests there is", allFailed, RequestRate{Mean: 1}, CannotJudge},

		{"Concurrency: 16 users", steady, Concurrency{Max: 16, P50: 16}, Holds},
		{"Concurrency: no limit", steady, Concurrency{}, CannotJudge},
		{"Concurrency: a negative limit", steady, Concurrency{Max: -1}, CannotJudge},
		{"Concurrency: NaN", steady, Concurrency{Max: math.NaN()}, CannotJudge},
		{"TokensInFlight: 16 users of 200 + 99 tokens", steady, TokensInFlight{Max: 16 * 300}, Holds},

		{"ErrorRate: 1 of 20 is 5 %", oneOf(20), ErrorRate{AtMost: 0.05}, Holds},
		{"ErrorRate: 1 of 19 is more", oneOf(19), ErrorRate{AtMost: 0.05}, Fails},
		{"ErrorRate: no limit", steady, ErrorRate{}, CannotJudge},
		{"ErrorRate: more than all", steady, ErrorRate{AtMost: 1}, CannotJudge},
		{"ErrorRate: 1 of 93 shows 5 % at 95 %", oneOf(93), ErrorRate{AtMost: 0.05, Confidence: 0.95}, Holds},
		{"ErrorRate: 1 of 92 does not", oneOf(92), ErrorRate{AtMost: 0.05, Confidence: 0.95}, CannotJudge},
		{"ErrorRate: a confidence of 2", steady, ErrorRate{AtMost: 0.05, Confidence: 2}, CannotJudge},
		{"ErrorRate: nothing finished", none, ErrorRate{AtMost: 0.05}, CannotJudge},
		{"Complete: all of them", steady, Complete{}, Holds},
		{"Complete: nothing", none, Complete{}, CannotJudge},

		{"Goodput: 70 of 100", steadyAndSlow, Goodput{TTFT: 120 * ms, TPOT: 15 * ms, Fraction: 0.7}, Holds},
		{"Goodput: not 71", steadyAndSlow, Goodput{TTFT: 120 * ms, TPOT: 15 * ms, Fraction: 0.71}, Fails},
		{"Goodput: per second and as a share", steadyAndSlow, Goodput{TTFT: 120 * ms, Rate: 15, Fraction: 0.8}, Holds},
		{"Goodput: both must hold", steadyAndSlow, Goodput{TTFT: 120 * ms, Rate: 15, Fraction: 0.81}, Fails},
		{"Goodput: 70 % of 100 do not show 60 % at 95 %", steadyAndSlow, Goodput{TTFT: 120 * ms, TPOT: 15 * ms, Fraction: 0.65, Confidence: 0.95}, CannotJudge},
		{"Goodput: but 60 % they do", steadyAndSlow, Goodput{TTFT: 120 * ms, TPOT: 15 * ms, Fraction: 0.6, Confidence: 0.95}, Holds},
		{"Goodput: neither rate nor fraction", steady, Goodput{TTFT: ms}, CannotJudge},
		{"Goodput: a negative limit", steady, Goodput{TTFT: -ms, Fraction: 0.5}, CannotJudge},
		{"Goodput: more than all", steady, Goodput{TTFT: ms, Fraction: 1.1}, CannotJudge},
		{"Goodput: a rate that is none", steady, Goodput{TTFT: ms, Rate: llmbench.Rate(math.NaN())}, CannotJudge},
		{"Goodput: all failed are all bad", allFailed, Goodput{TTFT: time.Second, Fraction: 0.5}, Fails},
		{"Goodput: no requests", none, Goodput{TTFT: time.Second, Fraction: 0.5}, CannotJudge},

		{"NoStall: 310 ms", stuttering, NoStall{Longest: 310 * ms}, Holds},
		{"NoStall: four gaps", stuttering, NoStall{Over: 100 * ms, Gaps: 4}, Holds},
		{"NoStall: a gap of the length itself is not over it", stuttering, NoStall{Over: 310 * ms}, Holds},
		{"NoStall: no limit", stuttering, NoStall{}, CannotJudge},
		{"NoStall: a negative limit", stuttering, NoStall{Longest: -1}, CannotJudge},
		{"NoStall: one chunk has no gap", cached, NoStall{Longest: time.Second}, Holds},
		{"NoStall: all failed", allFailed, NoStall{Longest: time.Second}, CannotJudge},

		{"TokenCounts: by usage", steady, TokenCounts{}, Holds},
		{"TokenCounts: all failed", allFailed, TokenCounts{}, CannotJudge},
		{"OutputLength: as asked", steady, OutputLength{}, Holds},
		{"OutputLength: all may differ", short, OutputLength{AtMost: 1}, Holds},
		{"OutputLength: more than all", short, OutputLength{AtMost: 1.5}, CannotJudge},
		{"OutputLength: nothing was asked for", cached, OutputLength{}, CannotJudge},
		{"CacheHitRate: half", cached, CacheHitRate{AtLeast: 0.5}, Holds},
		{"CacheHitRate: more than all", cached, CacheHitRate{AtLeast: 1.5}, CannotJudge},
		{"CacheHitRate: no limit", cached, CacheHitRate{}, CannotJudge},

		{"Unsaturated: room for all", capped(192), Unsaturated{}, Holds},
		{"Unsaturated: closed loops too", steady, Unsaturated{}, Holds},
		{"Unsaturated: a share of one's own", capped(64), Unsaturated{AtMost: 0.4}, Holds},
		{"Unsaturated: negative", steady, Unsaturated{AtMost: -1}, CannotJudge},
		{"Unsaturated: no requests", none, Unsaturated{}, CannotJudge},
		{"FitGenerator: in virtual time", capped(0), FitGenerator{}, Holds},
		{"FitGenerator: waiting for a slot is not its fault", capped(64), FitGenerator{}, Holds},
		{"FitGenerator: imported records", oneOf(3), FitGenerator{}, CannotJudge},
		{"FitGenerator: a share of all", steady, FitGenerator{MaxCoalesced: 1}, CannotJudge},
		{"LittlesLaw: a whole run", steady, LittlesLaw{}, Holds},
		{"LittlesLaw: a tolerance of one's own", steady, LittlesLaw{Tolerance: 1e-9}, Holds},
		{"LittlesLaw: negative", steady, LittlesLaw{Tolerance: -1}, CannotJudge},
		{"LittlesLaw: no requests", none, LittlesLaw{}, CannotJudge},
		{"StableWindow: the stretch with all 16 users, ten waves", steady, StableWindow{Length: 20800 * ms, Requests: 176}, Holds},
		{"StableWindow: negative", steady, StableWindow{Length: -1}, CannotJudge},
		{"StableWindow: all failed", allFailed, StableWindow{}, CannotJudge},
		{"SteadyState: the same all the time", steady, SteadyState{}, Holds},
		{"SteadyState: a queue that grows as much as allowed", drowning, SteadyState{AtMost: 4}, Holds},
		{"SteadyState: negative", steady, SteadyState{AtMost: -1}, CannotJudge},
		{"SteadyState: no requests", none, SteadyState{}, CannotJudge},

		{"Shed: refused at once, and the server goes on at its pace", at(20), Shed{Within: ms, Peak: loaded(t, 10), Share: 0.95}, Holds},
		{"Shed: no time", steady, Shed{}, CannotJudge},
		{"Shed: a share of nothing", steady, Shed{Within: ms, Share: 0.5}, CannotJudge},
		{"Shed: a peak without a share", steady, Shed{Within: ms, Peak: &llmbench.Result{}}, CannotJudge},
		{"Shed: a peak without requests", at(20), Shed{Within: ms, Peak: &llmbench.Result{}, Share: 0.5}, CannotJudge},
		{"Recovery: 40 requests of 100 ms in 2 s take 4 s", burst, Recovery{BurstEnd: 2 * time.Second, Within: 4 * time.Second, TTFT: 100 * ms}, CannotJudge},
		{"Recovery: in the end there is time", burst, Recovery{BurstEnd: 2 * time.Second, Within: 3800 * ms, TTFT: 200 * ms}, Holds},
		{"Recovery: no limit", burst, Recovery{}, CannotJudge},
	} {
		v := c.claim.Check(c.result(t))
		if v.State != c.want {
			t.Errorf("%s: %v, want %v:\n%s", c.why, v.State, c.want, v)
		}
		if v.State != Holds {
			checkForm(t, v.String())
		}
	}
}

// No claim holds of a result without requests, of one that nobody analysed, and
// of one that was stopped; none panics.
func TestNoClaimHoldsOfNothing(t *testing.T) {
	stopped := *steady(t)
	stopped.Stopped = "context canceled"
	for _, claim := range all() {
		require.NotEqual(t, Holds, claim.Check(&llmbench.Result{}).State, "%T, not analysed", claim)
		require.NotEqual(t, Holds, claim.Check(made(t)).State, "%T, no requests", claim)
		require.NotEqual(t, Holds, claim.Check(&stopped).State, "%T, stopped", claim)
	}
}

// all is one claim of each kind, with limits that any run keeps.
func all() []Claim {
	ever, any, floor := Ceiling{Max: time.Hour}, Bound{Max: 1e12}, Floor{Mean: 1e-9}
	return []Claim{
		TTFT(ever), EffectiveTTFT(ever), TPOT(ever), ITL(ever), ICL(ever), RequestLatency(ever), EffectiveLatency(ever), QueueWait(ever),
		ActivePrefill(floor), ActiveDecode(floor), EffectivePrefill(floor), EffectiveDecode(floor), TotalThroughput(floor),
		RequestRate(floor), ThroughputPerUser(floor), Concurrency(any), TokensInFlight(any),
		NoErrors{}, ErrorRate{AtMost: 0.99}, Complete{}, Goodput{TTFT: time.Hour, Fraction: 1e-9}, NoStall{Longest: time.Hour},
		TokenCounts{}, OutputLength{AtMost: 1}, CacheHitRate{AtLeast: 1e-9},
		NoCoordinatedOmission{}, Unsaturated{}, FitGenerator{}, LittlesLaw{}, StableWindow{Requests: 1, Length: 1}, SteadyState{},
		Shed{Within: time.Hour}, Recovery{Within: 1, TTFT: time.Hour},
	}
}

// With limits that any run keeps the claims hold of a good run, so that the test
// above does not pass by accident.
func TestClaimsHoldOfAGoodRun(t *testing.T) {
	held := 0
	for _, claim := range all() {
		if claim.Check(stall(t, 0)).State == Holds {
			held++
			continue
		}
		switch claim.(type) {
		case CacheHitRate, Shed, StableWindow: // a server without a cache, that refuses nobody, under an open loop
		default:
			t.Errorf("%T: %s", claim, claim.Check(stall(t, 0)))
		}
	}
	require.Equal(t, len(all())-3, held)
}
