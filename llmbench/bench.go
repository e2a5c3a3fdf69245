package llmbench

import (
	"strings"

	"github.com/llmbench/go/llmbench/internal/infer"
)

// A B is the part of testing.B that [Bench] needs.
type B interface {
	T
	Loop() bool
	ReportMetric(n float64, unit string)
}

// Bench drives the profile against the target once per iteration of b.Loop, and
// reports the median over those runs of every figure in [Figures] by
// b.ReportMetric, times in ns. Set the target up before it: that happens once per
// -count. A run is long and one is enough for an iteration, so
//
//	go test -bench Serve -benchtime=1x -count=10
//
// makes exactly ten runs. benchstat does not learn from that output which
// direction is better, as it has no Unit lines; from LLMBENCH_OUT it does. Bench
// fails b as [Run] does.
func Bench(b B, target Target, profile Profile) *Runs {
	b.Helper()
	var results []*Result
	var err error
	for b.Loop() {
		var result *Result
		if result, err = Do(ofRun(b.Context(), len(results)), target, profile); err != nil {
			break
		}
		results = append(results, result)
	}
	runs := finish(b, err, runsOf(target, results), "")
	for _, f := range Figures() {
		values := held(runs.Values(f))
		if len(values) == 0 {
			continue
		}
		unit, factor := f.reportUnit()
		b.ReportMetric(infer.Median(values, 0.95).Center*factor, unit)
	}
	return runs
}

// reportUnit is [Figure.benchUnit] with times in ns, and the factor from the
// metric's unit. ReportMetric prints four digits of what is below 1000, and seconds
// would lose all below 100 us. benchstat reads the unit as the one in sec.
func (f Figure) reportUnit() (unit string, factor float64) {
	unit, per := f.benchUnit()
	if short, ok := strings.CutSuffix(unit, "sec"); ok {
		return short + "ns", 1e9 / per
	}
	return unit, 1 / per
}
