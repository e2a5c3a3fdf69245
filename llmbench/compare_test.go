package llmbench

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench/internal/infer"
)

// caseOf reads a file of a public case.
func caseOf(t *testing.T, name, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/compare/cases", name, file))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

// compared compares one figure given by its values.
func compared(t *testing.T, c Comparer, f Figure, base, now []float64) Change {
	t.Helper()
	c.Figures = []Figure{f}
	out, err := c.Compare(madeRuns("base", map[Figure][]float64{f: base}), madeRuns("now", map[Figure][]float64{f: now}))
	require.NoError(t, err)
	require.Empty(t, out.Unlike)
	return out.Changes[0]
}

var latency, volume, failures = TTFT.Quantile(0.5), OutputTokenThroughput.Mean(), ErrorCount.Mean()

// Case 122: ties on one side do not hide a complete separation.
func TestIdenticalNewSamples(t *testing.T) {
	var in struct{ Old, New []float64 }
	var want struct {
		P     float64 `json:"p_exact"`
		Delta float64 `json:"delta_median_pct"`
	}
	caseOf(t, "122-identical-new-samples-significant", "input.json", &in)
	caseOf(t, "122-identical-new-samples-significant", "expected.json", &want)
	ch := compared(t, Comparer{}, latency, in.Old, in.New)
	require.InDelta(t, want.P, ch.P, 1e-6)
	require.InDelta(t, want.Delta, 100*ch.Delta.Or(Delta{}).Change, 1e-3)
	require.Equal(t, Improved, ch.Finding)
}

// Case 123: equal constants on both sides are no change and no NaN, whether the
// runs repeat each other or happen to.
func TestAllEqual(t *testing.T) {
	var in struct{ Old, New []float64 }
	caseOf(t, "123-all-equal-both-sides", "input.json", &in)
	for _, f := range []Figure{latency, failures} { // a count repeats without virtual time
		ch := compared(t, Comparer{}, f, in.Old, in.New)
		require.Equal(t, Unchanged, ch.Finding)
		require.Equal(t, Is(Delta{}), Is(Delta{Change: ch.Delta.Or(Delta{Change: 9}).Change}))
		require.Equal(t, 1.0, ch.P)
	}
}

// Case 124: three runs a side cannot show anything, and must not pass for
// unchanged.
func TestTooFewRuns(t *testing.T) {
	var in struct{ N []int }
	var want struct {
		MinP []float64          `json:"min_p"`
		CI   map[string]float64 `json:"median_ci_coverage"`
	}
	caseOf(t, "124-too-few-runs-for-0.05", "input.json", &in)
	caseOf(t, "124-too-few-runs-for-0.05", "expected.json", &want)
	for i, n := range in.N {
		base, now := make([]float64, n), make([]float64, n)
		for j := range n {
			base[j], now[j] = 100+float64(j), 200+float64(j)
		}
		ch := compared(t, Comparer{}, latency, base, now)
		require.InDelta(t, want.MinP[i], ch.P, 1e-6)
		finding := Regressed
		if n < 4 {
			finding = TooFewRuns
		}
		require.Equal(t, finding, ch.Finding, "%d runs", n)
		bounded := !math.IsInf(ch.Now.Lo, 0) && !math.IsInf(ch.Now.Hi, 0)
		require.Equal(t, n >= 6, bounded, "the median of %d runs has an interval", n)
	}
	require.Less(t, want.CI["5"], 0.95)
	require.Greater(t, want.CI["6"], 0.95)
}

// Case 125: neither significance nor size alone is a regression.
func TestEffectAndSignificance(t *testing.T) {
	var in struct {
		Limit, Alpha float64
		Rows         []struct {
			M        string
			DeltaPct float64 `json:"delta_pct"`
			P        float64
		}
	}
	in.Limit = 10
	caseOf(t, "125-effect-size-and-significance", "input.json", &in)
	want := map[string]infer.Decision{"A": infer.Small, "B": infer.Unclear, "C": infer.Worse}
	require.Len(t, in.Rows, len(want))
	for _, row := range in.Rows {
		require.Equal(t, want[row.M], infer.Decide(row.DeltaPct/100, in.Limit/100, row.P, in.Alpha), row.M)
	}
}

// Case 127: the sign of a change is read by the metric's direction.
func TestDirectionOfBetter(t *testing.T) {
	var in struct {
		Limit float64 `json:"limit_pct_worse"`
		Rows  []struct {
			M        string
			Old, New float64
			Better   string
		}
	}
	var want struct{ Verdicts []Finding }
	caseOf(t, "127-direction-of-better", "input.json", &in)
	caseOf(t, "127-direction-of-better", "expected.json", &want)
	figures := map[string]Figure{
		"output_tok_per_s": volume, "ttft_ms": latency, "ttft_ms_b": EffectiveTTFT.Quantile(0.5), "errors": failures,
	}
	for i, row := range in.Rows {
		f := figures[row.M]
		require.Equal(t, row.Better, f.Metric().Better().String())
		ch := compared(t, Comparer{Slack: in.Limit / 100}, f, repeated(row.Old, 10), repeated(row.New, 10))
		require.Equal(t, want.Verdicts[i], ch.Finding, row.M)
	}
	ch := compared(t, Comparer{}, latency, repeated(100, 10), repeated(120, 10))
	require.InDelta(t, 0.2, ch.Worse().Or(0), 1e-12, "20 % worse, not 120 % of")
	ch = compared(t, Comparer{}, volume, repeated(100, 10), repeated(80, 10))
	require.InDelta(t, 0.2, ch.Worse().Or(0), 1e-12, "less throughput is worse")
}

func repeated(v float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = v
	}
	return all
}

