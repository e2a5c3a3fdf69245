package llmbench

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSlicesAreBetween compares each slice with an analysis of its own between
// the same instants, figure by figure, in both ways of keeping curves.
func TestSlicesAreBetween(t *testing.T) {
	records := mixedRun(rand.New(rand.NewPCG(8, 9)), 700)
	records[3].ID = records[2].ID
	records[5].Phase, records[6].Phase = Warmup, Cooldown
	opts := AnalyzeOptions{SLOs: []SLO{{Metric: TTFT, Limit: 10}}, Devices: 2}
	whole, err := Analyze(records, opts)
	require.NoError(t, err)
	for _, keep := range []int{exactRun, 0} {
		func() {
			defer func(n int) { exactRun = n }(exactRun)
			exactRun = keep
			slices, err := whole.Slices(130 * time.Millisecond)
			require.NoError(t, err)
			require.Len(t, slices, int(whole.Window.Length()/(130*time.Millisecond))+1)
			for _, got := range slices {
				compareSlice(t, records, opts, got)
			}
			require.Equal(t, whole.Window.To, slices[len(slices)-1].Window.To, "the last one is shorter")
		}()
	}
}

func compareSlice(t *testing.T, records []Record, opts AnalyzeOptions, got *Result) {
	require.Equal(t, SliceRule, got.Window.Rule)
	opts.From, opts.To = got.Window.From, got.Window.To
	want, err := Analyze(records, opts)
	require.NoError(t, err)
	require.Equal(t, want.Counts, got.Counts)
	require.Equal(t, want.Attainments, got.Attainments)
	require.Equal(t, want.Sources, got.Sources)
	for _, m := range Metrics() {
		a, b := want.Stats(m), got.Stats(m)
		require.Equal(t, a.Absent(), b.Absent(), "%s in %v", m.Tag(), got.Window)
		require.Equal(t, a.N(), b.N(), m.Tag())
		for _, q := range []float64{0.1, 0.5, 0.999, 0.37} {
			require.Equal(t, a.Quantile(q), b.Quantile(q), "%s q=%v", m.Tag(), q)
		}
		require.LessOrEqual(t, math.Abs(a.Mean().Or(0)-b.Mean().Or(0)), 1e-12*a.Mean().Or(0), m.Tag())
		require.LessOrEqual(t, math.Abs(a.Std().Or(0)-b.Std().Or(0)), 1e-9*a.Std().Or(0), m.Tag())
	}
	out, err := json.Marshal(got)
	require.NoError(t, err)
	require.Contains(t, string(out), `"rule":"slice"`)
}

func TestSliceErrors(t *testing.T) {
	r, err := Analyze(mixedRun(rand.New(rand.NewPCG(1, 9)), 50), AnalyzeOptions{})
	require.NoError(t, err)
	_, err = r.Slices(0)
	require.EqualError(t, err, "llmbench: slices: length is 0s, want > 0")
	_, err = r.Slices(1)
	require.ErrorContains(t, err, "llmbench: slices: length is 1ns, want at least")
	empty, err := Analyze(nil, AnalyzeOptions{})
	require.NoError(t, err)
	none, err := empty.Slices(time.Second)
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestBy: the parts' rates add up to the whole's, and every request is in one.
func TestBy(t *testing.T) {
	records := mixedRun(rand.New(rand.NewPCG(2, 9)), 400)
	for i := range records {
		records[i].Turn, records[i].Label, records[i].Session = i%12, []string{"chat", "code"}[i%2], fmt.Sprint("s", i%3)
	}
	records[0].Phase = Warmup
	whole, err := Analyze(records, AnalyzeOptions{})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		class func(*Record) string
		want  []string
	}{
		"label":   {ByLabel, []string{"chat", "code"}},
		"session": {BySession, []string{"s0", "s1", "s2"}},
		"turn":    {ByTurn, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}},
		"input":   {ByInput(1000, 100), []string{"0-99", "100-999", "1000+", "unknown"}},
	} {
		var names []string
		var rate, tokens float64
		var counts Counts
		for _, part := range whole.By(c.class) {
			names = append(names, part.Class)
			require.Equal(t, whole.Window, part.Result.Window)
			rate += part.Result.Stats(RequestThroughput).Mean().Or(0)
			tokens += part.Result.Stats(EffectiveDecodeThroughput).Mean().Or(0)
			counts.Planned += part.Result.Counts.Planned
			counts.Warmup += part.Result.Counts.Warmup
		}
		require.Equal(t, c.want, names, name)
		require.InEpsilon(t, whole.Stats(RequestThroughput).Mean().Or(0), rate, 1e-9, name)
		require.InEpsilon(t, whole.Stats(EffectiveDecodeThroughput).Mean().Or(0), tokens, 1e-9, name)
		require.Equal(t, whole.Counts.Planned, counts.Planned, name)
		require.Equal(t, 1, counts.Warmup, name)
	}
	for n, want := range map[int]string{0: "0-127", 127: "0-127", 128: "128-1023", 1023: "128-1023", 1024: "1024+"} {
		require.Equal(t, want, ByInput(128, 1024)(&Record{InputTokens: Is(n)}))
	}
	require.Equal(t, "0+", ByInput()(&Record{InputTokens: Is(5)}), "no bounds: one class")
}
