package report

import (
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/internal/figure"
)

// wideColumns and narrowColumns are how many columns a long curve is drawn in:
// about one per pixel of the two pictures.
const (
	wideColumns   = 800
	narrowColumns = 280
)

// A timeline draws what happened over the run's clock.
type timeline struct {
	result *llmbench.Result
	// requests are the window's, without those of a comparison's overlays.
	requests []request
	spans    map[llmbench.Metric][]llmbench.Span
	x        axis
}

func newTimeline(r *llmbench.Result) *timeline {
	return &timeline{
		result: r, requests: requestsOf(r), spans: r.Spans(wideColumns),
		x: axis{label: "time since the start of the run (s)", unit: "s", min: r.Window.From.Seconds(), max: r.Window.To.Seconds()},
	}
}

// charts are the pictures of the curves, without those that no request feeds.
func (t *timeline) charts() []*chart {
	var all []*chart
	for _, c := range []*chart{
		t.concurrency(),
		t.throughput("prefill", "Prefill throughput", llmbench.EffectivePrefillThroughput, llmbench.ActivePrefillThroughput, 1),
		t.throughput("decode", "Decode throughput", llmbench.EffectiveDecodeThroughput, llmbench.ActiveDecodeThroughput, 2),
		t.tokens(),
		t.arrivals(),
	} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

func (t *timeline) chart(id, title, label, unit string) *chart {
	return &chart{id: id, title: title, clock: true, x: t.x, y: axis{label: label, unit: unit}}
}

// add draws one curve into the chart.
func (t *timeline) add(c *chart, m llmbench.Metric, name string, color int, fill bool) {
	spans := t.spans[m]
	if len(spans) == 0 {
		return
	}
	c.series = append(c.series, curve(spans, name, color, fill)...)
	c.narrow = append(c.narrow, curve(rebin(spans, narrowColumns), name, color, fill)...)
	highest := c.y.max / headroom
	for _, s := range spans {
		highest = max(highest, s.High)
	}
	c.y = from0(c.y.label, c.y.unit, highest)
	c.note = drawnAs(spans)
	c.table.add(t.result.Stats(m))
}

// level adds a horizontal line at the metric's mean.
func (t *timeline) level(c *chart, m llmbench.Metric, as mark, name string, color int) {
	mean, ok := t.result.Stats(m).Mean().Get()
	if !ok {
		return
	}
	s := series{name: fmt.Sprintf("%s, %s", name, figure.Brief(mean, m.Unit())), mark: as, color: color, points: []point{{0, mean}}}
	c.series, c.narrow = append(c.series, s), append(c.narrow, s)
	c.table.add(t.result.Stats(m))
}

func (t *timeline) concurrency() *chart {
	c := t.chart("concurrency", "Requests in flight", "requests", "requests")
	t.add(c, llmbench.EffectiveConcurrency, "all", 0, true)
	t.add(c, llmbench.EffectiveDecodeConcurrency, "in decode", 2, false)
	t.add(c, llmbench.EffectivePrefillConcurrency, "in prefill", 1, false)
	return c.orNil()
}

func (t *timeline) throughput(id, title string, effective, active llmbench.Metric, color int) *chart {
	c := t.chart(id, title, "tokens per second", "tok/s")
	t.add(c, effective, "throughput", color, true)
	t.level(c, effective, level, "effective average, idle time included", 3)
	t.level(c, active, dashed, "active average, only while busy", 4)
	return c.orNil()
}

func (t *timeline) tokens() *chart {
	c := t.chart("tokens", "Tokens in flight", "tokens", "tokens")
	t.add(c, llmbench.TokensInFlight, "prompt and reply tokens held by requests in flight", 5, true)
	return c.orNil()
}

func (c *chart) orNil() *chart {
	if len(c.series) == 0 {
		return nil
	}
	return c
}

// drawnAs says how honest the picture is.
func drawnAs(spans []llmbench.Span) string {
	if exact(spans) {
		return "Drawn step by step, exact."
	}
	return fmt.Sprintf("Drawn in %d columns of %v each (%d on a narrow page): the line is the mean of a column, the band its lowest and highest value.",
		len(spans), tidy(spans[0].To-spans[0].From), narrowColumns)
}

func exact(spans []llmbench.Span) bool {
	for _, s := range spans {
		if s.Low != s.High {
			return false
		}
	}
	return true
}

// curve draws spans: as steps where they are such, else as a line of means in
// a band of extremes.
func curve(spans []llmbench.Span, name string, color int, fill bool) []series {
	var all []series
	main := series{name: name, mark: line, color: color}
	if exact(spans) {
		main.mark = steps
		for _, s := range spans {
			main.points = append(main.points, point{s.From.Seconds(), s.Mean})
		}
		last := spans[len(spans)-1]
		main.points = append(main.points, point{last.To.Seconds(), last.Mean})
		if fill {
			all = append(all, series{name: name, mark: area, color: color, quiet: true, points: stairs(spans)})
		}
		return append(all, main)
	}
	band := series{name: name, mark: area, color: color, quiet: true}
	for _, s := range spans {
		x := (s.From + s.To).Seconds() / 2
		band.points = append(band.points, point{x, s.High})
		band.low = append(band.low, s.Low)
		main.points = append(main.points, point{x, s.Mean})
	}
	return append(all, band, main)
}

// stairs are the corners of the steps.
func stairs(spans []llmbench.Span) []point {
	var corners []point
	for _, s := range spans {
		corners = append(corners, point{s.From.Seconds(), s.Mean}, point{s.To.Seconds(), s.Mean})
	}
	return corners
}

// rebin makes so many columns of spans, or leaves fewer of them as they are.
func rebin(spans []llmbench.Span, columns int) []llmbench.Span {
	if len(spans) <= columns {
		return spans
	}
	return binned(spans, columns)
}

// binned puts spans that cover a stretch without a gap into columns of equal
// width, each with its extremes and its mean.
func binned(spans []llmbench.Span, columns int) []llmbench.Span {
	if len(spans) == 0 {
		return nil
	}
	from, length := spans[0].From, spans[len(spans)-1].To-spans[0].From
	out := make([]llmbench.Span, columns)
	next := 0
	for i := range out {
		c := &out[i]
		c.From = from + time.Duration(float64(length)*float64(i)/float64(columns))
		c.To = from + time.Duration(float64(length)*float64(i+1)/float64(columns))
		if i == columns-1 {
			c.To = from + length
		}
		for spans[next].To <= c.From && next < len(spans)-1 {
			next++
		}
		c.Low, c.High = spans[next].Low, spans[next].High
		for _, s := range spans[next:] {
			if s.From >= c.To {
				break
			}
			c.Low, c.High = min(c.Low, s.Low), max(c.High, s.High)
			c.Mean += s.Mean * float64(min(s.To, c.To)-max(s.From, c.From)) / float64(max(c.To-c.From, 1))
		}
	}
	return out
}
