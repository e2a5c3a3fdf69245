package llmbench

import (
	"fmt"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/llmbench/go/llmbench/internal/figure"
)

// column is one statistic of the console tables, in the order people know from
// AIPerf.
type column struct {
	head  string
	value func(Stats) Known[float64]
	// keep says how long the column stays when the width runs out: the lowest
	// goes first.
	keep int
}

var columns = []column{
	{"avg", Stats.Mean, 7}, {"min", Stats.Min, 2}, {"max", Stats.Max, 4},
	{"p99", at(0.99), 6}, {"p90", at(0.90), 3}, {"p50", at(0.50), 5}, {"std", Stats.Std, 1},
}

func at(q float64) func(Stats) Known[float64] {
	return func(s Stats) Known[float64] { return s.Quantile(q) }
}

// A grid is one heading and the metrics under it that are present; table is the
// catalogue.
type grid struct {
	heading string
	rows    []Stats
}

// tables sorts the present metrics into grids, in the order in which they are
// shown. The tokens group falls apart into the tables that people know.
func tables(r *Result) []grid {
	var all []grid
	for _, group := range Groups() {
		for _, heading := range headings(group) {
			t := grid{heading: heading}
			for _, m := range Metrics() {
				if s := r.Stats(m); m.Group() == group && headingOf(m) == heading && s.Absent() == "" {
					t.rows = append(t.rows, s)
				}
			}
			if len(t.rows) > 0 {
				all = append(all, t)
			}
		}
	}
	return all
}

func headings(group Group) []string {
	if group == TokensGroup {
		return []string{"Usage", "Cache", "Reasoning", string(group)}
	}
	return []string{string(group)}
}

func headingOf(m Metric) string {
	switch tag := m.Tag(); {
	case m.Group() != TokensGroup:
	case strings.HasPrefix(tag, "usage_"):
		return "Usage"
	case strings.Contains(tag, "cache"):
		return "Cache"
	case strings.HasPrefix(tag, "reasoning"):
		return "Reasoning"
	}
	return string(m.Group())
}

// writeTables prints all tables within the width, 0 being no bound. Columns are
// given up one by one until the longest line fits, but the mean stays.
func writeTables(text *strings.Builder, r *Result, width int) {
	all := tables(r)
	for least := 1; ; least++ {
		var out strings.Builder
		for _, t := range all {
			t.write(&out, least)
		}
		if width <= 0 || least == len(columns) || longestLine(out.String()) <= width {
			text.WriteString(out.String())
			return
		}
	}
}

func longestLine(text string) int {
	longest := 0
	for line := range strings.Lines(text) {
		longest = max(longest, len(line)-1)
	}
	return longest
}

// write prints the table with the columns that keep at least so long. Names are
// padded to one width in all tables, which the right-aligned writer of the
// figures cannot.
func (t grid) write(text *strings.Builder, least int) {
	var out strings.Builder
	cells := tabwriter.NewWriter(&out, 12, 0, 1, ' ', tabwriter.AlignRight)
	shown := t.columns(least)
	fmt.Fprintf(cells, "%-52s\t", t.heading)
	for _, c := range shown {
		fmt.Fprintf(cells, "%s\t", c.head)
	}
	for _, s := range t.rows {
		scale, values := scaled(s, shown)
		fmt.Fprintf(cells, "\n%-52s\t", "  "+label(s.Metric(), scale.Unit))
		for _, v := range values {
			fmt.Fprintf(cells, "%s\t", cellText(scale, v))
		}
	}
	fmt.Fprintln(cells)
	_ = cells.Flush() // a strings.Builder never fails to write
	text.WriteString("\n" + trailing.ReplaceAllString(out.String(), ""))
}

// trailing is the blank that tabwriter leaves where single numbers have no
// spread.
var trailing = regexp.MustCompile(`(?m) +$`)

// columns are those that keep at least so long; a table of single numbers has
// one.
func (t grid) columns(least int) []column {
	if t.heading == string(CountsGroup) {
		return []column{{"total", Stats.Mean, len(columns)}}
	}
	var shown []column
	for _, c := range columns {
		if c.keep >= least {
			shown = append(shown, c)
		}
	}
	return shown
}

// scaled are the row's values and how to show them.
func scaled(s Stats, shown []column) (figure.Scale, []Known[float64]) {
	values := make([]Known[float64], len(shown))
	var known []float64
	for i, c := range shown {
		values[i] = c.value(s)
		if v, ok := values[i].Get(); ok {
			known = append(known, v)
		}
	}
	return figure.ScaleOf(s.Metric().Unit(), known...), values
}

// cellText leaves an absent value blank: a single number has no spread.
func cellText(scale figure.Scale, v Known[float64]) string {
	value, ok := v.Get()
	if !ok {
		return ""
	}
	return scale.Format(value)
}

// label is the row's name. The heading of the counts says what is counted.
func label(m Metric, unit string) string {
	if unit == "" || m.Group() == CountsGroup && unit == "requests" {
		return m.Name()
	}
	return fmt.Sprintf("%s (%s)", m.Name(), unit)
}
