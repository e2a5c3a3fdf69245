package llmbench

import (
	"encoding/csv"
	"io"
	"strconv"
)

// quantiles are those that files carry, with their names there.
var quantiles = []struct {
	name string
	q    float64
}{
	{"p1", 0.01}, {"p5", 0.05}, {"p10", 0.1}, {"p25", 0.25}, {"p50", 0.5},
	{"p75", 0.75}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999},
}

// WriteCSV writes one row per metric of the catalogue: tag, name, group, unit,
// better direction, kind, window rule, n, avg, std, min, max, the quantiles, and
// why it is absent. Values are in the unit, in full precision; an absent one is
// an empty cell.
func WriteCSV(w io.Writer, r *Result) error {
	out := csv.NewWriter(w)
	head := []string{"tag", "name", "group", "unit", "better", "kind", "rule", "n", "avg", "std", "min", "max"}
	for _, q := range quantiles {
		head = append(head, q.name)
	}
	_ = out.Write(append(head, "absent")) // the writer keeps its first error for Error
	for _, m := range Metrics() {
		s := r.Stats(m)
		line := []string{
			m.Tag(), m.Name(), string(m.Group()), m.Unit(), m.Better().String(), m.Kind().String(), r.Window.Rule,
			strconv.Itoa(s.N()), cell(s.Mean()), cell(s.Std()), cell(s.Min()), cell(s.Max()),
		}
		for _, q := range quantiles {
			line = append(line, cell(s.Quantile(q.q)))
		}
		_ = out.Write(append(line, s.Absent()))
	}
	out.Flush()
	return out.Error()
}

func cell(v Known[float64]) string {
	value, ok := v.Get()
	if !ok {
		return ""
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}
