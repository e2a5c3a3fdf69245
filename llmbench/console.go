package llmbench

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
)

// column is one statistic of the console tables, in the order people know from
// AIPerf.
type column struct {
	head  string
	value func(Stats) Known[float64]
}

var columns = []column{
	{"avg", Stats.Mean}, {"min", Stats.Min}, {"max", Stats.Max},
	{"p99", at(0.99)}, {"p90", at(0.90)}, {"p50", at(0.50)}, {"std", Stats.Std},
}

func at(q float64) func(Stats) Known[float64] {
	return func(s Stats) Known[float64] { return s.Quantile(q) }
}

// String prints the result for people: what was run and over which window,
// then one table per group of metrics. A metric that is absent has no row; ask
// [Result.Stats] why.
func (r *Result) String() string {
	var text strings.Builder
	r.writeHead(&text)
	for _, group := range Groups() {
		r.writeTable(&text, group)
	}
	return trailing.ReplaceAllString(text.String(), "")
}

// trailing is the blank that tabwriter leaves where single numbers have no
// spread.
var trailing = regexp.MustCompile(`(?m) +$`)

// String tells the window's length, where it lies in the run, and its rule.
func (w Window) String() string {
	return fmt.Sprintf("%v from %v to %v, rule %s", w.Length(), w.From, w.To, w.Rule)
}

// String tells how many requests were planned and what became of them, without
// the outcomes that none had.
func (c Counts) String() string {
	text := fmt.Sprintf("%d planned: %d ok", c.Planned, c.OK)
	for _, part := range []struct {
		n    int
		what string
	}{
		{c.Error, "error"}, {c.Timeout, "timeout"}, {c.Rejected, "rejected"}, {c.Empty, "empty"},
		{c.Incomplete, "incomplete"}, {c.Cancelled, "cancelled"}, {c.Unsent, "unsent"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	if c.Warmup > 0 {
		text += fmt.Sprintf("; %d more warmed up", c.Warmup)
	}
	return text
}

// writeHead tells what the figures below it are figures of.
func (r *Result) writeHead(text *strings.Builder) {
	row := func(label, format string, args ...any) {
		fmt.Fprintf(text, "  %-10s %s\n", label, fmt.Sprintf(format, args...))
	}
	if r.Schedule != nil {
		fmt.Fprintf(text, "llmbench: %v\n", r.Schedule)
	} else {
		fmt.Fprintf(text, "llmbench: %d records\n", len(r.Records))
	}
	if e := r.Environment; e != nil {
		row("target", "%s, model %q, API %s", e.URL, e.Model, e.API)
		for _, note := range e.Notes {
			row("note", "%s", note)
		}
	}
	row("window", "%v", r.Window)
	row("requests", "%v", r.Counts)
	if r.Stopped != "" {
		row("stopped", "%s: these are partial results", r.Stopped)
	}
	if failure := r.firstFailure(); failure != nil {
		row("failed", "first %s: %s", failure.ID, failure.Error)
	}
	if g := r.Generator; g != nil && g.LagP99.Ok() {
		row("generator", "%d requests left over %v late, p99 lag %v; %d arrivals found MaxInFlight full",
			g.Late, LateSend, g.LagP99.Or(0), g.CapFull)
	}
}

// firstFailure is the first measured request that failed, or nil.
func (r *Result) firstFailure() *Record {
	for i := range r.Records {
		if r.Records[i].Measured() && r.Records[i].Outcome.Failed() {
			return &r.Records[i]
		}
	}
	return nil
}

// writeTable prints the metrics of one group that are present, or nothing.
func (r *Result) writeTable(text *strings.Builder, group Group) {
	out := tabwriter.NewWriter(text, 0, 0, 2, ' ', tabwriter.AlignRight)
	empty := true
	for _, m := range Metrics() {
		s := r.Stats(m)
		if m.Group() != group || s.Absent() != "" {
			continue
		}
		if empty {
			fmt.Fprintf(out, "\n%s\t%s\n", pad(string(group)), strings.Join(heads(group), "\t")+"\t")
			empty = false
		}
		fmt.Fprintf(out, "%s\t", pad("  "+label(m)))
		for _, c := range columns[:len(heads(group))] {
			fmt.Fprintf(out, "%s\t", figure(c.value(s)))
		}
		fmt.Fprintln(out)
	}
	_ = out.Flush() // a strings.Builder never fails to write
}

// heads names the columns of a group's table; counts have one.
func heads(group Group) []string {
	if group == CountsGroup {
		return []string{"total"}
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.head)
	}
	return names
}

// pad makes the names a left-aligned column of one width in all tables, which
// the right-aligned writer of the figures cannot.
func pad(name string) string { return fmt.Sprintf("%-52s", name) }

func label(m Metric) string {
	if m.Unit() == "" {
		return m.Name()
	}
	return fmt.Sprintf("%s (%s)", m.Name(), m.Unit())
}

// figure prints a value with two decimals and thousands in threes, and leaves
// an absent one blank: a single number has no spread.
func figure(v Known[float64]) string {
	value, ok := v.Get()
	if !ok {
		return ""
	}
	text := strconv.FormatFloat(value, 'f', 2, 64)
	digits := strings.IndexByte(text, '.')
	for i := digits - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
