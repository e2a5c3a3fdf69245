package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/plot"

	"github.com/llmbench/go/llmbench"
)

const (
	// maxLanes is how many requests the swim lanes show at most.
	maxLanes = 240
	// worstLanes of them are kept for the slowest requests of a longer run.
	worstLanes = 40
	// stallFactor and leastStall say which gap in a reply counts as a stall: one
	// that is so many times the run's median gap, and long enough to be seen.
	stallFactor = 5
	leastStall  = 50 * time.Millisecond
)

// lanes draws every request as a bar on the run's clock: waiting for its turn,
// in prefill, in decode, and where the reply stood still.
func (t *timeline) lanes() *chart {
	chosen, total := t.chosenLanes()
	if len(chosen) == 0 {
		return nil
	}
	stall := t.stallFrom()
	c := t.chart("lanes", "Requests", "requests, in the order of their send", "")
	c.y = axis{label: c.y.label, min: -1, max: float64(len(chosen)), marks: laneMarks(len(chosen))}
	c.height = min(max(float64(len(chosen))*4+60, 200), 760)
	c.note = fmt.Sprintf("Every request of the window. A stall is a gap in a reply of at least %v.", stall)
	if total > len(chosen) {
		c.note = fmt.Sprintf("%d of %d requests: %d evenly over the run, and the slowest of the others. A stall is a gap in a reply of at least %v.",
			len(chosen), total, maxLanes-worstLanes, stall)
	}
	parts := map[string]*series{}
	for _, p := range lanePhases {
		parts[p.name] = &series{name: p.name, mark: segments, color: p.color}
	}
	for y, r := range chosen {
		c.lanes = append(c.lanes, r.ID)
		drawLane(r, float64(y), stall, parts)
	}
	for _, p := range lanePhases {
		c.series = append(c.series, *parts[p.name])
	}
	c.table = slowestTable(chosen)
	return c
}

var lanePhases = []struct {
	name  string
	color int
}{{"queue", 7}, {"prefill", 1}, {"decode", 2}, {"stall", 4}, {"whole reply", 0}, {"failed", 6}}

// drawLane adds one request's phases to the series.
func drawLane(r *llmbench.Record, y float64, stall time.Duration, parts map[string]*series) {
	bar := func(phase string, from, to time.Duration) {
		if to > from {
			parts[phase].points = append(parts[phase].points, point{from.Seconds(), y}, point{to.Seconds(), y})
		}
	}
	sent, end := r.Sent.Or(0), r.End.Or(0)
	if scheduled, ok := r.Scheduled.Get(); ok {
		bar("queue", scheduled, sent)
	}
	first, streamed := r.FirstContent()
	switch {
	case r.Outcome != llmbench.OK:
		bar("failed", sent, end)
	case !streamed:
		bar("whole reply", sent, end)
	default:
		bar("prefill", sent, first)
		bar("decode", first, end)
		previous := first
		for _, chunk := range r.Chunks {
			if chunk.Content() {
				if chunk.At-previous >= stall {
					bar("stall", previous, chunk.At)
				}
				previous = chunk.At
			}
		}
	}
}

// stallFrom is the shortest gap that counts as a stall.
func (t *timeline) stallFrom() time.Duration {
	median := t.result.Stats(llmbench.ICL).Quantile(0.5).Or(0)
	return max(time.Duration(stallFactor*median*1e6), leastStall)
}

// chosenLanes are the requests that get a lane, in the order of their send, and
// how many there were to choose from.
func (t *timeline) chosenLanes() (chosen []*llmbench.Record, total int) {
	var all []*llmbench.Record
	for i := range t.requests {
		if r := t.requests[i].Record; r.Sent.Ok() && r.End.Ok() {
			all = append(all, r)
		}
	}
	bySend := func(a, b *llmbench.Record) int { return cmp.Compare(a.Sent.Or(0), b.Sent.Or(0)) }
	slices.SortStableFunc(all, bySend)
	if len(all) <= maxLanes {
		return all, len(all)
	}
	taken := map[*llmbench.Record]bool{}
	for i := range maxLanes - worstLanes {
		taken[all[i*len(all)/(maxLanes-worstLanes)]] = true
	}
	slowest := slices.Clone(all)
	slices.SortStableFunc(slowest, func(a, b *llmbench.Record) int { return cmp.Compare(felt(b), felt(a)) })
	for _, r := range slowest {
		if len(taken) == maxLanes {
			break
		}
		taken[r] = true
	}
	for _, r := range all {
		if taken[r] {
			chosen = append(chosen, r)
		}
	}
	return chosen, len(all)
}

// slowestRows is how many requests the table behind the lanes has.
const slowestRows = 20

// slowestTable tells the slowest requests of those that have a lane.
func slowestTable(chosen []*llmbench.Record) table {
	t := table{head: []string{"slowest requests", "outcome", "from schedule", "queue", "to first token", "longest gap"}}
	slowest := slices.Clone(chosen)
	slices.SortStableFunc(slowest, func(a, b *llmbench.Record) int { return cmp.Compare(felt(b), felt(a)) })
	for _, r := range slowest[:min(slowestRows, len(slowest))] {
		row := []string{short(r.ID), string(r.Outcome), tidy(felt(r)).String(), tidy(max(r.Sent.Or(0)-r.Scheduled.Or(r.Sent.Or(0)), 0)).String(), "", ""}
		if first, ok := r.FirstContent(); ok {
			row[4] = tidy(first - r.Sent.Or(0)).String()
		}
		if gap := llmbench.MaxStall.AppendSamples(nil, r); len(gap) > 0 {
			row[5] = tidy(time.Duration(gap[0] * 1e6)).String()
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// felt is how long the user waited, from the schedule where it is known.
func felt(r *llmbench.Record) time.Duration {
	return r.End.Or(0) - min(r.Scheduled.Or(r.Sent.Or(0)), r.Sent.Or(0))
}

// laneMarks number the lanes, about ten of them.
func laneMarks(n int) []plot.Tick {
	var marks []plot.Tick
	for _, tick := range evenTicks(0, float64(max(n-1, 1)), 8) {
		if tick.Value == float64(int(tick.Value)) {
			marks = append(marks, plot.Tick{Value: tick.Value, Label: fmt.Sprintf("%g", tick.Value+1)})
		}
	}
	return marks
}