// Case 129: there is no share of nothing; an absolute limit decides.
func TestZeroBaseline(t *testing.T) {
	var in struct {
		Rows []struct {
			M        string
			Old, New float64
			Abs      *float64 `json:"abs_limit"`
		}
	}
	var want struct {
		Delta []*float64 `json:"delta_pct"`
	}
	caseOf(t, "129-zero-baseline", "input.json", &in)
	caseOf(t, "129-zero-baseline", "expected.json", &want)
	figures := map[string]Figure{"errors": failures, "queue_ms": QueueWait.Mean()}
	findings := []Finding{Unchanged, Regressed, Small} // "within absolute limit" is a significant change that is small
	for i, row := range in.Rows {
		c := Comparer{Absolute: map[Figure]float64{}}
		if row.Abs != nil {
			c.Absolute[figures[row.M]] = *row.Abs
		}
		ch := compared(t, c, figures[row.M], repeated(row.Old, 10), repeated(row.New, 10))
		require.Equal(t, findings[i], ch.Finding, "row %d", i)
		require.Equal(t, want.Delta[i] != nil, ch.Delta.Ok(), "row %d", i)
		if want.Delta[i] == nil {
			require.Equal(t, "n/a", ch.deltaText())
		}
	}
}

// What is zero, missing or not finite on a side is never a pass.
func TestUnusableFigures(t *testing.T) {
	fine, nothing := repeated(100, 10), repeated(0, 10)
	for _, row := range []struct {
		why       string
		figure    Figure
		base, now []float64
		want      Finding
	}{
		{"a latency of 0 after one of 100 was not measured", latency, fine, nothing, Zero},
		{"a throughput of 0 before one of 100 neither", volume, nothing, fine, Zero},
		{"no error after some is an improvement", failures, fine, nothing, Improved},
		{"one run lacks it now", latency, fine, fine[:9], Missing},
		{"no run had it before", latency, nil, fine, Missing},
		{"a NaN compares with nothing", latency, fine, append(repeated(100, 9), math.NaN()), NotFinite},
		{"nor does an infinity", latency, append(repeated(100, 9), math.Inf(1)), fine, NotFinite},
	} {
		base := madeRuns("base", map[Figure][]float64{row.figure: row.base, ErrorRate.Mean(): nothing})
		now := madeRuns("now", map[Figure][]float64{row.figure: row.now, ErrorRate.Mean(): nothing})
		out, err := Comparer{Figures: []Figure{row.figure}}.Compare(base, now)
		require.NoError(t, err)
		require.Equal(t, row.want, out.Changes[0].Finding, row.why)
	}
}

// Case 130: what one side lacks is named, and is in no average.
func TestMetricMissingOnOneSide(t *testing.T) {
	var in struct{ Old, New struct{ A, B []float64 } }
	caseOf(t, "130-metric-missing-on-one-side", "input.json", &in)
	out, err := Comparer{Figures: []Figure{latency, volume}}.Compare(
		madeRuns("base", map[Figure][]float64{latency: in.Old.A, volume: in.Old.B}),
		madeRuns("now", map[Figure][]float64{latency: in.New.A}))
	require.NoError(t, err)
	missing := out.Found(Missing)
	require.Len(t, missing, 1)
	require.Equal(t, volume, missing[0].Figure)
	require.Equal(t, [2]int{6, 0}, [2]int{missing[0].Base.N, missing[0].Now.N})
	require.Equal(t, Is(0.0), out.Overall())
}

