package llmbench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/llmbench/go/llmbench/internal/figure"
	"github.com/llmbench/go/llmbench/internal/infer"
)

// String prints the comparison as a table for people. It has no line feed at the end.
func (c *Comparison) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", c.head())
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range c.Table() {
		fmt.Fprintf(out, "  %s\n", strings.Join(row, "\t"))
	}
	_ = out.Flush() // a strings.Builder never fails to write
	return trailing.ReplaceAllString(strings.TrimSuffix(text.String(), "\n"), "")
}

// head says what is compared with what.
func (c *Comparison) head() string {
	text := fmt.Sprintf("%s: %s", c.Now.name, c.runs())
	if c.Base.name != c.Now.name {
		text += " of " + c.Base.name
	}
	return text
}

// runs is "10 + 10 runs, base + now", or "8 pairs".
func (c *Comparison) runs() string {
	switch {
	case c.Paired:
		return fmt.Sprintf("%d pairs of runs", c.Now.n)
	case c.Exact:
		return fmt.Sprintf("%d + %d runs, exact", c.Base.n, c.Now.n)
	}
	return fmt.Sprintf("%d + %d runs", c.Base.n, c.Now.n)
}

// Table is the comparison as texts: the heads, then one row per figure, with its
// medians, the change and its interval, P, and the finding.
func (c *Comparison) Table() [][]string {
	rows := [][]string{{"figure", "base", "now", "change", "interval", "p", "finding"}}
	for i := range c.Changes {
		ch := &c.Changes[i]
		rows = append(rows, []string{
			ch.Figure.String(), side(ch.Figure, ch.Base), side(ch.Figure, ch.Now),
			ch.deltaText(), ch.deltaInterval(), ch.pText(), string(ch.Finding),
		})
	}
	return rows
}

// String is the change in one line: what it was, what it is, and how sure that is.
func (ch *Change) String() string {
	text := fmt.Sprintf("%v %s -> %s", ch.Figure, side(ch.Figure, ch.Base), side(ch.Figure, ch.Now))
	if ch.Base.N > 0 && ch.Now.N > 0 {
		text += ", " + ch.deltaText()
	}
	if in := ch.deltaInterval(); in != "" {
		text += " (" + in + ")"
	}
	if p := ch.pText(); p == "exact" {
		text += ", exact"
	} else if p != "" {
		text += ", p " + p
	}
	return text
}

// side is a median with its interval as a share: "100ms ±2%".
func side(f Figure, s Summary) string {
	if s.N == 0 {
		return "n/a"
	}
	text := shown(f, s.Median)
	if away := s.away(); away > 0 {
		text += " ±" + percent(away)
	}
	return text
}

func (ch *Change) deltaText() string {
	d, ok := ch.Delta.Get()
	switch {
	case !ok:
		return "n/a"
	case d.Change == 0:
		return "0%"
	}
	return signed(d.Change)
}

func (ch *Change) deltaInterval() string {
	d, ok := ch.Delta.Get()
	if !ok || d.Lo == d.Hi || math.IsInf(d.Lo, 0) {
		return ""
	}
	return fmt.Sprintf("%s to %s", signed(d.Lo), signed(d.Hi))
}

// pText is the corrected P value; empty where nothing was judged.
func (ch *Change) pText() string {
	switch ch.Finding {
	case Missing, Zero, NotFinite:
		return ""
	}
	if ch.exact {
		return "exact"
	}
	if ch.Adjusted < 0.0001 && ch.Adjusted > 0 {
		return "<0.0001"
	}
	return figure.Significant(ch.Adjusted)
}

// interval is "95.0ms to 105ms", an open end as "...".
func interval(f Figure, in infer.Interval) string {
	end := func(v float64) string {
		if math.IsInf(v, 0) {
			return "..."
		}
		return shown(f, v)
	}
	return end(in.Lo) + " to " + end(in.Hi)
}

// shown prints a value of the figure with three digits and a unit that fits it:
// the unit follows the value, or 1.46 us beside 1.16 ms would read 0.00ms.
func shown(f Figure, v float64) string {
	if f.metric.Unit() == "share" {
		return percent(v)
	}
	return figure.Brief(v, f.metric.Unit())
}

