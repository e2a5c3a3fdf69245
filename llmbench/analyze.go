package llmbench

import (
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench/internal/stats"
	"github.com/llmbench/go/llmbench/internal/sweep"
)

// AnalyzeOptions choose what [Analyze] looks at. The zero value is the whole
// run.
type AnalyzeOptions struct {
	// From and To bound the window, from run start. Both zero: the whole run.
	From, To time.Duration
	// Concurrency is the number of users that the run was configured with; 0
	// is unknown.
	Concurrency int
}

// Analyze computes every metric of the catalogue from records that came from
// anywhere, in any order. It keeps records, without a copy, as the result's
// Records; they must not change afterwards. Without records the result is valid
// and its metrics are absent. An error tells of options that make no sense.
//
// Time and memory: see BenchmarkAnalyze. The events of all requests are sorted
// once, by radix, and swept once for all curves.
func Analyze(records []Record, opts AnalyzeOptions) (*Result, error) {
	if opts.Concurrency < 0 {
		return nil, fmt.Errorf("llmbench: analyze: Concurrency is %d, want >= 0", opts.Concurrency)
	}
	window, err := chooseWindow(records, opts)
	if err != nil {
		return nil, err
	}
	a := newAnalysis(window, len(records))
	for i := range records {
		a.add(&records[i])
	}
	return a.result(records), nil
}

// analysis is the state of one Analyze.
type analysis struct {
	window  Window
	totals  totals
	samples []sample
	skies   *skies
	seen    map[string]bool
}

func newAnalysis(w Window, size int) *analysis {
	a := &analysis{window: w, skies: newSkies(size), seen: make(map[string]bool, size)}
	a.totals.window = w.Length()
	for i := range table {
		if k := table[i].kind; k == PerRequest || k == Pooled {
			a.samples = append(a.samples, sample{metric: &table[i]})
		}
	}
	return a
}

func (a *analysis) add(r *Record) {
	if !r.Measured() {
		a.totals.counts.Warmup++
		return
	}
	f := readFacts(r)
	if r.Outcome != Unsent {
		a.skies.add(&f)
	}
	if !a.window.selects(&f) {
		return
	}
	if r.ID != "" && a.seen[r.ID] {
		a.totals.counts.Duplicates++
	}
	a.seen[r.ID] = true
	a.totals.add(&f)
	if r.Outcome != OK {
		return
	}
	for i := range a.samples {
		a.samples[i].add(&f)
	}
}

func (a *analysis) result(records []Record) *Result {
	r := &Result{Records: records, Window: a.window, Counts: a.totals.counts, stats: make([]Stats, len(table))}
	for i := range a.samples {
		s := &a.samples[i]
		r.stats[s.metric.index] = s.stats(a.totals.counts.OK)
	}
	a.curves(r)
	for i := range table {
		if row := &table[i]; row.number != nil {
			r.stats[i] = a.single(row)
		}
	}
	return r
}

func (a *analysis) single(row *row) Stats {
	value, n, absent := row.number(&a.totals)
	st := Stats{metric: Metric{row}, n: n, requests: n, absent: absent}
	if absent == "" {
		st.mean = Is(value)
	}
	return st
}

// curves sweeps once and fills in the statistics of every curve.
func (a *analysis) curves(r *Result) {
	a.skies.sort()
	var tallies [curves]tally
	a.skies.walk(a.window, func(_, length int64, h *sweep.Heights) {
		for c := range curves {
			value, active := c.height(h)
			tallies[c].add(value, active, length)
		}
	})
	var active, whole [curves]*stats.Weighted
	for c := range curves {
		active[c], whole[c] = tallies[c].weighted()
	}
	if a.skies.fed[concurrencyCurve] > 0 && whole[concurrencyCurve].Total() > 0 {
		a.totals.maxConcurrency = Is(whole[concurrencyCurve].Max())
	}
	for i := range table {
		row := &table[i]
		if row.kind != Curve {
			continue
		}
		w := whole[row.curve]
		if row.active {
			w = active[row.curve]
		}
		r.stats[i] = a.curve(row, w)
	}
}

func (a *analysis) curve(row *row, w *stats.Weighted) Stats {
	fed := a.skies.fed[row.curve]
	st := Stats{metric: Metric{row}, leftOut: a.skies.leftOutOf(row.curve)}
	switch {
	case fed == 0:
		st.absent = "no request feeds the curve"
	case a.window.Length() <= 0:
		st.absent = noWindow
	case w.Total() == 0:
		st.absent = "no time with a request in that phase"
	default:
		st.n, st.requests = fed, fed
		st.mean, st.std, st.low, st.high = Is(w.Mean()), Is(w.Std()), Is(w.Min()), Is(w.Max())
		st.quantile = w.Quantile
	}
	return st
}
