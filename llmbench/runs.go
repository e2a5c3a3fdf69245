package llmbench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/llmbench/go/llmbench/internal/infer"
)

// Runs are repeated runs of one profile against one target, and the unit of
// inference: each gives one number per figure. The requests of one run share its
// queue, its batches and its minute, so they are not independent, and pooling
// them finds a change in every pair of runs. Runs do not change and are safe for
// concurrent use.
type Runs struct {
	name     string
	identity Identity
	results  []*Result // nil when read from a baseline
	n        int
	values   map[Figure][]Known[float64] // of a baseline
	partner  *Runs                       // the other side of a Pair
}

// NewRuns takes results of one load as runs; name is for texts, such as the
// test's. The error tells of no result, of one that was stopped early, or
// of one that is not like the first.
func NewRuns(name string, results ...*Result) (*Runs, error) {
	r := &Runs{name: name, results: slices.Clone(results), n: len(results)}
	for i, result := range results {
		if result == nil {
			return nil, fmt.Errorf("llmbench: runs: run %d is nil, want a result", i+1)
		}
		if result.Stopped != "" {
			return nil, fmt.Errorf("llmbench: runs: run %d was stopped early, want whole runs: %s", i+1, result.Stopped)
		}
		id := identityOf(result)
		if i == 0 {
			r.identity = id
		}
		if unlike := id.unlike(r.identity); len(unlike) > 0 {
			return nil, fmt.Errorf("llmbench: runs: run %d differs from run 1 in its %s, want runs of one load",
				i+1, joinTraits(unlike))
		}
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("llmbench: runs: there are 0 results, want > 0")
	}
	return r, nil
}

// Name is what the runs are runs of.
func (r *Runs) Name() string { return r.name }

// N is the number of runs.
func (r *Runs) N() int { return r.n }

// Results are the runs in the order in which they were made; nil for runs read
// from a file ([ReadBaseline], [ReadOut]), which keeps figures only. The slice is the caller's.
func (r *Runs) Results() []*Result { return slices.Clone(r.results) }

// Identity is what the runs were measured on.
func (r *Runs) Identity() Identity { return r.identity }

// Values are the figure of each run, absent where a run does not have it. A
// baseline has the figures it was written with.
func (r *Runs) Values(f Figure) []Known[float64] {
	if r.results == nil {
		if v, ok := r.values[f]; ok {
			return slices.Clone(v)
		}
		return make([]Known[float64], r.n)
	}
	v := make([]Known[float64], r.n)
	for i, result := range r.results {
		v[i] = f.Of(result)
	}
	return v
}

// figures are those the runs hold: of a baseline what it was written with.
func (r *Runs) figures() []Figure {
	if r.results != nil {
		return Figures()
	}
	var all []Figure
	for f := range r.values {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Figure) int { return cmp.Compare(a.Key(), b.Key()) })
	return all
}

// Exact reports whether the runs repeat each other: two or more, equal to the
// bit in every figure, and a time among them that is not 0. So it is in virtual
// time; in real time no two latencies are equal to the nanosecond.
func (r *Runs) Exact() bool {
	timed := false
	for _, f := range r.figures() {
		values := r.Values(f)
		for _, v := range values[1:] {
			if v != values[0] {
				return false
			}
		}
		timed = timed || f.metric.Unit() == "ms" && values[0].Or(0) != 0
	}
	return timed && r.n > 1
}

// String prints the median of every figure over the runs, with its interval at
// 95 % and the spread between runs.
func (r *Runs) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "llmbench: %d runs of %s\n", r.n, r.name)
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "  \tmedian\tinterval at 95 %%\tbetween runs\n")
	exact := r.Exact()
	for _, f := range r.figures() {
		values := held(r.Values(f))
		if len(values) == 0 {
			continue
		}
		m := infer.Median(values, 0.95)
		spread := "CV " + percent(infer.Variation(values))
		in := interval(f, m)
		if exact {
			in, spread = "exact", "none"
		}
		fmt.Fprintf(out, "  %v\t%s\t%s\t%s\n", f, shown(f, m.Center), in, spread)
	}
	_ = out.Flush() // a strings.Builder never fails to write
	return strings.TrimSuffix(text.String(), "\n")
}

// held keeps the values that are there.
func held(values []Known[float64]) []float64 {
	var kept []float64
	for _, v := range values {
		if x, ok := v.Get(); ok {
			kept = append(kept, x)
		}
	}
	return kept
}
