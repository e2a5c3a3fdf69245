package llmbench

import (
	"fmt"
	"slices"
	"time"

	"github.com/llmbench/go/llmbench/internal/stats"
	"github.com/llmbench/go/llmbench/internal/sweep"
)

// SliceRule is the rule id of one slice of [Result.Slices]: as between.
const SliceRule = "slice"

// maxSlices bounds how finely a run can be cut: a result of every metric for
// each slice takes some 20 kB, and nobody looks at more.
const maxSlices = 10_000

// Slices cuts the result's window into slices of the given length, the last
// one shorter where it does not fit, and returns a result for each: curves cut
// by time, requests by their start, and the strict figures of what happened in
// it. Each is what [Analyze] gives between the slice's ends, but all together
// cost one sweep. Use them to plot figures over time and to find when a run went
// bad.
//
// The slices share the result's records; their figures at quantiles other than
// those in its JSON cost a sweep each where the run is large. It is an error if
// length is not positive or makes more than 10,000 slices; a window without
// length has none.
func (r *Result) Slices(length time.Duration) ([]*Result, error) {
	switch {
	case length <= 0:
		return nil, fmt.Errorf("llmbench: slices: length is %v, want > 0", length)
	case r.Window.Length()/length >= maxSlices:
		return nil, fmt.Errorf("llmbench: slices: length is %v, want at least %v for %d slices of %v", length, r.Window.Length()/maxSlices, maxSlices, r.Window.Length())
	}
	c := newCutter(r, length)
	c.readRecords()
	c.walk()
	return c.results(), nil
}

// A cutter analyses all slices of a window at once.
type cutter struct {
	of     *Result
	length int64
	slices []*analysis
	skies  *skies
	parts  []*Result
	ok     []int // covered ok requests, by slice
	// outside counts the requests that are not measured; every slice tells.
	outside Counts
	ids     []map[string]int
}

func newCutter(r *Result, length time.Duration) *cutter {
	c := &cutter{of: r, length: int64(length), skies: newSkies(len(r.Records))}
	for from := r.Window.From; from < r.Window.To; from += length {
		w := Window{From: from, To: min(from+length, r.Window.To), Rule: SliceRule}
		a := newAnalysis(w, r.options, 0)
		a.skies = c.skies
		c.slices = append(c.slices, a)
		c.parts = append(c.parts, a.newResult(r.Records, r.whole))
		c.ids = append(c.ids, map[string]int{})
	}
	c.ok = make([]int, len(c.slices))
	return c
}

// at is the slice that holds an instant, below 0 or past the last outside the
// window.
func (c *cutter) at(instant int64) int {
	since := instant - int64(c.of.Window.From)
	if since < 0 {
		return -1
	}
	return int(min(since/c.length, int64(len(c.slices))))
}

func (c *cutter) readRecords() {
	var f facts
	for i := range c.of.Records {
		record := &c.of.Records[i]
		if !record.Measured() {
			c.outside.leaveOut(record.Phase)
			continue
		}
		f.read(record)
		if record.Outcome != Unsent {
			c.skies.add(&f)
		}
		c.take(&f)
	}
}

// take sums a request into every slice that it touches, and samples it in the
// one in which it starts.
func (c *cutter) take(f *facts) {
	start := f.scheduled
	if f.hasSent {
		start = f.sent
	}
	first, last := c.at(start), c.at(start)
	if f.hasEnd {
		last = max(first, c.at(f.end))
	}
	for i := max(0, first); i <= min(last, len(c.slices)-1); i++ {
		a := c.slices[i]
		covered := a.window.covers(f.record)
		a.sum(f, covered)
		if !covered {
			continue
		}
		if id := f.record.ID; id != "" {
			c.ids[i][id]++
		}
		if f.record.Outcome == OK {
			c.ok[i]++
			a.sample(f, expected{})
		}
	}
}

// walk sweeps once and hands each slice its curves as the sweep leaves it, so
// that the pieces of one slice at a time are kept.
func (c *cutter) walk() {
	c.skies.sort()
	var t tallies
	var kept [curves][]stats.Piece
	for k := range t.of {
		t.of[k].take = func(p stats.Piece) { kept[k] = append(kept[k], p) }
	}
	brief := len(c.skies.order.Events) > exactRun
	c.skies.walk(c.of.Window, func(at, length int64, h *sweep.Heights) {
		for length > 0 {
			i := c.at(at)
			end := int64(c.slices[i].window.To)
			part := min(length, end-at)
			t.visit(at, part, h)
			if at, length = at+part, length-part; at == end {
				t.flush()
				c.slices[i].curves(c.parts[i], figuresOf(&kept, &t, brief))
				t, kept = tallies{of: t.of}, [curves][]stats.Piece{}
			}
		}
	})
}

// figuresOf sums up the pieces kept, and starts the tallies anew; brief keeps
// the figures and not the pieces.
func figuresOf(kept *[curves][]stats.Piece, t *tallies, brief bool) [curves]both {
	var all [curves]both
	for k := range kept {
		active := stats.NewWeighted(kept[k])
		whole := active.WithZero(t.of[k].idle)
		all[k] = both{active, whole}
		if brief {
			all[k] = both{active.Summary(), whole.Summary()}
		}
		t.of[k].idle = 0
	}
	return all
}

func (c *cutter) results() []*Result {
	for i, a := range c.slices {
		for _, n := range c.ids[i] {
			a.totals.counts.Duplicates += n - 1
		}
		a.totals.counts.Warmup, a.totals.counts.Cooldown = c.outside.Warmup, c.outside.Cooldown
		a.summarise(c.parts[i], c.ok[i])
		a.finish(c.parts[i])
	}
	return slices.Clone(c.parts)
}
