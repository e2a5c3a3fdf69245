package llmbench

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteOpenMetrics writes the result as one OpenMetrics exposition, for a push
// gateway or a file collector. Distributions are summaries, curves and single
// numbers are gauges with the label statistic; every sample names the test, the
// model and the window's rule. Times are in seconds and shares in [0,1], as the
// format wants; absent metrics are left out.
func WriteOpenMetrics(w io.Writer, r *Result) error {
	out := bufio.NewWriter(w)
	labels := r.openLabels()
	for _, m := range Metrics() {
		if s := r.Stats(m); s.Absent() == "" {
			writeFamily(out, s, labels)
		}
	}
	fmt.Fprint(out, "# EOF\n")
	return out.Flush()
}

// openLabels are the labels of every sample, without the braces.
func (r *Result) openLabels() string {
	labels := fmt.Sprintf(`rule="%s"`, openText(r.Window.Rule))
	if r.Environment != nil {
		labels = fmt.Sprintf(`model="%s",`, openText(plain(r.Environment.Model))) + labels
	}
	if r.Test != "" {
		labels = fmt.Sprintf(`test="%s",`, openText(r.Test)) + labels
	}
	return labels
}

func writeFamily(out *bufio.Writer, s Stats, labels string) {
	m := s.Metric()
	unit, per := openUnit(m.Unit())
	name := strings.TrimSuffix("llmbench_"+m.Tag(), "_"+unit)
	if unit != "" {
		name += "_" + unit
	}
	kind := "gauge"
	if m.Kind() == PerRequest || m.Kind() == Pooled {
		kind = "summary"
	}
	fmt.Fprintf(out, "# TYPE %s %s\n", name, kind)
	if unit != "" {
		fmt.Fprintf(out, "# UNIT %s %s\n", name, unit)
	}
	fmt.Fprintf(out, "# HELP %s %s\n", name, openText(m.Name()+": "+m.Definition()))
	sample := func(suffix, label string, v Known[float64]) {
		if value, ok := v.Get(); ok {
			fmt.Fprintf(out, "%s%s{%s%s} %s\n", name, suffix, labels, label, strconv.FormatFloat(value/per, 'g', -1, 64))
		}
	}
	if kind == "summary" {
		for _, q := range quantiles {
			sample("", fmt.Sprintf(`,quantile="%g"`, q.q), s.Quantile(q.q))
		}
		sample("_sum", "", Is(s.Mean().Or(0)*float64(s.N())))
		sample("_count", "", Is(float64(s.N())*per))
		return
	}
	sample("", `,statistic="avg"`, s.Mean())
	sample("", `,statistic="min"`, s.Min())
	sample("", `,statistic="max"`, s.Max())
	for _, q := range quantiles {
		sample("", fmt.Sprintf(`,statistic="%s"`, q.name), s.Quantile(q.q))
	}
}

// openUnit is the base unit of the format for one of the catalogue's, and what a
// value is divided by; a rate has no base unit and its name says it all.
func openUnit(unit string) (base string, per float64) {
	switch unit {
	case "ms":
		return "seconds", 1e3
	case "s":
		return "seconds", 1
	case "B":
		return "bytes", 1
	case "%":
		return "ratio", 100
	case "share", "0/1":
		return "ratio", 1
	}
	return "", 1
}

// openText escapes a label value or a help text.
func openText(text string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(text)
}
