package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"

	"github.com/llmbench/go/llmbench"
)

// curvePoints is how many points a drawn distribution has at most.
const curvePoints = 600

// A clocked latency is one metric from the send and from the schedule. Where the
// client held requests back the two part, and what lies between them is what a
// load generator hides that starts its clock at the send.
type clocked struct {
	id, title        string
	service, planned llmbench.Metric
}

var clockedLatencies = []clocked{
	{"ttft", "Time to first token", llmbench.TTFT, llmbench.EffectiveTTFT},
	{"latency", "Request latency", llmbench.RequestLatency, llmbench.EffectiveLatency},
}

// A sample is a sorted sample with its name in the legend.
type sample struct {
	name   string
	color  int
	values []float64
}

func sampleOf(requests []request, m llmbench.Metric, name string, color int) sample {
	s := sample{name: name, color: color, values: make([]float64, 0, len(requests))}
	for i := range requests {
		if v, ok := requests[i].latency(m).Get(); ok {
			s.values = append(s.values, v)
		}
	}
	return s.sorted()
}

func (s sample) sorted() sample {
	slices.Sort(s.values)
	return s
}

// distributions draws each clocked latency as a cumulative share and by
// percentile.
func (t *timeline) distributions() []*chart {
	var all []*chart
	for _, c := range clockedLatencies {
		var table table
		table.add(t.result.Stats(c.service))
		table.add(t.result.Stats(c.planned))
		all = append(all, distributionCharts(c.id, c.title, table,
			sampleOf(t.requests, c.planned, "from schedule", 1), sampleOf(t.requests, c.service, "from send", 0))...)
	}
	return all
}

// distributionCharts are the two pictures of some samples over each other.
func distributionCharts(id, title string, table table, samples ...sample) []*chart {
	lowest, highest := math.Inf(1), 0.0
	for _, s := range samples {
		if len(s.values) > 0 {
			highest = max(highest, s.values[len(s.values)-1])
			if i, _ := slices.BinarySearch(s.values, math.SmallestNonzeroFloat64); i < len(s.values) {
				lowest = min(lowest, s.values[i])
			}
		}
	}
	if highest <= 0 {
		return nil
	}
	x := valueAxis(lowest, highest)
	cdf := &chart{id: id + "-cdf", title: title + ", share of requests", x: x, table: table,
		y: axis{label: "share of requests at or below", unit: "%", max: 100}, note: thinning(samples)}
	by := &chart{id: id + "-percentiles", title: title + " by percentile", x: percentileAxis(), table: table,
		y: from0("milliseconds", "ms", highest), note: thinning(samples)}
	if highest > 50*lowest {
		by.y = logAxis(logLabel, "ms", lowest, highest)
	}
	for _, s := range samples {
		cdf.series = append(cdf.series, series{name: s.name, mark: steps, color: s.color, points: s.shares(x)})
		by.series = append(by.series, series{name: s.name, mark: steps, color: s.color, points: s.percentiles(by.y)})
	}
	return []*chart{cdf, by}
}

func thinning(samples []sample) string {
	n := 0
	for _, s := range samples {
		n = max(n, len(s.values))
	}
	if n <= curvePoints {
		return fmt.Sprintf("Every one of %d requests is a step.", n)
	}
	return fmt.Sprintf("%d requests, drawn at %d ranks; the slowest tenth has half of them.", n, curvePoints)
}

// ranks are the ranks that are drawn: all, or half of them evenly over the
// sample and half over its slowest tenth, the last one always.
func (s sample) ranks() []int {
	n := len(s.values)
	var ranks []int
	if n <= curvePoints {
		for i := range n {
			ranks = append(ranks, i)
		}
		return ranks
	}
	half := curvePoints / 2
	for i := range half {
		ranks = append(ranks, int(float64(n)*0.9*float64(i)/float64(half)))
	}
	for i := range half {
		ranks = append(ranks, n-1-int(float64(n)*0.1*float64(half-1-i)/float64(half)))
	}
	return slices.Compact(ranks)
}

// shares is the cumulative distribution: at a value the share of samples at or
// below it, in per cent. A zero lies on the left edge of a logarithmic axis.
func (s sample) shares(x axis) []point {
	var points []point
	for _, i := range s.ranks() {
		points = append(points, point{max(s.values[i], x.min), 100 * float64(i+1) / float64(len(s.values))})
	}
	if len(points) == 0 {
		return nil
	}
	points = append([]point{{points[0].x, 0}}, points...)
	return append(points, point{x.max, 100})
}

// tail is the last percentile drawn.
const tail = 0.999

// percentiles is the value at each percentile up to the 99.9th. The axis gives
// each further nine the same room.
func (s sample) percentiles(y axis) []point {
	n := float64(len(s.values))
	var points []point
	for _, i := range s.ranks() {
		// Value i is the quantile of every q in (i/n, (i+1)/n].
		if q := float64(i) / n; q < tail {
			points = append(points, point{nines(q), max(s.values[i], y.min)})
		}
	}
	if len(points) == 0 {
		return nil
	}
	return append(points, point{nines(tail), points[len(points)-1].y})
}

func nines(q float64) float64 { return -math.Log10(1 - q) }

func percentileAxis() axis {
	a := axis{label: "percentile of requests", unit: "percentile", max: nines(tail)}
	for _, q := range []float64{0, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999} {
		a.marks = append(a.marks, plot.Tick{Value: nines(q), Label: fmt.Sprintf("p%g", 100*q)})
	}
	return a
}
