package assert

import (
	"math"
	"slices"

	"github.com/llmbench/go/llmbench"
)

// A sample is what a claim on a distribution judges: the values of the ok
// requests in ascending order, and the failed requests, each over every limit.
type sample struct {
	metric llmbench.Metric
	values []float64
	failed int
	stats  llmbench.Stats
}

// sampleOf collects the sample of a metric; okOnly leaves failures out.
func sampleOf(m llmbench.Metric, r *llmbench.Result, okOnly bool) sample {
	s := sample{metric: m, stats: r.Stats(m), values: make([]float64, 0, r.Stats(m).N())}
	for record := range r.Requests() {
		s.values = m.AppendSamples(s.values, record)
	}
	slices.Sort(s.values)
	if !okOnly {
		s.failed = r.Counts.Failed()
	}
	return s
}

// n counts the failures too.
func (s sample) n() int { return len(s.values) + s.failed }

// at is the sample of a rank from 0; a failure is infinite.
func (s sample) at(rank int) float64 {
	if rank >= len(s.values) {
		return math.Inf(1)
	}
	return s.values[max(rank, 0)]
}

// over counts the samples above a limit.
func (s sample) over(limit float64) int {
	over, _ := slices.BinarySearchFunc(s.values, limit, func(v, limit float64) int {
		if v > limit {
			return 1
		}
		return -1
	})
	return s.n() - over
}

// observed is a statistic of the sample. With failures a quantile goes by
// nearest rank, as there is nothing to interpolate towards infinity.
func (s sample) observed(of statistic) float64 {
	if s.failed == 0 {
		return statisticOf(s.stats, of)
	}
	switch of.q {
	case ofMean, ofMax:
		return math.Inf(1)
	case ofMin:
		return s.at(0)
	}
	return s.at(nearest(s.n(), of.q))
}

// nearest is the rank from 0 of quantile q: the least sample that at least the
// share q of all does not exceed. The grain keeps 0.95 * 100 at 95.
func nearest(n int, q float64) int {
	const grain = 1e-9
	return max(int(math.Ceil(q*float64(n)-grain)), 1) - 1
}

// statisticOf reads a statistic; NaN where it is absent, which is never within
// a limit.
func statisticOf(st llmbench.Stats, of statistic) float64 {
	known := llmbench.Known[float64]{}
	switch of.q {
	case ofMean:
		known = st.Mean()
	case ofMin:
		known = st.Min()
	case ofMax:
		known = st.Max()
	default:
		known = st.Quantile(of.q)
	}
	return known.Or(math.NaN())
}

// noun is what one sample is.
func (s sample) noun() string {
	if s.metric.Kind() == llmbench.Pooled {
		return "gap"
	}
	return "request"
}
