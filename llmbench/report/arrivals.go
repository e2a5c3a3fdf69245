package report

import (
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench"
)

// arrivals counts what was scheduled, sent and done per slice of the run. Where
// the sending falls behind the schedule, the two lines part.
func (t *timeline) arrivals() *chart {
	w := t.result.Window
	if w.Length() <= 0 {
		return nil
	}
	bins := binCount(w.Length())
	bin := w.Length() / time.Duration(bins)
	var scheduled, sent, done = make([]float64, bins), make([]float64, bins), make([]float64, bins)
	count := func(into []float64, at llmbench.Known[time.Duration]) {
		if v, ok := at.Get(); ok && v >= w.From && v <= w.To {
			into[min(int((v-w.From)/max(bin, 1)), bins-1)]++
		}
	}
	for r := range t.result.Requests() {
		count(scheduled, r.Scheduled)
		count(sent, r.Sent)
		if r.Outcome == llmbench.OK {
			count(done, r.End)
		}
	}
	c := t.chart("arrivals", "Offered and achieved rate", "requests per second", "req/s")
	c.note = fmt.Sprintf("Requests counted in slices of %v: wanted by the schedule, sent, and ended well. In a closed loop the users' readiness is the schedule.", tidy(bin))
	highest := 0.0
	for _, s := range []struct {
		name   string
		color  int
		counts []float64
	}{{"offered by the schedule", 0, scheduled}, {"sent", 1, sent}, {"done", 2, done}} {
		points, top := perSecond(s.counts, w, bin)
		highest = max(highest, top)
		c.series = append(c.series, series{name: s.name, mark: steps, color: s.color, points: points})
	}
	if highest == 0 {
		return nil
	}
	c.y = from0(c.y.label, c.y.unit, highest)
	c.table.add(t.result.Stats(llmbench.OfferedRate))
	c.table.add(t.result.Stats(llmbench.AchievedRate))
	c.table.add(t.result.Stats(llmbench.RequestThroughput))
	return c
}

// perSecond turns counts into steps.
func perSecond(counts []float64, w llmbench.Window, bin time.Duration) (points []point, highest float64) {
	if sum(counts) == 0 {
		return nil, 0
	}
	for i, n := range counts {
		rate := n / bin.Seconds()
		highest = max(highest, rate)
		points = append(points, point{(w.From + time.Duration(i)*bin).Seconds(), rate})
	}
	return append(points, point{w.To.Seconds(), points[len(points)-1].y}), highest
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

// binCount is how many slices of equal width, close to a round one, a run has:
// 30 to 75. A slice that is shorter than the others would show a peak of its own.
func binCount(length time.Duration) int {
	width := roundUp(roundDown(length.Seconds() / 75))
	return max(int(length.Seconds()/width+0.5), 1)
}

// tidy rounds a duration to a reader's four digits.
func tidy(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 10_000 {
		unit *= 10
	}
	return d.Round(unit)
}
