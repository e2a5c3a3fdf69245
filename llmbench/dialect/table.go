package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/llmbench/go/llmbench"
)

// A Table is one run in another tool's words: Rows are distributions, Common
// are single numbers.
type Table struct {
	// Tool is the tool whose rules and names these are.
	Tool   string
	Rows   []Row
	Common []Entry
	// columns are the statistics that the tool prints, in its order.
	columns []column
}

// A Row is a distribution under the tool's name, in the unit that the tool uses.
type Row struct {
	// Name is the tool's. Unit is that of every figure of the row: spans are in s
	// for AISBench and for guidellm's whole latencies, else in ms.
	Name, Unit string
	// Rule says how the tool computes it.
	Rule string
	// N is the number of requests that the tool prints beside it; Sample has
	// the true number of samples.
	N      int
	Sample Sample
	// Curve has the figures of a row that is a step function of time, weighted by
	// it; such a row has no samples, and Sample is empty. Of the other rows Curve is
	// absent.
	Curve llmbench.Stats
}

// figures are what both a sample and a curve have.
type figures interface {
	Mean() llmbench.Known[float64]
	Std() llmbench.Known[float64]
	Quantile(q float64) llmbench.Known[float64]
}

func (r Row) figures() figures {
	if r.Sample.Len() > 0 {
		return r.Sample
	}
	return r.Curve
}

// An Entry is a single number under the tool's name; absent where it does not
// exist.
type Entry struct {
	Name, Unit string
	Value      llmbench.Known[float64]
}

// A column is a statistic under the tool's name.
type column struct {
	name  string
	value func(Row) llmbench.Known[float64]
}

func quantileColumn(name string, q float64) column {
	return column{name, func(r Row) llmbench.Known[float64] { return r.figures().Quantile(q) }}
}

func meanColumn(name string) column {
	return column{name, func(r Row) llmbench.Known[float64] { return r.figures().Mean() }}
}

func stdColumn(name string) column {
	return column{name, func(r Row) llmbench.Known[float64] { return r.figures().Std() }}
}

func countColumn(name string, count func(Row) int) column {
	return column{name, func(r Row) llmbench.Known[float64] { return llmbench.Is(float64(count(r))) }}
}

// Row finds a row by the tool's name.
func (t *Table) Row(name string) (Row, bool) {
	for _, r := range t.Rows {
		if r.Name == name {
			return r, true
		}
	}
	return Row{}, false
}

// Entry finds a single number by the tool's name.
func (t *Table) Entry(name string) (Entry, bool) {
	for _, e := range t.Common {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// add appends a row if it has a sample: a row without one does not exist.
func (t *Table) add(name, unit, rule string, n int, values []float64) {
	if len(values) > 0 {
		t.Rows = append(t.Rows, Row{Name: name, Unit: unit, Rule: rule, N: n, Sample: newSample(values)})
	}
}

func (t *Table) single(name, unit string, value llmbench.Known[float64]) {
	t.Common = append(t.Common, Entry{name, unit, value})
}

// count appends a whole number.
func (t *Table) count(name string, n int) { t.single(name, "", llmbench.Is(float64(n))) }

// MarshalJSON writes {"table": {row: {statistic: value}}, "common": {name:
// value}} in the table's order; what is absent is null.
func (t *Table) MarshalJSON() ([]byte, error) {
	var out object
	rows, common := object{}, object{}
	for _, r := range t.Rows {
		row := object{}
		for _, c := range t.columns {
			row.add(c.name, c.value(r))
		}
		rows.add(r.Name, &row)
	}
	for _, e := range t.Common {
		common.add(e.Name, e.Value)
	}
	out.add("table", &rows)
	out.add("common", &common)
	return out.MarshalJSON()
}

// An object is a JSON object that keeps the order of its members.
type object struct {
	names  []string
	values []any
}

func (o *object) add(name string, value any) {
	o.names, o.values = append(o.names, name), append(o.values, value)
}

func (o *object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.values[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Text prints the table as plain text: the rows with the statistics that the
// tool prints, then the single numbers. It ends in a newline.
func (t *Table) Text() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	if len(t.Rows) > 0 {
		fmt.Fprint(w, t.Tool)
		for _, c := range t.columns {
			fmt.Fprint(w, "\t", c.name)
		}
		fmt.Fprintln(w)
	}
	for _, r := range t.Rows {
		fmt.Fprint(w, label(r.Name, r.Unit))
		for _, c := range t.columns {
			fmt.Fprint(w, "\t", show(c.value(r)))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	for _, e := range t.Common {
		fmt.Fprintf(w, "%s\t%s\n", label(e.Name, e.Unit), show(e.Value))
	}
	w.Flush()
	return trimmed(out.String())
}

// label is a name with its unit, unless the name tells it.
func label(name, unit string) string {
	if unit == "" || strings.Contains(name, "("+unit+")") {
		return name
	}
	return name + " (" + unit + ")"
}

// show prints six significant digits: enough to reconcile, and no noise.
func show(v llmbench.Known[float64]) string {
	value, ok := v.Get()
	if !ok {
		return "-"
	}
	return strconv.FormatFloat(value, 'g', 6, 64)
}
