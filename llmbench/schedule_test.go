package llmbench

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func instants(s *Schedule) []time.Duration {
	var at []time.Duration
	for _, r := range s.Requests {
		at = append(at, r.At)
	}
	return at
}

func TestConstantArrivalsKeepAbsoluteInstants(t *testing.T) {
	for _, row := range []struct {
		why     string
		profile Profile
		count   int
		last    time.Duration
	}{
		{"case 101: k/30 for t < 30 s is exactly 900, whatever the gap rounds to",
			Profile{Arrivals: Constant(30), Duration: 30 * time.Second}, 900, 29966666667},
		{"case 099: the last of 400 at 200/s is due at 1995 ms, nothing adds up",
			Profile{Arrivals: Constant(200), Requests: 400}, 400, 1995 * time.Millisecond},
		{"case 100: two at 1/s are due at 0 and 1 s",
			Profile{Arrivals: Constant(1), Requests: 2}, 2, time.Second},
		{"case 103: a very small rate with a duration is one request at 0",
			Profile{Arrivals: Constant(0.001), Duration: time.Second}, 1, 0},
		{"case 103: an infinite rate sends all at once",
			Profile{Arrivals: Constant(Rate(math.Inf(1))), Requests: 3}, 3, 0},
		{"with both, the first that is reached ends it: count",
			Profile{Arrivals: Constant(10), Requests: 5, Duration: time.Second}, 5, 400 * time.Millisecond},
		{"with both, the first that is reached ends it: time",
			Profile{Arrivals: Constant(10), Requests: 50, Duration: time.Second}, 10, 900 * time.Millisecond},
	} {
		s, err := Plan(row.profile)
		require.NoError(t, err, row.why)
		at := instants(s)
		require.Len(t, at, row.count, row.why)
		require.Equal(t, time.Duration(0), at[0], row.why)
		require.Equal(t, row.last, at[len(at)-1], row.why)
	}
}

// Case 102: the same seed is the same plan, another seed another; the mean gap
// is within three standard errors and the variation about 1.
func TestPoissonArrivals(t *testing.T) {
	profile := Profile{Arrivals: Poisson(50), Requests: 2001, Seed: 7}
	one, err := Plan(profile)
	require.NoError(t, err)
	again, err := Plan(profile)
	require.NoError(t, err)
	require.Equal(t, instants(one), instants(again))
	require.Equal(t, one.Hash(), again.Hash())

	profile.Seed = 8
	other, err := Plan(profile)
	require.NoError(t, err)
	require.NotEqual(t, one.Hash(), other.Hash())

	at := instants(one)
	sum, squares := 0.0, 0.0
	for i := range at[1:] {
		gap := float64(at[i+1]-at[i]) / 1e6
		sum, squares = sum+gap, squares+gap*gap
	}
	mean := sum / 2000
	require.InDelta(t, 20, mean, 3*20/math.Sqrt(2000))
	require.InDelta(t, 1, math.Sqrt(squares/2000-mean*mean)/mean, 0.1)
}

func TestHashIsTheSameOnEveryMachine(t *testing.T) {
	s, err := Plan(Profile{Arrivals: Poisson(40), Requests: 1000, Input: Uniform(100, 300), Output: Tokens(50), Seed: 7})
	require.NoError(t, err)
	require.Equal(t, "ecd68d0410737331", s.Hash(), "a schedule of last year must come out the same today")
}

func TestLengthsDependOnSeedAndRequestAlone(t *testing.T) {
	long, err := Plan(Profile{Arrivals: Constant(1), Requests: 100, Input: Uniform(1, 1000), Seed: 3})
	require.NoError(t, err)
	short, err := Plan(Profile{Arrivals: Closed(2), Requests: 10, Input: Uniform(1, 1000), Seed: 3})
	require.NoError(t, err)
	seen := map[int]bool{}
	for i, r := range short.Requests {
		require.Equal(t, long.Requests[i].Input, r.Input)
		require.GreaterOrEqual(t, r.Input, 1)
		require.LessOrEqual(t, r.Input, 1000)
		seen[r.Input] = true
	}
	require.Greater(t, len(seen), 5, "lengths vary")
	require.Zero(t, short.Requests[0].Output, "no Output asks for no length")
}

func TestWarmupComesOnTop(t *testing.T) {
	for _, row := range []struct {
		why            string
		profile        Profile
		warm, measured int
	}{
		{"by count, the measured count stays", Profile{Arrivals: Constant(10), Requests: 20, Warmup: WarmupPart{Requests: 5}}, 5, 20},
		{"by count, the measured time starts after it", Profile{Arrivals: Constant(10), Duration: time.Second, Warmup: WarmupPart{Requests: 5}}, 5, 10},
		{"by time, the measured count stays", Profile{Arrivals: Constant(10), Requests: 20, Warmup: WarmupPart{Duration: time.Second}}, 10, 20},
		{"by time, the measured time starts after it", Profile{Arrivals: Constant(10), Duration: 2 * time.Second, Warmup: WarmupPart{Duration: time.Second}}, 10, 20},
		{"closed loops too", Profile{Arrivals: Closed(4), Requests: 20, Warmup: WarmupPart{Requests: 6}}, 6, 20},
	} {
		s, err := Plan(row.profile)
		require.NoError(t, err, row.why)
		warm, measured := 0, 0
		for i, r := range s.Requests {
			require.Equal(t, i, r.Index)
			if r.Phase == Warmup {
				require.Zero(t, measured, "%s: warm-up comes first", row.why)
				warm++
			} else {
				measured++
			}
		}
		require.Equal(t, []int{row.warm, row.measured}, []int{warm, measured}, row.why)
	}
}

func TestClosedLoopByDurationHasNoFixedPlan(t *testing.T) {
	s, err := Plan(Profile{Arrivals: Closed(4), Duration: time.Second})
	require.NoError(t, err)
	require.False(t, s.Open)
	require.Empty(t, s.Requests)
	require.Empty(t, s.Hash())
	require.Equal(t, "closed loop, 4 users for 1s, seed 0", s.String())
}

func TestScheduleIsPrintable(t *testing.T) {
	s, err := Plan(Profile{
		Arrivals: Constant(4), Requests: 3, Warmup: WarmupPart{Requests: 2}, Input: Tokens(9), Output: Tokens(5),
		Sessions: Sessions{Turns: Tokens(2)}, Think: Wait(time.Second), Classes: []Class{{Label: "chat", Share: 1}},
		Cancel: CancelPart{Share: 1, After: Wait(time.Millisecond)},
	})
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, s.WriteCSV(&text))
	require.Equal(t, `index,at_ns,phase,input_tokens,output_tokens,session,turn,label,think_ns,cancel_ns
0,0,warmup,9,5,s0,0,chat,1000000000,1000000
1,,warmup,9,5,s0,1,chat,1000000000,1000000
2,250000000,measure,9,5,s1,0,chat,1000000000,1000000
3,,measure,9,5,s1,1,chat,1000000000,1000000
4,500000000,measure,9,5,s2,0,chat,1000000000,1000000
`, text.String())
}
