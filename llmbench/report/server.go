package report

import (
	"fmt"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/internal/figure"
)

// gauge is one curve of what the server said of itself.
type gauge struct {
	name  string
	color int
	of    func(llmbench.ServerReading) llmbench.Known[float64]
}

// serverCharts lay the server's own queue and batch over the client's requests
// in flight, and show its cache, on the run's clock.
func (t *timeline) serverCharts() []*chart {
	side := t.result.ServerSide
	if side == nil || len(side.Readings) == 0 {
		return nil
	}
	requests := t.chart("server", "The server's batch and queue", "requests", "requests")
	t.add(requests, llmbench.EffectiveConcurrency, "in flight, by the client", 0, false)
	t.readings(requests, 1,
		gauge{"running, by the server", 2, func(s llmbench.ServerReading) llmbench.Known[float64] { return s.Running }},
		gauge{"waiting, by the server", 1, func(s llmbench.ServerReading) llmbench.Known[float64] { return s.Waiting }})
	cache := t.chart("kv", "The server's key-value cache", "share held", "%")
	t.readings(cache, 100, gauge{"held", 5, func(s llmbench.ServerReading) llmbench.Known[float64] { return s.KVUse }})
	note := fmt.Sprintf("%d readings of the server's metrics (%s); %d failed.", len(side.Readings), short(side.Engine), side.Missed)
	if side.Trouble != "" {
		note += " The last failure: " + short(side.Trouble)
	}
	requests.note, cache.note = note, note
	return []*chart{requests.orNil(), cache.orNil()}
}

// readings draws gauges, each value times scale, from one reading to the next.
// Readings from before and after the window are drawn at its edges.
func (t *timeline) readings(c *chart, scale float64, gauges ...gauge) {
	highest := c.y.max / headroom
	for _, g := range gauges {
		s := series{name: g.name, mark: steps, color: g.color}
		for _, reading := range t.result.ServerSide.Readings {
			if v, ok := g.of(reading).Get(); ok {
				x := min(max(reading.At.Seconds(), c.x.min), c.x.max)
				s.points = append(s.points, point{x, v * scale})
				highest = max(highest, v*scale)
			}
		}
		if len(s.points) > 0 {
			c.series = append(c.series, s)
			if c.narrow != nil {
				c.narrow = append(c.narrow, s)
			}
		}
	}
	c.y = from0(c.y.label, c.y.unit, highest)
}

// agreements hold our figures against the server's own.
func agreements(r *llmbench.Result) []titled {
	all := r.Agreements()
	if len(all) == 0 {
		return nil
	}
	t := grid{Head: []string{"figure", "ours", "the server's", "may differ by", "verdict"}}
	for _, a := range all {
		verdict := "agrees"
		if !a.Agrees() {
			verdict = "DISAGREES"
		}
		t.Rows = append(t.Rows, []string{label(a.What, a.Unit), plainNumber(a.Ours), plainNumber(a.Theirs), plainNumber(a.Room), verdict})
	}
	return []titled{{Title: "Ours and the server's own", Table: t}}
}

func plainNumber(v float64) string { return figure.ScaleOf("", v).Format(v) }
