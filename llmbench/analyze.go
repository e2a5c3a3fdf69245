package llmbench

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/llmbench/go/llmbench/internal/stats"
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
// It costs O(n) for runs whose events spread over time, O(n log n) at most:
// events are sorted by time buckets, and walked twice, in eight stretches of
// time side by side; distributions are sorted by radix beside that. Ten chunks
// per request cost 6 to 7 µs of processor time per request, alike at 1e4, 1e5
// and 1e6 requests, on two virtual cores of an AMD EPYC; a million such requests
// took 3.3 s when the cores were free, and allocate 0.96 GB beside the records. What
// dominates is the two walks, half of the time, then the sorting of the
// distributions. Measure with: go test -run '^$' -bench Analyze ./llmbench
func Analyze(records []Record, opts AnalyzeOptions) (*Result, error) {
	if err := opts.check(); err != nil {
		return nil, fmt.Errorf("llmbench: analyze: %w", err)
	}
	window, err := chooseWindow(records, opts)
	if err != nil {
		return nil, fmt.Errorf("llmbench: analyze: %w", err)
	}
	a := newAnalysis(window, opts, len(records))
	return a.run(records), nil
}

// analysis is the state of one Analyze.
type analysis struct {
	options AnalyzeOptions
	window  Window
	totals  totals
	samples []sample
	skies   *skies
}

func newAnalysis(w Window, opts AnalyzeOptions, size int) *analysis {
	a := &analysis{options: opts, window: w, skies: newSkies(size)}
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

// run reads the records twice side by side: for the distributions, and for the
// sums and curves. The two share nothing but the records.
func (a *analysis) run(records []Record) *Result {
	r := a.newResult(records, wholeWindow(records))
	var wg sync.WaitGroup
	wg.Go(func() { a.distributions(records, r) })
	a.sums(records)
	a.skies.sort()
	a.curves(r, a.skies.figures(a.window))
	wg.Wait()
	a.finish(r)
	return r
}

func (a *analysis) newResult(records []Record, whole Window) *Result {
	return &Result{Records: records, Window: a.window, whole: whole, options: a.options, Concurrency: a.options.Concurrency, stats: make([]Stats, len(table))}
}

// finish fills in what is made of sums.
func (a *analysis) finish(r *Result) {
	for i := range table {
		if row := &table[i]; row.number != nil {
			r.stats[i] = a.single(row)
		}
	}
	r.Counts, r.Sources = a.totals.counts, a.totals.sources
	r.Attainments, r.Devices = a.totals.attainments(), a.totals.devices
	for i := range a.samples {
		r.stats[a.samples[i].metric.index].failures = r.Counts.Failed()
	}
}

func (a *analysis) distributions(records []Record, r *Result) {
	var ok expected
	covered := func(record *Record) bool {
		return record.Outcome == OK && record.Measured() && a.window.covers(record)
	}
	for i := range records {
		if record := &records[i]; covered(record) {
			ok.requests++
			ok.gaps += max(0, len(record.Chunks)-1)
		}
	}
	var f facts
	for i := range records {
		if record := &records[i]; covered(record) {
			f.read(record)
			a.sample(&f, ok)
		}
	}
	a.summarise(r, ok.requests)
}

// sample takes an ok request of the window into every distribution.
func (a *analysis) sample(f *facts, room expected) {
	for k := range a.samples {
		a.samples[k].add(f, room)
	}
}

// summarise turns the samples into statistics.
func (a *analysis) summarise(r *Result, ok int) {
	var sorter stats.Sorter
	for i := range a.samples {
		s := &a.samples[i]
		r.stats[s.metric.index] = s.stats(ok, &sorter)
	}
}

// sums adds up the records and collects the flights.
func (a *analysis) sums(records []Record) {
	var f facts
	for i := range records {
		record := &records[i]
		if !record.Measured() {
			a.totals.counts.leaveOut(record.Phase)
			continue
		}
		f.read(record)
		if record.Outcome != Unsent {
			a.skies.add(&f)
		}
		a.sum(&f, a.window.covers(record))
	}
	a.totals.counts.Duplicates = duplicates(records, a.window)
}

// sum takes a measured request into the sums.
func (a *analysis) sum(f *facts, covered bool) {
	if f.record.Outcome == OK {
		a.totals.strict.add(f, covered)
	}
	if covered {
		a.totals.add(f)
	}
}

func (a *analysis) single(row *row) Stats {
	value, n, absent := row.number(&a.totals)
	st := Stats{metric: Metric{row}, n: n, requests: n, absent: absent}
	if absent == "" {
		st.mean = Is(value)
	}
	return st
}

// curves fills in the statistics of every curve.
func (a *analysis) curves(r *Result, figures [curves]both) {
	if whole := figures[concurrencyCurve].whole; a.skies.fed[concurrencyCurve] > 0 && whole.Total() > 0 {
		a.totals.maxConcurrency, a.totals.clipped = Is(whole.Max()), Is(whole.Mean())
	}
	var more [curves]func() exact
	for c := range curves {
		more[c] = sync.OnceValue(func() exact { return r.exactly(c) })
	}
	for i := range table {
		if row := &table[i]; row.kind == Curve {
			r.stats[i] = a.curve(row, figures[row.curve], more[row.curve])
		}
	}
}

// curve are the statistics of one curve; more finds a quantile that the figures
// do not hold.
func (a *analysis) curve(row *row, figures both, more func() exact) Stats {
	fed := a.skies.fed[row.curve]
	st := Stats{metric: Metric{row}, leftOut: a.skies.leftOutOf(row.curve)}
	sum, exactly := figures.whole, func() *stats.Weighted { return more().whole }
	if row.active {
		sum, exactly = figures.active, func() *stats.Weighted { return more().active }
	}
	switch {
	case fed == 0:
		st.absent = "no request feeds the curve"
		return st
	case a.window.Length() <= 0:
		st.absent = noWindow
		return st
	case sum.Total() == 0:
		st.absent = "no time with a request in that phase"
		return st
	}
	st.n, st.requests = fed, fed
	st.mean, st.std, st.low, st.high = Is(sum.Mean()), Is(sum.Std()), Is(sum.Min()), Is(sum.Max())
	st.quantile = func(q float64) Known[float64] {
		value, ok := sum.Quantile(q)
		if !ok {
			value, _ = exactly().Quantile(q)
		}
		return Is(value)
	}
	return st
}
