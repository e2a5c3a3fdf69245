package infer

import (
	"math"
	"math/rand/v2"
	"slices"
)

// resamples of a bootstrap: the ends of a 95 % interval are then known to 2 % of its
// width (the standard error of the 2.5 % point of a normal sample of 1000).
const resamples = 1000

// RatioOfMedians is median(b)/median(a), with a percentile bootstrap interval
// of the given confidence: both samples are drawn anew, independently. The same
// seed gives the same interval. All values must be positive.
func RatioOfMedians(a, b []float64, confidence float64, seed uint64) Interval {
	draw := newDraw(seed)
	center := middle(slices.Clone(b)) / middle(slices.Clone(a))
	return percentiles(center, confidence, func() float64 {
		return middle(draw.again(b)) / middle(draw.again(a))
	})
}

// MedianOfRatios is the median of b[i]/a[i] with a bootstrap interval over the
// pairs. The samples are of one length, and all values positive.
func MedianOfRatios(a, b []float64, confidence float64, seed uint64) Interval {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = b[i] / a[i]
	}
	draw := newDraw(seed)
	return percentiles(middle(slices.Clone(ratios)), confidence, func() float64 {
		return middle(draw.again(ratios))
	})
}

func percentiles(center, confidence float64, once func() float64) Interval {
	all := make([]float64, resamples)
	for i := range all {
		all[i] = once()
	}
	slices.Sort(all)
	cut := int(math.Floor((1 - confidence) / 2 * resamples))
	return Interval{center, all[cut], all[resamples-1-cut]}
}

// draw takes samples with replacement.
type draw struct {
	*rand.Rand
	spare []float64
}

func newDraw(seed uint64) *draw { return &draw{Rand: rand.New(rand.NewPCG(seed, resamples))} }

// again returns a sample of the same size; it is valid until the next call.
func (d *draw) again(values []float64) []float64 {
	d.spare = d.spare[:0]
	for range values {
		d.spare = append(d.spare, values[d.IntN(len(values))])
	}
	return d.spare
}
