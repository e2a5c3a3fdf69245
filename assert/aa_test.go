package assert

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// aaProfile is a run of a quarter of a second: two waves of four requests.
var aaProfile = llmbench.Profile{Arrivals: llmbench.Closed(4), Requests: 8, Output: llmbench.Tokens(10), Seed: 7}

// aaScript answers in 130 ms, slower by a factor.
func aaScript(slower float64) mock.Script {
	ms := func(v float64) time.Duration { return time.Duration(v * slower * 1e6) }
	return mock.Script{TTFT: ms(40), ITL: ms(10)}
}

// aaComparer looks at medians over tens of milliseconds, which a busy machine
// moves by less than the slack.
var aaComparer = llmbench.Comparer{
	Slack:   0.04,
	Figures: []llmbench.Figure{llmbench.TPOT.Quantile(0.5), llmbench.RequestLatency.Quantile(0.5)},
}

// pairsOf makes ten pairs of two mocks in real time and judges the second.
func pairsOf(t *testing.T, a, b mock.Script) Verdict {
	t.Helper()
	pairs := llmbench.Pair(t, 10, mock.Listen(t, a), mock.Listen(t, b), aaProfile)
	v := NoRegression{Base: pairs.A, Comparer: aaComparer}.Check(pairs.B)
	t.Logf("%v", v)
	return v
}

// Two of the same server raise no alarm. By its level the gate may be wrong once
// in twenty times, so that only a second alarm in a row is a fault.
func TestSameServerRaisesNoAlarm(t *testing.T) {
	for range 2 {
		if pairsOf(t, aaScript(1), aaScript(1)).State != Fails {
			return
		}
	}
	t.Error("two alarms in a row between two of the same server")
}

// A server slower by a tenth is found. Noise may leave a comparison without a
// verdict; it must not do so three times, and must never let the server pass.
func TestSlowedServerRaisesTheAlarm(t *testing.T) {
	for range 3 {
		v := pairsOf(t, aaScript(1), aaScript(1.1))
		if v.State == Fails {
			require.True(t, strings.Contains(v.Line, "worse"), v.Line)
			return
		}
		require.Equal(t, CannotJudge, v.State, "10 %% slower passed: %v", v)
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no verdict in three tries, want one: CI tests packages one after another so that there is room for it")
	}
	t.Skip("no verdict in three tries: the machine is too busy to tell, and the claim says so")
}

// The long form, LLMBENCH_FULL=1, repeats both with independent runs, four figures
// and the default slack. Twenty comparisons without a change alarm more than
// three times in 1.6 % of cases at the level of 5 %. On two quiet cores it gave no alarm
// in twenty and found the slower server in five of five; on a machine that other
// work kept busy in four, the fifth had no verdict at a spread of 100 % between
// runs.
func TestGateInRealTimeAtLength(t *testing.T) {
	if os.Getenv("LLMBENCH_FULL") == "" {
		t.Skip("takes three minutes; LLMBENCH_FULL=1 runs it")
	}
	same, slowed := mock.Listen(t, aaScript(1)), mock.Listen(t, aaScript(1.1))
	alarms, found := 0, 0
	for range 20 {
		base := llmbench.Repeat(t, 10, same, aaProfile)
		if v := (NoRegression{Base: base}).Check(llmbench.Repeat(t, 10, same, aaProfile)); v.State == Fails {
			alarms++
			t.Logf("alarm: %v", v)
		}
	}
	for range 5 {
		base := llmbench.Repeat(t, 10, same, aaProfile)
		v := NoRegression{Base: base}.Check(llmbench.Repeat(t, 10, slowed, aaProfile))
		t.Logf("slowed: %v", v)
		require.NotEqual(t, Holds, v.State, "10 %% slower passed")
		if v.State == Fails {
			found++
		}
	}
	t.Logf("%d of 20 alarms without a change, %d of 5 found at 10 %% slower", alarms, found)
	require.LessOrEqual(t, alarms, 3)
	require.GreaterOrEqual(t, found, 4)
}

// In virtual time two runs a side are enough: they repeat to the bit, and any
// difference is real.
func TestGateIsExactInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := llmbench.Repeat(t, 2, mock.Start(t, aaScript(1)), aaProfile)
		RequireNoRegression(t, llmbench.Repeat(t, 2, mock.Start(t, aaScript(1)), aaProfile), NoRegression{Base: base})

		v := NoRegression{Base: base}.Check(llmbench.Repeat(t, 2, mock.Start(t, aaScript(1.03)), aaProfile))
		require.Equal(t, Fails, v.State)
		require.Equal(t, "4 of 4 figures are worse than the base, most of all: TTFT p50 is 41.2ms, 3.00% worse than 40.0ms in the base, want at most 2.00%", v.Line)
	})
}
