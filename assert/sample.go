package assert

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/llmbench/go/llmbench"
)

// A sample is what a claim on a distribution judges: the values of the ok
// requests in ascending order, and the failed requests, each beyond every limit.
type sample struct {
	metric llmbench.Metric
	values []float64
	failed int
	// under puts the failures below all values, as 0, and not above: for a rate
	// of which more is better.
	under bool
	mean  float64 // of the values
	least float64 // the lowest value as it was measured
	// unknown counts requests without the input tokens that perToken needs.
	unknown int
	// independent is how many independent values tell as much as these.
	independent int
}

// An order says how a sample is taken.
type order struct {
	okOnly bool // leaves failures out
	under  bool
	// perToken is taken off each value per input token of its request.
	perToken time.Duration
}

// sampleOf collects the sample of a metric.
func sampleOf(m llmbench.Metric, r *llmbench.Result, o order) sample {
	s := sample{metric: m, under: o.under, least: math.Inf(1)}
	if !o.okOnly {
		s.failed = r.Counts.Failed()
	}
	series := make([]float64, 0, r.Stats(m).N())
	for _, record := range bySend(r) {
		from := len(series)
		series = m.AppendSamples(series, record)
		if len(series) == from {
			continue
		}
		s.least = min(s.least, slices.Min(series[from:]))
		if o.perToken > 0 {
			isl := llmbench.ISL.AppendSamples(nil, record)
			if len(isl) == 0 {
				series = series[:from]
				s.unknown++
				continue
			}
			series[from] -= isl[0] * llmbench.Millis(o.perToken)
		}
	}
	s.independent = independent(series)
	s.values = series
	slices.Sort(s.values)
	for _, v := range s.values {
		s.mean += v / float64(len(s.values))
	}
	if o.perToken == 0 {
		s.mean = r.Stats(m).Mean().Or(math.NaN()) // the very figure that tables show
	}
	return s
}

// bySend are the requests in the order in which they were sent, so that the
// order of the records means nothing.
func bySend(r *llmbench.Result) []*llmbench.Record {
	records := slices.Collect(r.Requests())
	slices.SortStableFunc(records, func(a, b *llmbench.Record) int {
		return cmp.Or(cmp.Compare(a.Sent.Or(-1), b.Sent.Or(-1)), cmp.Compare(a.ID, b.ID))
	})
	return records
}

// n counts the failures too.
func (s sample) n() int { return len(s.values) + s.failed }

// at is the sample of a rank from 0, failures in their place.
func (s sample) at(rank int) float64 {
	if s.under {
		if rank < s.failed {
			return 0
		}
		return s.values[rank-s.failed]
	}
	if rank >= len(s.values) {
		return math.Inf(1)
	}
	return s.values[max(rank, 0)]
}

// over counts the samples that are not within a limit, failures included.
func (s sample) over(l limit) int {
	return s.n() - sort.Search(len(s.values), func(i int) bool { return !l.within(s.values[i]) })
}

// observed is a statistic of the sample. With failures a quantile goes by
// nearest rank, as there is nothing to interpolate towards infinity.
func (s sample) observed(of statistic) float64 {
	switch {
	case of.q == ofMin:
		return s.at(0)
	case of.q == ofMax:
		return s.at(s.n() - 1)
	case of.q == ofMean && s.failed == 0:
		return s.mean
	case of.q == ofMean && s.under:
		return s.mean * float64(len(s.values)) / float64(s.n())
	case of.q == ofMean:
		return math.Inf(1)
	case s.failed > 0:
		return s.at(nearest(s.n(), of.q))
	}
	return linear(s.values, of.q)
}

// nearest is the rank from 0 of quantile q: the least sample that at least the
// share q of all does not exceed. The grain keeps 0.95 * 100 at 95.
func nearest(n int, q float64) int {
	return max(int(math.Ceil(q*float64(n)-grain)), 1) - 1
}

// linear is quantile q by linear interpolation, h = q(n-1), as Stats has it.
func linear(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := int(h)
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// independent is how many independent values tell as much about the mean as a
// series in order of time, by batch means (Law and Kelton): where neighbours are
// alike, the means of batches spread more than n says. It is n for a series
// that is too short to tell.
func independent(series []float64) int {
	n := len(series)
	batches := int(math.Sqrt(float64(n)))
	if batches < 6 {
		return n
	}
	size := n / batches
	var means []float64
	for b := range batches {
		m, _ := moments(series[b*size : (b+1)*size])
		means = append(means, m)
	}
	_, all := moments(series)
	_, between := moments(means)
	if all == 0 || between == 0 {
		return n
	}
	return int(math.Round(min(float64(n), max(1, float64(batches)*all/between))))
}

// moments are the mean and the variance.
func moments(v []float64) (mean, variance float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, variance
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
