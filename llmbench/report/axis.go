package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// An axis is one side of a chart: its range in the unit of the label, and how
// its marks are placed and named.
type axis struct {
	label    string
	min, max float64
	log      bool
	// marks are fixed ticks; nil places them evenly on round numbers.
	marks []plot.Tick
	// unit is what a value read off the picture is followed by.
	unit string
}

// headroom is how far an axis goes above the largest value.
const headroom = 1.06

// from0 is an axis from 0 to a little above the largest value, so that a line at
// its top is not the frame.
func from0(label, unit string, largest float64) axis {
	if largest <= 0 {
		largest = 1
	}
	return axis{label: label, unit: unit, max: largest * headroom}
}

// valueAxis is logarithmic over positive values that span more than a factor of
// 3; a narrower range fills a plain axis, where a log axis would have two marks.
func valueAxis(smallest, largest float64) axis {
	if largest > 3*smallest {
		return logAxis("milliseconds, logarithmic", "ms", smallest, largest)
	}
	room := max((largest-smallest)*0.08, largest*0.01)
	return axis{label: "milliseconds", unit: "ms", min: smallest - room, max: largest + room}
}

// logLabel is short: the library centres an upright name at the linear middle of
// a logarithmic axis, high up, and makes room for what would stand out there.
const logLabel = "ms (log)"

// logAxis is an axis over whole steps of 1, 2, 5 times powers of ten around the
// positive values; all values equal still span a range.
func logAxis(label, unit string, smallest, largest float64) axis {
	if smallest <= 0 || largest < smallest {
		smallest, largest = 1, 10
	}
	low, high := roundDown(smallest), roundDown(largest)
	for high < largest*1.0001 || high <= low {
		high = roundUp(high)
	}
	return axis{label: label, unit: unit, min: low, max: high, log: true}
}

// roundDown is the largest 1, 2 or 5 times a power of ten that is at most v.
func roundDown(v float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{5, 2} {
		if m*ten <= v {
			return m * ten
		}
	}
	return ten
}

// roundUp is the round number after the round number v.
func roundUp(v float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(v*1.0001)))
	switch m := v / ten; {
	case m < 1.5:
		return 2 * ten
	case m < 3:
		return 5 * ten
	}
	return 10 * ten
}

// below is a value just under the axis' end, where a mark is seen whole.
func (a axis) below() float64 {
	const share = 0.98
	if a.log {
		return a.min * math.Pow(a.max/a.min, share)
	}
	return a.min + share*(a.max-a.min)
}

// apply sets up the library's axis.
func (a axis) apply(to *plot.Axis, count int) {
	to.Label.Text, to.Min, to.Max, to.Padding = a.label, a.min, a.max, 0
	to.Tick.Marker = a.ticker(count)
	if a.log {
		to.Scale = plot.LogScale{}
	}
}

func (a axis) ticker(count int) plot.Ticker {
	switch {
	case a.marks != nil:
		return plot.ConstantTicks(a.marks)
	case a.log:
		return ticker(func(low, high float64) []plot.Tick { return logTicks(low, high, count) })
	}
	return ticker(func(low, high float64) []plot.Tick { return evenTicks(low, high, count) })
}

// ticker is a function that places marks.
type ticker func(low, high float64) []plot.Tick

func (f ticker) Ticks(low, high float64) []plot.Tick { return f(low, high) }

// evenTicks marks about count round numbers.
func evenTicks(low, high float64, count int) []plot.Tick {
	step := roundDown((high - low) / float64(count))
	for (high-low)/step > float64(count) {
		step = roundUp(step)
	}
	var ticks []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: number(i * step)})
	}
	return ticks
}

// logTicks marks 1, 2 and 5 of each decade, and names only the decades where
// there are many.
func logTicks(low, high float64, count int) []plot.Tick {
	var ticks []plot.Tick
	for v := low; v <= high*1.0001; v = roundUp(v) {
		ticks = append(ticks, plot.Tick{Value: v, Label: number(v)})
	}
	if len(ticks) <= count {
		return ticks
	}
	for i := range ticks {
		if decade := math.Log10(ticks[i].Value); math.Abs(decade-math.Round(decade)) > 1e-6 {
			ticks[i].Label = ""
		}
	}
	return ticks
}

// number names a mark: 0.5, 20, 2k, 1.5M.
func number(v float64) string {
	if v == 0 { // minus zero too
		return "0"
	}
	for _, s := range []struct {
		per  float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= s.per*0.99999 {
			return strconv.FormatFloat(v/s.per, 'g', 4, 64) + s.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
