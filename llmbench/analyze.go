package llmbench

import (
	"fmt"
	"slices"
	"time"

	"github.com/llmbench/go/llmbench/internal/stats"
	"github.com/llmbench/go/llmbench/internal/sweep"
)

// AnalyzeOptions choose what [Analyze] looks at. The zero value is the whole
// run.
type AnalyzeOptions struct {
	// From and To bound the window, from run start. Both zero: the whole run.
	From, To time.Duration
	// Rule is the id of the rule that chooses the window: WholeRule,
	// BetweenRule, StableRule (with Concurrency) or SteadyRule. Empty: between
	// if From or To is given, else whole.
	Rule string
	// Concurrency is the number of users that the run was configured with; 0
	// is unknown.
	Concurrency int
	// SLOs are the bounds that a good request keeps, all of them: see goodput.
	SLOs []SLO
	// Devices is the number of accelerators behind the target, for the figures
	// per device; 0 is unknown.
	Devices int
	// Blocks are the prefix blocks of the trace that was replayed.
	Blocks Blocks
}

func (o AnalyzeOptions) check() error {
	switch {
	case o.Concurrency < 0:
		return wrong("Concurrency", "is %d, want >= 0", o.Concurrency)
	case o.Devices < 0:
		return wrong("Devices", "is %d, want >= 0", o.Devices)
	case o.Blocks.Hit < 0 || o.Blocks.Hit > o.Blocks.Total:
		return wrong("Blocks.Hit", "is %d, want in [0, Total], and Total is %d", o.Blocks.Hit, o.Blocks.Total)
	}
	for _, slo := range o.SLOs {
		if err := slo.check(); err != nil {
			return err
		}
	}
	return nil
}

// Analyze computes every metric of the catalogue from records that came from
// anywhere, in any order. It keeps records, without a copy, as the result's
// Records; they must not change afterwards. Without records the result is valid
// and its metrics are absent. An error tells of options that make no sense, or of
// a run in which the rule finds no window, [*NoStableStage] for one.
//
// Time and memory: see BenchmarkAnalyze. The events of all requests are sorted
// once, by radix, and swept once for all curves.
func Analyze(records []Record, opts AnalyzeOptions) (*Result, error) {
	if err := opts.check(); err != nil {
		return nil, fmt.Errorf("llmbench: analyze: %w", err)
	}
	window, err := chooseWindow(records, opts)
	if err != nil {
		return nil, fmt.Errorf("llmbench: analyze: %w", err)
	}
	a := newAnalysis(window, opts, len(records))
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

func newAnalysis(w Window, opts AnalyzeOptions, size int) *analysis {
	a := &analysis{window: w, skies: newSkies(size), seen: make(map[string]bool, size)}
	a.totals = totals{
		window: w.Length(), strict: newStrict(w), devices: opts.Devices, blocks: opts.Blocks,
		slos: slices.Clone(opts.SLOs), held: make([]int, len(opts.SLOs)),
		sources: Sources{Input: map[Source]int{}, Output: map[Source]int{}},
	}
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
	selected := a.window.covers(r)
	if r.Outcome == OK {
		a.totals.strict.add(&f, selected)
	}
	if !selected {
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
	r := &Result{Records: records, Window: a.window, whole: wholeWindow(records), Counts: a.totals.counts, Sources: a.totals.sources,
		Attainments: a.totals.attainments(), Devices: a.totals.devices, stats: make([]Stats, len(table))}
	for i := range a.samples {
		s := &a.samples[i]
		r.stats[s.metric.index] = s.stats(a.totals.counts)
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
		a.totals.clipped = Is(whole[concurrencyCurve].Mean())
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
		st.quantile = func(q float64) Known[float64] { return Is(w.Quantile(q)) }
	}
	return st
}