func TestOverallCountsForTheWorse(t *testing.T) {
	out, err := Comparer{Figures: []Figure{latency, volume}}.Compare(
		madeRuns("base", map[Figure][]float64{latency: repeated(100, 10), volume: repeated(100, 10)}),
		madeRuns("now", map[Figure][]float64{latency: repeated(121, 10), volume: repeated(100, 10)}))
	require.NoError(t, err)
	require.InDelta(t, 0.1, out.Overall().Or(0), 1e-12, "the geometric mean of 1.21 and 1")
}

// Case 131: the unit follows the value.
func TestDisplayUnitFollowsValue(t *testing.T) {
	var in struct {
		Old float64 `json:"old_ns"`
		New float64 `json:"new_ns"`
	}
	var want struct {
		Delta   float64 `json:"delta_pct"`
		MustNot string  `json:"display_must_not_be"`
	}
	caseOf(t, "131-display-unit-follows-value", "input.json", &in)
	caseOf(t, "131-display-unit-follows-value", "expected.json", &want)
	ch := compared(t, Comparer{}, latency, repeated(in.Old/1e6, 10), repeated(in.New/1e6, 10))
	require.InDelta(t, want.Delta, 100*ch.Delta.Or(Delta{}).Change, 1e-4)
	require.NotContains(t, ch.String(), want.MustNot)
	require.Contains(t, ch.String(), "TTFT p50 1.16ms -> 1.46us, -99.9%")
}

// Runs that repeat each other to the bit need no test: any difference is real.
func TestExactRunsAreComparedAsExact(t *testing.T) {
	out := Compare(madeRuns("base", all(2, 100)), madeRuns("now", all(2, 103)))
	require.True(t, out.Exact)
	require.Equal(t, "TTFT p50 100ms -> 103ms, +3.00%, exact", out.Changes[0].String())
	require.Equal(t, Summary{N: 2, Median: 103, Lo: 103, Hi: 103}, out.Changes[0].Now)
	require.Equal(t, []Finding{Regressed, Regressed, Regressed, Improved}, findings(out), "3 % more of each")
	require.Equal(t, []Finding{Unchanged, Unchanged, Unchanged, Unchanged},
		findings(Compare(madeRuns("base", all(2, 100)), madeRuns("now", all(2, 100)))))

	one := Compare(madeRuns("base", all(1, 100)), madeRuns("now", all(1, 103)))
	require.False(t, one.Exact, "one run repeats nothing")
	require.Equal(t, TooFewRuns, one.Changes[0].Finding)

	counts := map[Figure][]float64{ErrorCount.Mean(): {0, 0}}
	require.False(t, madeRuns("counts", counts).Exact(), "counts repeat in real time too")
}

// all gives each default figure the same value in n runs.
func all(n int, v float64) map[Figure][]float64 {
	values := map[Figure][]float64{}
	for _, f := range DefaultFigures() {
		values[f] = repeated(v, n)
	}
	return values
}

func findings(c *Comparison) (found []Finding) {
	for _, ch := range c.Changes {
		found = append(found, ch.Finding)
	}
	return found
}

// Runs are compared within their pairs: a drift that both sides share is no noise.
func TestPairsAreComparedWithinPairs(t *testing.T) {
	var base, now []float64
	for i := range 10 {
		drift := 100 + 20*float64(i)
		base, now = append(base, drift), append(now, drift*1.05)
	}
	a, b := madeRuns("a", map[Figure][]float64{latency: base}), madeRuns("b", map[Figure][]float64{latency: now})
	c := Comparer{Figures: []Figure{latency}}
	apart, err := c.Compare(a, b)
	require.NoError(t, err)
	require.Equal(t, Inconclusive, apart.Changes[0].Finding)

	a.partner, b.partner = b, a
	together, err := c.Compare(a, b)
	require.NoError(t, err)
	require.True(t, together.Paired)
	ch := together.Changes[0]
	require.Equal(t, Regressed, ch.Finding)
	require.InDelta(t, 0.05, ch.Delta.Or(Delta{}).Change, 1e-12)
	require.InDelta(t, 2.0/1024, ch.P, 1e-12)
}

func TestNeededRuns(t *testing.T) {
	c := Compare(madeRuns("base", spreadOut(4, 100)), madeRuns("now", spreadOut(4, 200)))
	require.InDelta(t, 4*2.0/70, c.LeastP(), 1e-12)
	require.Equal(t, 5, c.Needed())
	require.Equal(t, TooFewRuns, c.Changes[0].Finding)
	c.Base.partner, c.Now.partner = c.Now, c.Base
	c = Compare(c.Base, c.Now)
	require.Equal(t, 8, c.Needed(), "pairs")
}

