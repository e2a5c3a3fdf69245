package llmbench

import (
	"maps"
	"math"

	"github.com/llmbench/go/llmbench/internal/stats"
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
	quantile       func(q float64) Known[float64] // q is in [0,1]
	order          func(i int) float64            // sorted samples of a distribution
	failures       int                            // requests beside the samples that failed
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
	return s.quantile(q)
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
	s.quantile = func(q float64) Known[float64] { return Is(v.quantile(q)) }
	s.order = v.at
}

// SamplesFor is the least number of independent samples that carries the
// quantile q at the given confidence: from it on the extreme sample lies beyond
// the true quantile with that confidence. 299 for p99 at 95 %. It is 0 unless
// both arguments lie in (0,1).
func SamplesFor(q, confidence float64) int {
	if !inside(q) || !inside(confidence) {
		return 0
	}
	return stats.SamplesFor(q, confidence)
}

// inside reports whether x lies in (0,1); NaN does not.
func inside(x float64) bool { return x > 0 && x < 1 }

// Carries reports whether there are enough samples for quantile q at 95 %
// confidence, see [SamplesFor]. Curves and single numbers have no independent
// samples to count and carry no quantile.
func (s Stats) Carries(q float64) bool {
	return s.order != nil && inside(q) && s.n >= SamplesFor(q, 0.95)
}

// Interval is the confidence interval of quantile q by order statistics, which
// holds whatever the distribution: the two samples between which the true
// quantile lies with at least the given confidence, if samples are independent.
// Each side is absent where n is too small to bound it. Both are absent for
// curves and single numbers, and unless both arguments lie in (0,1).
func (s Stats) Interval(q, confidence float64) (low, high Known[float64]) {
	if s.order == nil || !inside(q) || !inside(confidence) {
		return low, high
	}
	l, h := stats.Interval(s.n, q, confidence)
	if l >= 1 {
		low = Is(s.order(l - 1))
	}
	if h <= s.n {
		high = Is(s.order(h - 1))
	}
	return low, high
}

// WithFailures is the adj view of a latency: each failed request is one more
// sample, infinitely late, and quantiles go by nearest rank. What would be
// infinite is absent: the mean and the maximum as soon as one request failed,
// and a quantile that falls on a failure. It exists for per-request metrics of
// which less is better.
func (s Stats) WithFailures() Stats {
	if s.metric.Kind() != PerRequest || s.metric.Better() != Lower {
		return Stats{metric: s.metric, absent: "failures are infinite latencies, and the metric is none"}
	}
	if s.n+s.failures == 0 {
		return s
	}
	adj := Stats{metric: s.metric, n: s.n + s.failures, requests: s.requests + s.failures, low: s.low, leftOut: s.leftOut}
	if s.failures == 0 {
		adj.mean, adj.std, adj.high = s.mean, s.std, s.high
	}
	adj.quantile = func(q float64) Known[float64] {
		i := stats.Nearest(adj.n, q)
		if i >= s.n {
			return Known[float64]{}
		}
		return Is(s.order(i))
	}
	return adj
}