// percent prints a share with three digits: 0.05 is 5.00%.
func percent(share float64) string {
	if math.IsInf(share, 0) {
		return "∞"
	}
	return figure.Significant(100*share) + "%"
}

func signed(share float64) string {
	text := percent(share)
	if share > 0 {
		return "+" + text
	}
	return text
}

// Markdown prints the table for a pull request, ending in a line feed.
func (c *Comparison) Markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "**%s**\n\n", escaped(c.head()))
	for i, row := range c.Table() {
		for j := range row {
			row[j] = escaped(row[j])
		}
		fmt.Fprintf(&text, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			text.WriteString("| --- | ---: | ---: | ---: | --- | ---: | --- |\n")
		}
	}
	fmt.Fprintf(&text, "\np after Holm's correction over %d figures; slack %s.\n", len(c.Changes), c.slacks())
	return text.String()
}

// escaped keeps a text from being taken for Markdown.
func escaped(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ", "*", `\*`, "_", `\_`).Replace(text)
}

// slacks are the slacks of the figures, one where all are the same.
func (c *Comparison) slacks() string {
	first, same := c.Changes[0].Slack, true
	var each []string
	for _, ch := range c.Changes {
		same = same && ch.Slack == first
		each = append(each, fmt.Sprintf("%s for %v", percent(ch.Slack), ch.Figure))
	}
	if same {
		return percent(first)
	}
	return strings.Join(each, ", ")
}

// WriteCSV writes the comparison as benchstat -format csv writes it, one table per
// figure, in the units of [WriteOut]: the median and its interval on both sides,
// the change where it is significant (else ~), and the P value of that figure
// alone. Two columns more have the corrected P value and the finding.
func (c *Comparison) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	for i := range c.Changes {
		ch := &c.Changes[i]
		unit, per := ch.Figure.benchUnit()
		rows := [][]string{
			{"", "base", "", "now", "", "", "", "", ""},
			{"", unit, "CI", unit, "CI", "vs base", "P", "P Holm", "finding"},
			slices.Concat([]string{c.Now.name}, csvSide(ch.base, per, c.Alpha), csvSide(ch.now, per, c.Alpha),
				[]string{c.csvDelta(ch), csvP(ch), number(ch.Adjusted), string(ch.Finding)}),
		}
		if i > 0 {
			rows = append([][]string{{}}, rows...)
		}
		if err := out.WriteAll(rows); err != nil {
			return fmt.Errorf("llmbench: compare: %w", err)
		}
	}
	return nil
}

// csvSide is a median and its interval. Values are scaled before the median is
// taken, as benchstat reads them scaled.
func csvSide(values []float64, per, alpha float64) []string {
	if len(values) == 0 {
		return []string{"", ""}
	}
	inUnit := make([]float64, len(values))
	for i, v := range values {
		inUnit[i] = v / per
	}
	s := summarize(inUnit, alpha)
	ci := "0%"
	switch away := s.away(); {
	case math.IsInf(away, 0):
		ci = "∞"
	case away > 0:
		ci = fmt.Sprintf("%.0f%%", 100*away)
	}
	return []string{number(s.Median), ci}
}

// away is how far the median's interval reaches from it, as a share of it.
func (s Summary) away() float64 {
	return max(s.Hi-s.Median, s.Median-s.Lo) / math.Abs(s.Median)
}

func (c *Comparison) csvDelta(ch *Change) string {
	d, ok := ch.Delta.Get()
	switch {
	case !ok:
		return "?"
	case ch.P >= c.Alpha:
		return "~"
	}
	return fmt.Sprintf("%+.2f%%", 100*d.Change)
}

func csvP(ch *Change) string {
	n := strconv.Itoa(ch.Base.N)
	if ch.Base.N != ch.Now.N {
		n += "+" + strconv.Itoa(ch.Now.N)
	}
	return fmt.Sprintf("p=%.3f n=%s", ch.P, n)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
