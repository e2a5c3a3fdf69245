package report

import (
	"fmt"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/internal/figure"
)

// statistic is one column of a table of metrics.
type statistic struct {
	name string
	of   func(llmbench.Stats) llmbench.Known[float64]
}

func quantile(q float64) func(llmbench.Stats) llmbench.Known[float64] {
	return func(s llmbench.Stats) llmbench.Known[float64] { return s.Quantile(q) }
}

var statistics = []statistic{
	{"avg", llmbench.Stats.Mean}, {"min", llmbench.Stats.Min}, {"p50", quantile(0.5)}, {"p90", quantile(0.9)},
	{"p95", quantile(0.95)}, {"p99", quantile(0.99)}, {"p99.9", quantile(0.999)}, {"max", llmbench.Stats.Max}, {"std", llmbench.Stats.Std},
}

// add puts a metric that is there into the table.
func (t *table) add(s llmbench.Stats) {
	if s.Absent() != "" {
		return
	}
	if t.head == nil {
		t.head = []string{"metric"}
		for _, c := range statistics {
			t.head = append(t.head, c.name)
		}
		t.head = append(t.head, "n")
	}
	var known []float64
	for _, c := range statistics {
		if v, ok := c.of(s).Get(); ok {
			known = append(known, v)
		}
	}
	scale := figure.ScaleOf(s.Metric().Unit(), known...)
	row := []string{label(s.Metric().Name(), scale.Unit)}
	for _, c := range statistics {
		row = append(row, text(scale, c.of(s)))
	}
	t.rows = append(t.rows, append(row, fmt.Sprint(s.N())))
}

func label(name, unit string) string {
	if unit == "" {
		return name
	}
	return name + " (" + unit + ")"
}

func text(scale figure.Scale, v llmbench.Known[float64]) string {
	value, ok := v.Get()
	if !ok {
		return ""
	}
	return scale.Format(value)
}

// A card is one headline figure.
type card struct {
	Name, Value, More string
}

// cards are the headline figures with their intervals.
func cards(r *llmbench.Result) []card {
	var all []card
	for _, m := range []llmbench.Metric{llmbench.TTFT, llmbench.EffectiveTTFT, llmbench.TPOT, llmbench.RequestLatency, llmbench.EffectiveLatency} {
		if s := r.Stats(m); s.Absent() == "" {
			all = append(all, latencyCard(s))
		}
	}
	for _, pair := range []struct {
		name              string
		effective, active llmbench.Metric
	}{
		{"Prefill throughput", llmbench.EffectivePrefillThroughput, llmbench.ActivePrefillThroughput},
		{"Decode throughput", llmbench.EffectiveDecodeThroughput, llmbench.ActiveDecodeThroughput},
	} {
		effective, ok := r.Stats(pair.effective).Mean().Get()
		if active, also := r.Stats(pair.active).Mean().Get(); ok && also {
			all = append(all, card{pair.name, figure.Brief(effective, "tok/s") + " effective",
				figure.Brief(active, "tok/s") + " while active"})
		}
	}
	if v, ok := r.Stats(llmbench.RequestThroughput).Mean().Get(); ok {
		all = append(all, card{"Requests", figure.Brief(v, "req/s"), r.Counts.String()})
	}
	return all
}

// latencyCard shows the median, and the p99 with what the sample knows of it.
func latencyCard(s llmbench.Stats) card {
	unit := s.Metric().Unit()
	p50, p99 := s.Quantile(0.5).Or(0), s.Quantile(0.99).Or(0)
	return card{s.Metric().Name(), figure.Brief(p50, unit) + " median",
		fmt.Sprintf("p99 %s, %s", figure.Brief(p99, unit), interval(s, 0.99))}
}

// interval words the 95 % interval of a quantile, one-sided where n is small.
func interval(s llmbench.Stats, q float64) string {
	unit := s.Metric().Unit()
	low, high := s.Interval(q, 0.95)
	switch l, h := low.Or(0), high.Or(0); {
	case low.Ok() && high.Ok():
		return fmt.Sprintf("95 %% interval %s to %s", figure.Brief(l, unit), figure.Brief(h, unit))
	case low.Ok():
		return fmt.Sprintf("at least %s (95 %%); n = %d sets no upper bound", figure.Brief(l, unit), s.N())
	case high.Ok():
		return fmt.Sprintf("at most %s (95 %%)", figure.Brief(h, unit))
	}
	return fmt.Sprintf("n = %d bounds it on no side", s.N())
}
