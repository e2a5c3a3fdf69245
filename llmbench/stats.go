package llmbench

import (
	"maps"
	"math"
)

// Stats are the statistics of one metric over one window: of a distribution
// (one sample per request or gap), of a curve (weighted by time), or of a
// single number (the mean only). Values are in the metric's unit. What does
// not exist is absent, never 0 or NaN. A Stats does not change and is safe for
// concurrent use. The zero value is absent.
type Stats struct {
	metric         Metric
	n, requests    int
	mean           Known[float64]
	std, low, high Known[float64]
	quantile       func(q float64) float64
	absent         string
	leftOut        map[string]int
}

// Metric is the metric that the statistics are of.
func (s Stats) Metric() Metric { return s.metric }

// N is the number of samples: requests, gaps of a pooled metric, requests that
// feed a curve, or requests that a single number is made of.
func (s Stats) N() int { return s.n }

// Requests is the number of requests behind the samples.
func (s Stats) Requests() int { return s.requests }

// Mean is the mean, for a curve weighted by time; of a single number it is the
// number.
func (s Stats) Mean() Known[float64] { return s.mean }

// Std is the population standard deviation: 0 for one sample.
func (s Stats) Std() Known[float64] { return s.std }

// Min is the smallest value; of a curve the lowest height that held for longer
// than 0 ns.
func (s Stats) Min() Known[float64] { return s.low }

// Max is the largest value; of a curve the greatest height that held for
// longer than 0 ns.
func (s Stats) Max() Known[float64] { return s.high }

// Quantile is the quantile q in [0,1], 0.99 for p99; for another q, and for a
// single number, it is absent. Distributions interpolate linearly, h = q(n-1).
// A curve's quantile is the smallest height at or below which it stood for at
// least the share q of the time, without interpolation.
func (s Stats) Quantile(q float64) Known[float64] {
	if s.quantile == nil || math.IsNaN(q) || q < 0 || q > 1 {
		return Known[float64]{}
	}
	return Is(s.quantile(q))
}

// Absent says why there are no statistics; empty when there are.
func (s Stats) Absent() string { return s.absent }

// LeftOut counts the requests that gave no sample, by reason. The map is the
// caller's.
func (s Stats) LeftOut() map[string]int { return maps.Clone(s.leftOut) }

// fill takes the figures of a sorted sample, which must not be empty.
func (s *Stats) fill(v sorted) {
	s.n = v.n
	s.mean, s.std = Is(v.mean), Is(v.std)
	s.low, s.high = Is(v.at(0)), Is(v.at(v.n-1))
	s.quantile = v.quantile
}
