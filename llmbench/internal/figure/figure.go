// Package figure writes numbers for people: units that fit the value, digits
// that a reader can take in. It knows units by their names and nothing else.
package figure

import (
	"math"
	"strconv"
	"strings"
)

// A Scale is how the values of one table row are shown: divided by per, in
// unit. The largest value decides, so that a row has one unit.
type Scale struct {
	Unit  string
	per   float64
	whole bool // counts of things, without decimals where all are whole
}

// step is a unit that takes over from the largest value on.
type step struct {
	from float64
	unit string
	per  float64
}

// steps are the units a value may be shown in, by the unit it is stored in, the
// smallest first. Milliseconds and plain rates stay for as long as a column of
// ten digits can hold them: people compare with other tools' tables, which never
// scale.
var steps = map[string][]step{
	"ms":         {{0, "us", 1e-3}, {0.1, "ms", 1}, {1e5, "s", 1e3}},
	"tok/s":      {{0, "tok/s", 1}, {1e6, "k tok/s", 1e3}, {1e9, "M tok/s", 1e6}},
	"tok/s/user": {{0, "tok/s/user", 1}, {1e6, "k tok/s/user", 1e3}, {1e9, "M tok/s/user", 1e6}},
	"B":          {{0, "B", 1}, {1e4, "kB", 1e3}, {1e7, "MB", 1e6}, {1e10, "GB", 1e9}},
}

var wholeUnits = map[string]bool{"requests": true, "tokens": true, "connections": true, "B": true}

// ScaleOf chooses the scale for the values of one row, which are in the unit.
func ScaleOf(unit string, values ...float64) Scale {
	chosen := Scale{Unit: unit, per: 1, whole: wholeUnits[unit]}
	largest := 0.0
	for _, value := range values {
		value = math.Abs(value)
		largest = max(largest, value)
		chosen.whole = chosen.whole && value == math.Trunc(value)
	}
	for i, s := range steps[unit] {
		if largest >= s.from && (i > 0 || largest > 0) {
			chosen.Unit, chosen.per = s.unit, s.per
		}
	}
	chosen.whole = chosen.whole && chosen.per == 1
	return chosen
}

// Format prints a value with two decimals and thousands in threes. One that two
// decimals would make a zero of has three significant digits.
func (s Scale) Format(value float64) string {
	value /= s.per
	switch {
	case s.whole:
		return threes(strconv.FormatFloat(value, 'f', 0, 64))
	case value != 0 && math.Abs(value) < 0.01:
		return strconv.FormatFloat(value, 'g', 3, 64)
	}
	return threes(strconv.FormatFloat(value, 'f', 2, 64))
}

// threes puts a comma between the thousands.
func threes(text string) string {
	digits := strings.IndexByte(text, '.')
	if digits < 0 {
		digits = len(text)
	}
	for i := digits - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Brief prints one value with its unit for a sentence: three significant
// digits, scaled: 5.00ms, 1.17s, 14.6k tok/s.
func Brief(value float64, unit string) string {
	size := math.Abs(rounded(value)) // 999.6 is shown as 1000, so it has the scale of 1000
	switch {
	case unit == "ms" && value != 0 && size < 1:
		return Significant(value*1e3) + "us"
	case unit == "ms" && size >= 1000:
		return Significant(value/1e3) + "s"
	case unit == "ms" || unit == "s" || unit == "%":
		return Significant(value) + unit
	case wholeUnits[unit] && value == math.Trunc(value):
		return threes(strconv.FormatFloat(value, 'f', 0, 64)) + " " + unit
	}
	suffix := ""
	for _, s := range []struct {
		per  float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if size >= s.per {
			value, suffix = value/s.per, s.name
			break
		}
	}
	return strings.TrimSpace(Significant(value) + suffix + " " + unit)
}

// Significant prints three significant digits, and all digits left of the point;
// an exponent only below a millionth.
func Significant(value float64) string {
	switch size := math.Abs(value); {
	case size == 0:
		return "0"
	case size < 1e-6:
		return strconv.FormatFloat(value, 'g', 3, 64)
	default:
		decimals := 2 - int(math.Floor(math.Log10(math.Abs(rounded(value)))))
		return strconv.FormatFloat(value, 'f', max(decimals, 0), 64)
	}
}

// rounded is the value at three significant digits: 9.996 has a digit more before
// the point than it seems. NaN and the infinities stay what they are.
func rounded(value float64) float64 {
	three, err := strconv.ParseFloat(strconv.FormatFloat(value, 'e', 2, 64), 64)
	if err != nil {
		return value // beyond the largest number when rounded up
	}
	return three
}
