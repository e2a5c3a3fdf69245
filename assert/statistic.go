package assert

import (
	"strconv"
	"strings"
)

// A statistic is what a limit applies to.
type statistic struct {
	field string  // as the Go field is called: P99
	name  string  // as texts have it after a metric: " p99", empty for the mean
	q     float64 // the quantile, or one of the three below
}

// No quantile has these.
const (
	ofMean = -1
	ofMin  = -2
	ofMax  = -3
)

var (
	mean = statistic{"Mean", "", ofMean}
	low  = statistic{"Min", " minimum", ofMin}
	high = statistic{"Max", " maximum", ofMax}
)

// pth is the statistic of a quantile; name is "p99", q 0.99.
func pth(name string, q float64) statistic {
	return statistic{"P" + strings.ReplaceAll(name[1:], ".", ""), " " + name, q}
}

// statNamed finds a statistic by the names that tools and people use for it:
// mean, avg, min, max, med, median, p99, p99.9, and k6's p(99).
func statNamed(name string) (statistic, bool) {
	switch name {
	case "mean", "avg":
		return mean, true
	case "min":
		return low, true
	case "max":
		return high, true
	case "med", "median":
		return pth("p50", 0.5), true
	}
	number, ok := strings.CutPrefix(name, "p")
	if !ok {
		return statistic{}, false
	}
	if inner, ok := strings.CutPrefix(number, "("); ok {
		if number, ok = strings.CutSuffix(inner, ")"); !ok {
			return statistic{}, false
		}
	}
	percent, err := strconv.ParseFloat(number, 64)
	if err != nil || !(percent > 0 && percent < 100) {
		return statistic{}, false
	}
	// The quotient of the decimal text, not of a float beside it.
	q, err := strconv.ParseFloat(number+"e-2", 64)
	if err != nil {
		return statistic{}, false
	}
	return pth("p"+strconv.FormatFloat(percent, 'f', -1, 64), q), true
}

// word is the statistic as people write it alone: "mean", "p99", "maximum".
func (s statistic) word() string {
	if s.q == ofMean {
		return "mean"
	}
	return strings.TrimSpace(s.name)
}
