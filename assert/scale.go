package assert

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// precise is the number of significant digits a text shows. Three tell 1 %
// apart everywhere, and nobody reads a fourth.
const precise = 3

// amount prints a value of a metric with its unit, scaled: 14.6k tok/s, 5.00ms,
// 44.5%. Values of unit ms are printed as durations.
func amount(value float64, unit string) string { return amountTo(precise, value, unit) }

func amountTo(digits int, value float64, unit string) string {
	switch unit {
	case "ms":
		return durationTo(digits, value*1e6)
	case "s":
		return durationTo(digits, value*1e9)
	case "%":
		return figure(digits, value) + "%"
	case "":
		return scaled(digits, value)
	case "requests", "tokens", "users":
		if value == math.Trunc(value) && math.Abs(value) < 1000 {
			return plural(int(value), strings.TrimSuffix(unit, "s")) // a count has no decimals
		}
	}
	return scaled(digits, value) + " " + unit
}

// apart prints what was observed and what was wanted, with as many digits as
// they need to look different: "is 150ms, want at most 150ms" helps nobody.
func apart(observed, wanted float64, unit string) (string, string) {
	for digits := precise; digits <= 12; digits++ {
		a, b := amountTo(digits, observed, unit), amountTo(digits, wanted, unit)
		if a != b || same(observed, wanted) {
			return a, amountTo(digits, wanted, unit)
		}
	}
	return fmt.Sprintf("%v %s", observed, unit), fmt.Sprintf("%v %s", wanted, unit) // spans of minutes have no more digits
}

// duration prints a span: 850ns, 250µs, 5.00ms, 1.03s, 20m34s.
func duration(d time.Duration) string { return durationTo(precise, float64(d)) }

// instant prints a moment of the run to the millisecond: 15.001s.
func instant(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

func durationTo(digits int, ns float64) string {
	size := math.Abs(ns)
	switch {
	case math.IsNaN(ns) || math.IsInf(ns, 0):
		return figure(digits, ns)
	case ns == 0:
		return "0s"
	case roundsBelow(digits, size, 1e3):
		return strconv.FormatFloat(ns, 'f', -1, 64) + "ns"
	case roundsBelow(digits, size, 1e6):
		return figure(digits, ns/1e3) + "µs"
	case roundsBelow(digits, size, 1e9):
		return figure(digits, ns/1e6) + "ms"
	case size < 1000e9:
		return figure(digits, ns/1e9) + "s"
	}
	return time.Duration(ns).Round(time.Second).String()
}

// share prints a fraction as a percentage: 0.445 is 44.5%.
func share(fraction float64) string { return figure(precise, 100*fraction) + "%" }

// scaled prints a value with k, M or G behind it: 14.6k.
func scaled(digits int, v float64) string {
	size := math.Abs(v)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return figure(digits, v)
	}
	for _, step := range []struct {
		factor float64
		prefix string
	}{{1, ""}, {1e3, "k"}, {1e6, "M"}} {
		if roundsBelow(digits, size, 1000*step.factor) {
			return figure(digits, v/step.factor) + step.prefix
		}
	}
	return figure(digits, v/1e9) + "G"
}

// roundsBelow reports whether the value is still under the bound when it has
// been rounded to so many digits: 999.7 is not under 1000 at three.
func roundsBelow(digits int, v, bound float64) bool {
	return v < bound && round(digits, v) < bound
}

// round rounds to so many significant digits.
func round(digits int, v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}

// figure prints a value with so many significant digits and no exponent: 1.03,
// 44.5, 120, 0.00123. Digits before the point are never rounded away.
func figure(digits int, v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return "unbounded"
	case v == 0:
		return "0"
	}
	exponent := int(math.Floor(math.Log10(math.Abs(round(digits, v)))))
	return strconv.FormatFloat(v, 'f', max(digits-1-exponent, 0), 64)
}
