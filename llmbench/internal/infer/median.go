package infer

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// An Interval is a figure and the range it lies in. An end is infinite
// where the sample is too small to bound it.
type Interval struct{ Center, Lo, Hi float64 }

// Median is the median of a sample and its interval by order statistics, as
// benchstat computes both: at 95 % it takes 6 values to bound it. The sample
// must not be empty; confidence is in (0,1).
func Median(values []float64, confidence float64) Interval {
	// NewSample sorts what it is given.
	sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	s := benchmath.AssumeNothing.Summary(sample, confidence)
	return Interval{s.Center, s.Lo, s.Hi}
}

// middle is the median of values, which it sorts.
func middle(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return values[n/2-1] + (values[n/2]-values[n/2-1])/2
}

// Variation is the robust coefficient of variation of a sample: 1.4826 times
// the median distance from the median, over the median. It is 0 where the
// median is 0, or fewer than two values are there.
func Variation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	center := middle(slices.Clone(values))
	if center == 0 {
		return 0
	}
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - center)
	}
	return 1.4826 * middle(away) / math.Abs(center)
}

// ToTell is how many runs a side have a chance of four in five to tell a
// relative change apart from noise of the given coefficient of variation, at
// level alpha after Holm's correction over so many tests: n = 2·(z(α/2m) +
// z(0.8))²·(cv/change)²·π/3, the sample size of a two-sample z test over the
// rank test's efficiency of 3/π. At least Needed; change must not be 0.
func ToTell(change, cv, alpha float64, tests int) int {
	z := normalQuantile(1-alpha/float64(2*tests)) + normalQuantile(0.8)
	n := 2 * z * z * (cv / change) * (cv / change) * math.Pi / 3
	return max(int(math.Ceil(n)), Needed(alpha, tests))
}

// normalQuantile is the standard normal's quantile.
func normalQuantile(q float64) float64 { return math.Sqrt2 * math.Erfinv(2*q-1) }
