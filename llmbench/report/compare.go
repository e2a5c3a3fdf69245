package report

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/llmbench/go/llmbench"
)

// WriteComparison writes a page that lays two states of a server over each
// other: the comparison's table, and, where the runs are at hand (a baseline
// keeps figures only), their curves and distributions. Errors are those of w.
func WriteComparison(w io.Writer, c *llmbench.Comparison) error {
	p := &page{
		Title: c.Now.Name(), Subtitle: fmt.Sprintf("before: %s, %d runs; after: %d runs", c.Base.Name(), c.Base.N(), c.Now.N()),
		Verdict: regressions(c),
	}
	table := c.Table()
	p.add(section{ID: "change", Title: "What changed", Tables: []titled{{
		Table: grid{table[0], table[1:]},
		Note: fmt.Sprintf("Medians over runs, with the interval of the change at %g %%. P is corrected over all figures. "+
			"A change counts if it is significant, beyond the slack, and for the worse.", 100*(1-c.Alpha)),
	}}})
	base, now := c.Base.Results(), c.Now.Results()
	if len(base) > 0 && len(now) > 0 {
		p.add(section{
			ID: "distributions", Title: "Distributions",
			Intro:  "All requests of all runs of a side, from the schedule. Requests of one run are not independent: the verdict is the table's, over runs.",
			Charts: pictures(pooledCharts(base, now)),
		})
		p.add(section{
			ID: "time", Title: "Over time", Clock: true,
			Intro:  "The first run of each side, both from their windows' beginnings.",
			Charts: pictures(overlays(base[0], now[0])),
		})
		p.add(section{ID: "runs", Title: "The runs", Intro: "The first run of each side.", Tables: []titled{{Table: sides(base[0], now[0])}}})
	}
	return p.write(w)
}

// regressions sums up the comparison, the worst first.
func regressions(c *llmbench.Comparison) verdict {
	count := func(f ...llmbench.Finding) int { return len(c.Found(f...)) }
	n := len(c.Changes)
	switch worse := count(llmbench.Regressed); {
	case len(c.Unlike) > 0:
		return verdict{"unclear", fmt.Sprintf("The runs are not alike: they differ in %v", c.Unlike)}
	case worse > 0:
		return verdict{"fails", fmt.Sprintf("%d of %d figures regressed", worse, n)}
	case count(llmbench.TooFewRuns, llmbench.Missing, llmbench.Zero, llmbench.NotFinite) > 0:
		return verdict{"unclear", fmt.Sprintf("%d of %d figures cannot be compared",
			count(llmbench.TooFewRuns, llmbench.Missing, llmbench.Zero, llmbench.NotFinite), n)}
	case count(llmbench.Improved) > 0:
		return verdict{"holds", fmt.Sprintf("No figure regressed, %d of %d improved", count(llmbench.Improved), n)}
	}
	return verdict{"holds", fmt.Sprintf("None of %d figures regressed", n)}
}

// before and after are the colours of the two sides.
const (
	before = 1
	after  = 2
)

func pooledCharts(base, now []*llmbench.Result) []*chart {
	var all []*chart
	for _, c := range clockedLatencies {
		var table table
		table.add(base[0].Stats(c.planned))
		table.add(now[0].Stats(c.planned))
		for i, side := range []string{"before: ", "after: "}[:len(table.rows)] {
			table.rows[i][0] = side + table.rows[i][0] + ", first run"
		}
		all = append(all, distributionCharts(c.id, c.title, table,
			pooled("before", before, c.planned, base), pooled("after", after, c.planned, now))...)
	}
	return all
}

func pooled(name string, color int, m llmbench.Metric, results []*llmbench.Result) sample {
	s := sample{name: name, color: color}
	for _, r := range results {
		s.values = append(s.values, sampleOf(requestsOf(r), m, name, color).values...)
	}
	return s.sorted()
}

// overlays are the curves of two runs over each other.
func overlays(base, now *llmbench.Result) []*chart {
	old, current := base.Spans(wideColumns), now.Spans(wideColumns)
	length := max(base.Window.Length(), now.Window.Length())
	var all []*chart
	for _, o := range []struct {
		id, title, label, unit string
		metric                 llmbench.Metric
	}{
		{"concurrency", "Requests in flight", "requests", "requests", llmbench.EffectiveConcurrency},
		{"prefill", "Prefill throughput", "tokens per second", "tok/s", llmbench.EffectivePrefillThroughput},
		{"decode", "Decode throughput", "tokens per second", "tok/s", llmbench.EffectiveDecodeThroughput},
		{"tokens", "Tokens in flight", "tokens", "tokens", llmbench.TokensInFlight},
	} {
		c := &chart{id: o.id, title: o.title, clock: true,
			x: axis{label: "time since the window's beginning (s)", unit: "s", max: length.Seconds()}, y: axis{label: o.label, unit: o.unit}}
		t := &timeline{result: base, spans: fromZero(old, o.metric, base.Window.From)}
		t.add(c, o.metric, "before", before, false)
		t = &timeline{result: now, spans: fromZero(current, o.metric, now.Window.From)}
		t.add(c, o.metric, "after", after, false)
		all = append(all, c.orNil())
	}
	return all
}

// fromZero moves a curve's clock to the window's beginning.
func fromZero(spans map[llmbench.Metric][]llmbench.Span, m llmbench.Metric, from time.Duration) map[llmbench.Metric][]llmbench.Span {
	var moved []llmbench.Span
	for _, s := range spans[m] {
		s.From, s.To = s.From-from, s.To-from
		moved = append(moved, s)
	}
	return map[llmbench.Metric][]llmbench.Span{m: moved}
}

// sides are the facts of two runs beside each other; a mark tells where they
// differ.
func sides(base, now *llmbench.Result) grid {
	t := grid{Head: []string{"", "before", "after", ""}}
	rest := facts(now)
	for _, f := range facts(base) {
		row := []string{f.Label, f.Value, "", ""}
		for i, g := range rest {
			if g.Label == f.Label {
				row[2] = g.Value
				rest = slices.Delete(rest, i, i+1)
				break
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for _, f := range rest {
		t.Rows = append(t.Rows, []string{f.Label, "", f.Value, ""})
	}
	for _, row := range t.Rows {
		if row[1] != row[2] {
			row[3] = "differs"
		}
	}
	return t
}
