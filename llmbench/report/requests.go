package report

import (
	"fmt"
	"slices"

	"github.com/llmbench/go/llmbench"
)

// maxDots is how many dots a picture has at most; more would hide one another
// and make the page heavy.
const maxDots = 2400

// dotColumns is how many columns thinned dots stand in, each with up to four.
const dotColumns = maxDots / 4

// latencies draws one latency of every request over time, from its send and
// from its schedule, with the failures marked.
func (t *timeline) latencies(id, title string, service, planned llmbench.Metric) *chart {
	c := t.chart(id, title, "milliseconds", "ms")
	var sent, scheduled, failed []point
	for i := range t.requests {
		r := &t.requests[i]
		at, wasSent := r.Sent.Get()
		if r.Outcome.Failed() && wasSent {
			failed = append(failed, point{at.Seconds(), 0})
			continue
		}
		if v, ok := r.latency(service).Get(); ok {
			sent = append(sent, point{at.Seconds(), v})
		}
		if v, ok := r.latency(planned).Get(); ok {
			scheduled = append(scheduled, point{r.Scheduled.Or(0).Seconds(), v})
		}
	}
	if len(sent)+len(scheduled)+len(failed) == 0 {
		return nil
	}
	c.y = heightAxis(sent, scheduled)
	for i := range failed {
		failed[i].y = c.y.below()
	}
	n := len(sent)
	c.series = []series{
		{name: "from schedule, at its scheduled instant", mark: dots, color: 1, points: thinned(scheduled, t.result.Window)},
		{name: "from send, at its send", mark: dots, color: 0, points: thinned(sent, t.result.Window)},
		{name: fmt.Sprintf("%d failed, at the upper edge", len(failed)), mark: dots, color: 6, points: thinned(failed, t.result.Window)},
	}
	c.note = fmt.Sprintf("One dot per request and clock, %d requests.", n)
	if n > maxDots {
		c.note = fmt.Sprintf("%d requests in %d columns of time: of each column the lowest, the median and the two highest.", n, dotColumns)
	}
	c.table.add(t.result.Stats(service))
	c.table.add(t.result.Stats(planned))
	return c
}

// heightAxis is from 0, or logarithmic where the values span more than a factor
// of 50: the small ones would be a line on the floor.
func heightAxis(all ...[]point) axis {
	lowest, highest := 0.0, 0.0
	for _, points := range all {
		for _, p := range points {
			if p.y > 0 && (lowest == 0 || p.y < lowest) {
				lowest = p.y
			}
			highest = max(highest, p.y)
		}
	}
	if lowest > 0 && highest > 50*lowest {
		return logAxis(logLabel, "ms", lowest, highest)
	}
	return from0("milliseconds", "ms", highest)
}

// thinned keeps all points where they are few, and else of each column of time
// the lowest, the median and the two highest: what goes wrong is at the top.
func thinned(points []point, w llmbench.Window) []point {
	if len(points) <= maxDots {
		return points
	}
	columns := make([][]point, dotColumns)
	for _, p := range points {
		share := (p.x - w.From.Seconds()) / w.Length().Seconds()
		i := min(max(int(share*dotColumns), 0), dotColumns-1)
		columns[i] = append(columns[i], p)
	}
	var kept []point
	for _, column := range columns {
		slices.SortFunc(column, func(a, b point) int {
			switch {
			case a.y < b.y:
				return -1
			case a.y > b.y:
				return 1
			}
			return 0
		})
		for i, p := range column {
			if n := len(column); i == 0 || i == n/2 || i >= n-2 {
				kept = append(kept, p)
			}
		}
	}
	return kept
}