// spreadOut gives each default figure n different values.
func spreadOut(n int, v float64) map[Figure][]float64 {
	values := all(n, v)
	for f := range values {
		for i := range n {
			values[f][i] += float64(i)
		}
	}
	return values
}

func TestUnlikeRunsAreNotCompared(t *testing.T) {
	for _, row := range []struct {
		trait  Trait
		change func(*Identity)
	}{
		{ProfileTrait, func(id *Identity) { id.Profile = profileMap(&Profile{Requests: 21}) }},
		{WindowTrait, func(id *Identity) { id.Window = "steady" }},
		{MetricTrait, func(id *Identity) { id.Metrics[TTFT.Tag()] = "ms: E - S" }},
		{ModelTrait, func(id *Identity) { id.Model = "other" }},
		{APITrait, func(id *Identity) { id.API = "ollama" }},
		{HardwareTrait, func(id *Identity) { id.Hardware.CPUs = 64 }},
	} {
		base, now := madeRuns("base", all(5, 100)), madeRuns("now", all(5, 100))
		require.Empty(t, Compare(base, now).Unlike)
		row.change(&base.identity)
		require.Equal(t, []Trait{row.trait}, Compare(base, now).Unlike)
		allowed, err := Comparer{MayDiffer: []Trait{row.trait}}.Compare(base, now)
		require.NoError(t, err)
		require.Empty(t, allowed.Unlike)
	}
	base, now := madeRuns("base", all(5, 100)), madeRuns("now", all(5, 100))
	base.identity.Server, now.identity.Server = "engine 1", "engine 2"
	require.Empty(t, Compare(base, now).Unlike, "the server is what is compared")
}

func TestComparerErrors(t *testing.T) {
	runs := madeRuns("runs", all(5, 100))
	for _, row := range []struct {
		comparer Comparer
		want     string
	}{
		{Comparer{Figures: []Figure{}}, "Figures is empty, want nil or at least one"},
		{Comparer{Figures: []Figure{ISL.Mean()}}, "Figures[0] is ISL, want a metric of which lower or higher is better"},
		{Comparer{Figures: []Figure{latency, latency}}, "Figures[1] is TTFT p50, want each figure once"},
		{Comparer{Figures: []Figure{{}}}, "Figures[0] is no figure, want a metric of which lower or higher is better"},
		{Comparer{Alpha: 1}, "Alpha is 1, want > 0 and < 1"},
		{Comparer{Alpha: math.NaN()}, "Alpha is NaN, want > 0 and < 1"},
		{Comparer{Slack: -0.5}, "Slack is -0.5, want >= 0 or llmbench.NoSlack"},
		{Comparer{Slack: math.NaN()}, "Slack is NaN, want >= 0 or llmbench.NoSlack"},
		{Comparer{SlackOf: map[Figure]float64{latency: math.Inf(1)}}, "SlackOf[TTFT p50] is +Inf, want >= 0 or llmbench.NoSlack"},
		{Comparer{Absolute: map[Figure]float64{latency: -1}}, "Absolute[TTFT p50] is -1, want >= 0"},
		{Comparer{MayDiffer: []Trait{"colour"}}, `MayDiffer[0] is "colour", want one of llmbench's traits`},
	} {
		_, err := row.comparer.Compare(runs, runs)
		require.EqualError(t, err, "llmbench: compare: "+row.want)
	}
	_, err := Comparer{}.Compare(nil, runs)
	require.EqualError(t, err, "llmbench: compare: runs are nil, want both sides")
	require.Panics(t, func() { Compare(runs, nil) })
}

func TestSlacks(t *testing.T) {
	three := func(c Comparer) Finding { return compared(t, c, latency, repeated(100, 10), repeated(103, 10)).Finding }
	require.Equal(t, Regressed, three(Comparer{}), "3 % is beyond the default 2 %")
	require.Equal(t, Small, three(Comparer{Slack: 0.05}))
	require.Equal(t, Regressed, three(Comparer{Slack: 0.05, SlackOf: map[Figure]float64{latency: 0.01}}))
	require.Equal(t, Small, three(Comparer{Absolute: map[Figure]float64{latency: 3}}), "at the limit is within it")
	require.Equal(t, Regressed, three(Comparer{Absolute: map[Figure]float64{latency: 2.9}}))
	tiny := compared(t, Comparer{Slack: NoSlack}, latency, repeated(100, 10), repeated(100.001, 10))
	require.Equal(t, Regressed, tiny.Finding, "without slack every significant change matters")
}
