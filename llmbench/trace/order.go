package trace

import (
	"cmp"
	"slices"

	"github.com/llmbench/go/llmbench"
)

// The nouns are llmbench's; the readers say them often.
type (
	// Trace is what the readers return.
	Trace = llmbench.Trace
	// Row is one request of it.
	Row = llmbench.TraceRow
)

// sorted puts the rows in the order of their instants, those of one instant as
// they were.
func sorted(t *Trace) *Trace {
	slices.SortStableFunc(t.Rows, func(a, b Row) int { return cmp.Compare(a.At, b.At) })
	return t
}

// fromZero is sorted with the clock set so that it begins at 0: the first row of
// a file need not be the earliest.
func fromZero(t *Trace) *Trace {
	sorted(t)
	if len(t.Rows) == 0 {
		return t
	}
	first := t.Rows[0].At
	for i := range t.Rows {
		t.Rows[i].At -= first
	}
	return t
}
