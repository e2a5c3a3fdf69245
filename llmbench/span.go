package llmbench

import (
	"time"

	"github.com/llmbench/go/llmbench/internal/sweep"
)

// A Span is a stretch [From, To) of a curve, for drawing: the lowest and the
// highest height on it and the mean, weighted by time, in the metric's unit.
// Where the curve stands still on the stretch the three are equal.
type Span struct {
	From, To        time.Duration
	Low, High, Mean float64
}

// Spans draws every curve of the window, keyed by the metric of the whole
// window (EffectiveDecodeThroughput and so on; the active ones are the same
// curves). A curve of at most limit steps comes back step by step, exact. A
// longer one comes back as limit columns of equal width, each with its extremes,
// so that no peak is lost however narrow it is. A curve that no request feeds has
// no entry; neither has any in a window without length, or with limit < 1.
//
// It sorts and sweeps the events of all requests once, like [Analyze].
func (r *Result) Spans(limit int) map[Metric][]Span {
	drawn := map[Metric][]Span{}
	if limit < 1 || r.Window.Length() <= 0 {
		return drawn
	}
	sky := newSkies(len(r.Records))
	for i := range r.Records {
		if record := &r.Records[i]; record.Measured() && record.Outcome != Unsent {
			f := readFacts(record)
			sky.add(&f)
		}
	}
	sky.sort()
	d := newDrawing(r.Window, limit)
	sky.walk(r.Window, d.visit)
	for i := range table {
		if row := &table[i]; row.kind == Curve && !row.active && sky.fed[row.curve] > 0 {
			drawn[Metric{row}] = d.lines[row.curve].spans()
		}
	}
	return drawn
}

// A drawing draws all curves in one walk.
type drawing struct {
	window  Window
	columns int64
	at      int64 // the column that the walk is in
	lines   [curves]line
}

// A line is one curve in the making, in both forms until it is known which one
// it needs.
type line struct {
	steps   []Span
	tooMany bool
	columns []Span // Mean is the area, height times ns, until spans is called
}

func newDrawing(w Window, limit int) *drawing {
	d := &drawing{window: w, columns: min(int64(limit), int64(w.Length()))}
	for c := range d.lines {
		columns := make([]Span, d.columns)
		for i := range columns {
			columns[i].From = time.Duration(d.bound(int64(i)))
			columns[i].To = time.Duration(d.bound(int64(i) + 1))
		}
		d.lines[c].columns = columns
	}
	return d
}

// bound is where column i begins. Length times columns may pass 64 bits, so the
// whole part and the rest are scaled apart.
func (d *drawing) bound(i int64) int64 {
	length := int64(d.window.Length())
	return int64(d.window.From) + length/d.columns*i + length%d.columns*i/d.columns
}

func (d *drawing) visit(at, length int64, h *sweep.Heights) {
	var heights [curves]float64
	for c := range curves {
		heights[c], _ = c.height(h)
		d.lines[c].step(at, at+length, heights[c], int(d.columns))
	}
	for end := at + length; at < end; {
		bound := d.bound(d.at + 1)
		until := min(end, bound)
		for c := range d.lines {
			d.lines[c].columns[d.at].cover(heights[c], at, until)
		}
		if at = until; at == bound {
			d.at++
		}
	}
}

// step takes the next stretch of the exact form, while it is short enough.
func (l *line) step(from, to int64, height float64, limit int) {
	last := len(l.steps) - 1
	switch {
	case l.tooMany:
	case last >= 0 && l.steps[last].Mean == height:
		l.steps[last].To = time.Duration(to)
	case len(l.steps) == limit:
		l.steps, l.tooMany = nil, true
	default:
		l.steps = append(l.steps, Span{time.Duration(from), time.Duration(to), height, height, height})
	}
}

// cover adds a stretch to a column.
func (s *Span) cover(height float64, from, to int64) {
	if from == int64(s.From) {
		s.Low, s.High = height, height
	}
	s.Low, s.High = min(s.Low, height), max(s.High, height)
	s.Mean += height * float64(to-from)
}

func (l *line) spans() []Span {
	if !l.tooMany {
		return l.steps
	}
	for i := range l.columns {
		s := &l.columns[i]
		s.Mean /= float64(s.To - s.From)
	}
	return l.columns
}
