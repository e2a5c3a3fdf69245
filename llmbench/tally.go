package llmbench

import (
	"github.com/llmbench/go/llmbench/internal/stats"
	"github.com/llmbench/go/llmbench/internal/sweep"
)

// summed are the figures of a curve; ok is false for a quantile that a summary
// of a large run does not hold.
type summed interface {
	Total() int64
	Mean() float64
	Std() float64
	Min() float64
	Max() float64
	Quantile(q float64) (value float64, ok bool)
}

// both are a curve where its mask is above 0 only, and over the whole window.
type both struct{ active, whole summed }

// tally turns the stretches of one curve into pieces of one height each. A
// curve is 0 wherever its mask is 0; that time is idle, and no piece.
type tally struct {
	last stats.Piece
	idle int64
	take func(stats.Piece)
}

func (t *tally) add(value float64, active bool, length int64) {
	if !active {
		t.idle += length
		return
	}
	if value == t.last.Value {
		t.last.Weight += length
		return
	}
	t.flush()
	t.last = stats.Piece{Value: value, Weight: length}
}

// flush hands on the last piece; call it at the end.
func (t *tally) flush() {
	if t.last.Weight > 0 {
		t.take(t.last)
	}
	t.last = stats.Piece{}
}

// tallies are a tally of each curve. Most events change the decode rate and
// nothing else, so curves are settled by groups, and only when what they are
// made of has changed.
type tallies struct {
	of      [curves]tally
	last    sweep.Heights
	pending [len(groups)]int64 // how long last has held, by group
}

var groups = [...][]curveID{
	{concurrencyCurve},
	{prefillConcurrencyCurve, prefillCurve, prefillPerUserCurve},
	{decodeConcurrencyCurve, decodeCurve, decodePerUserCurve},
	{totalCurve},
	{tokensCurve},
}

func (t *tallies) visit(_, length int64, h *sweep.Heights) {
	was := &t.last
	count := h.Concurrency != was.Concurrency
	prefill := h.Prefill != was.Prefill || h.PrefillRate != was.PrefillRate
	decode := h.Decode != was.Decode || h.DecodeRate != was.DecodeRate
	for group, changed := range [len(groups)]bool{count, prefill, decode, count || prefill || decode, count || h.Tokens != was.Tokens} {
		if changed {
			t.settle(group)
		}
		t.pending[group] += length
	}
	t.last = *h
}

// settle counts what has held so far in a group.
func (t *tallies) settle(group int) {
	if t.pending[group] == 0 {
		return
	}
	for _, c := range groups[group] {
		value, active := c.height(&t.last)
		t.of[c].add(value, active, t.pending[group])
	}
	t.pending[group] = 0
}

func (t *tallies) flush() {
	for group := range groups {
		t.settle(group)
	}
	for c := range t.of {
		t.of[c].flush()
	}
}

// exactRun is how many events a run may have for all pieces of all curves to
// be kept, 14 MB at most. A larger one is walked twice instead.
var exactRun = 1 << 16

// figures are the figures of all curves.
func (s *skies) figures(w Window) [curves]both {
	if len(s.order.Events) > exactRun {
		return s.twoLooks(w)
	}
	var figures [curves]both
	for c, weighted := range s.pieces(w) {
		figures[c] = both{weighted.active, weighted.whole}
	}
	return figures
}

type exact struct{ active, whole *stats.Weighted }

// pieces keeps every piece of every curve.
func (s *skies) pieces(w Window) [curves]exact {
	var t tallies
	var kept [curves][]stats.Piece
	for c := range t.of {
		t.of[c].take = func(p stats.Piece) { kept[c] = append(kept[c], p) }
	}
	s.walk(w, t.visit)
	t.flush()
	var all [curves]exact
	for c := range t.of {
		active := stats.NewWeighted(kept[c])
		all[c] = exact{active, active.WithZero(t.of[c].idle)}
	}
	return all
}

// twoLooks walks twice: for the sums and where the quantiles are, then for the
// deviations and the quantiles themselves. Nothing is estimated.
func (s *skies) twoLooks(w Window) [curves]both {
	first := s.firstLook(w)
	var plans [curves]*stats.Plan
	for c := range plans {
		plans[c] = first[c].histogram.Plan(first[c].idle)
	}
	var figures [curves]both
	for c, selection := range s.secondLook(w, plans) {
		active, whole := selection.Summaries()
		figures[c] = both{active, whole}
	}
	return figures
}

type look struct {
	histogram *stats.Histogram
	idle      int64
}

func (s *skies) firstLook(w Window) [curves]look {
	var parts [skyParts]tallies
	var looks [skyParts][curves]look
	walked := s.walkParts(w, func(part int) func(at, length int64, h *sweep.Heights) {
		t := &parts[part]
		for c := range t.of {
			h := stats.NewHistogram()
			looks[part][c].histogram, t.of[c].take = h, h.Add
		}
		return t.visit
	})
	for part := range walked {
		parts[part].flush()
		for c := range curves {
			looks[part][c].idle = parts[part].of[c].idle
			if part > 0 {
				looks[0][c].histogram.Merge(looks[part][c].histogram)
				looks[0][c].idle += looks[part][c].idle
			}
		}
	}
	return looks[0]
}

func (s *skies) secondLook(w Window, plans [curves]*stats.Plan) [curves]*stats.Selection {
	var parts [skyParts]tallies
	var looks [skyParts][curves]*stats.Selection
	walked := s.walkParts(w, func(part int) func(at, length int64, h *sweep.Heights) {
		t := &parts[part]
		for c := range t.of {
			look := plans[c].Select()
			looks[part][c], t.of[c].take = look, look.Add
		}
		return t.visit
	})
	for part := range walked {
		parts[part].flush()
		for c := range curves {
			if part > 0 {
				looks[0][c].Merge(looks[part][c])
			}
		}
	}
	return looks[0]
}

// exactly keeps every piece of one curve, for a quantile that a summary does
// not hold.
func (r *Result) exactly(c curveID) exact {
	s := newSkies(len(r.Records))
	for i := range r.Records {
		if record := &r.Records[i]; record.Measured() && record.Outcome != Unsent {
			f := readFacts(record)
			s.add(&f)
		}
	}
	s.sort()
	var kept []stats.Piece
	t := tally{take: func(p stats.Piece) { kept = append(kept, p) }}
	s.walk(r.Window, func(_, length int64, h *sweep.Heights) {
		value, active := c.height(h)
		t.add(value, active, length)
	})
	t.flush()
	weighted := stats.NewWeighted(kept)
	return exact{weighted, weighted.WithZero(t.idle)}
}
