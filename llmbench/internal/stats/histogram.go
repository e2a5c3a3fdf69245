package stats

import (
	"math"
	"slices"
	"sort"
)

// Standard are the quantiles that every summary of a large sample knows.
var Standard = []float64{0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999}

// A Histogram is the first of two looks at a weighted sample of non-negative
// values that is too large to keep. It counts weights in 65,536 buckets, 1024 to
// each power of two, and sums up. The second look, a [Selection], keeps the few
// pieces that lie in the buckets of the quantiles, so that these are exact.
type Histogram struct {
	weights   []int64
	total     int64
	sum       Sum
	low, high float64
}

const (
	mantissaBits = 10
	// bucketCount covers 2^-20 to 2^44; what lies outside shares the bucket at
	// the end, which costs memory and not exactness.
	bucketCount = 64 << mantissaBits
	bucketBase  = (1023-20)<<mantissaBits - 1
)

// NewHistogram returns an empty one.
func NewHistogram() *Histogram {
	return &Histogram{weights: make([]int64, bucketCount), low: math.Inf(1)}
}

// bucket rises with the value; only 0 is in bucket 0.
func bucket(v float64) int {
	if v == 0 {
		return 0
	}
	b := int(math.Float64bits(v)>>(52-mantissaBits)) - bucketBase
	return min(max(b, 1), bucketCount-1)
}

// Add takes a piece; its weight must be positive.
func (h *Histogram) Add(p Piece) {
	h.weights[bucket(p.Value)] += p.Weight
	h.total += p.Weight
	h.sum.Add(p.Value * float64(p.Weight))
	h.low, h.high = min(h.low, p.Value), max(h.high, p.Value)
}

// Merge adds another histogram; merging parts in one order gives one result.
func (h *Histogram) Merge(other *Histogram) {
	for i, w := range other.weights {
		h.weights[i] += w
	}
	h.total += other.total
	h.sum.Add(other.sum.hi)
	h.sum.Add(other.sum.lo)
	h.low, h.high = min(h.low, other.low), max(h.high, other.high)
}

// mean is the weighted mean of the sample.
func (h *Histogram) mean() float64 {
	switch {
	case h.total == 0:
		return 0
	case h.low == h.high:
		return h.low
	}
	return h.sum.Value() / float64(h.total)
}

// A Plan says what the second look must keep: the buckets in which the standard
// quantiles lie, of the sample alone and of the sample with more weight at 0.
type Plan struct {
	h       *Histogram
	zero    int64
	targets []target
	keep    []bool // by bucket
}

// A target is a rank within the sample, and where its bucket begins.
type target struct {
	rank, below int64
	bucket      int
}

// Plan lays out the second look; zero is the weight at value 0 beside the
// sample.
func (h *Histogram) Plan(zero int64) *Plan {
	p := &Plan{h: h, zero: zero, keep: make([]bool, bucketCount)}
	if h.total == 0 {
		return p
	}
	for _, q := range Standard {
		p.aim(Rank(h.total, q))
		p.aim(Rank(h.total+zero, q) - zero)
	}
	sort.Slice(p.targets, func(i, j int) bool { return p.targets[i].rank < p.targets[j].rank })
	below, b := int64(0), 0
	for i := range p.targets {
		t := &p.targets[i]
		for below+h.weights[b] < t.rank {
			below += h.weights[b]
			b++
		}
		t.below, t.bucket = below, b
		p.keep[b] = true
	}
	return p
}

// aim adds a rank, unless it falls on the weight at 0 or is there already.
func (p *Plan) aim(rank int64) {
	if rank <= 0 {
		return
	}
	for _, t := range p.targets {
		if t.rank == rank {
			return
		}
	}
	p.targets = append(p.targets, target{rank: rank})
}

// A Selection is the second look at the pieces that a histogram saw. Several
// can look at parts.
type Selection struct {
	plan *Plan
	mean float64
	dev  Sum
	kept [][]Piece // in blocks, as growing one slice would copy it again and again
}

// blockSize is how many pieces a block of a selection holds.
const blockSize = 4096

// Select begins a second look.
func (p *Plan) Select() *Selection { return &Selection{plan: p, mean: p.h.mean()} }

// Add takes a piece.
func (s *Selection) Add(p Piece) {
	d := p.Value - s.mean
	s.dev.Add(d * d * float64(p.Weight))
	if s.plan.keep[bucket(p.Value)] {
		last := len(s.kept) - 1
		if last < 0 || len(s.kept[last]) == blockSize {
			s.kept = append(s.kept, make([]Piece, 0, blockSize))
			last++
		}
		s.kept[last] = append(s.kept[last], p)
	}
}

// Merge adds another look of the same plan; merging parts in one order gives
// one result.
func (s *Selection) Merge(other *Selection) {
	s.dev.Add(other.dev.hi)
	s.dev.Add(other.dev.lo)
	s.kept = append(s.kept, other.kept...)
}

// A Summary has the figures of a sample that was looked at twice.
type Summary struct {
	total               int64
	mean, std, low, top float64
	quantiles           []float64 // as Standard
}

// Summaries returns the figures of the sample alone, and of the sample with the
// plan's weight at 0.
func (s *Selection) Summaries() (alone, withZero *Summary) {
	h, zero := s.plan.h, s.plan.zero
	alone = &Summary{total: h.total}
	withZero = &Summary{total: h.total + zero, quantiles: make([]float64, len(Standard))}
	if h.total == 0 {
		return alone, withZero
	}
	at := s.values()
	for i, q := range Standard {
		alone.quantiles = append(alone.quantiles, at[Rank(h.total, q)])
		withZero.quantiles[i] = at[Rank(h.total+zero, q)-zero]
	}
	alone.mean, alone.low, alone.top = s.mean, h.low, h.high
	if h.low != h.high {
		alone.std = math.Sqrt(s.dev.Value() / float64(h.total))
	}
	withZero.mean, withZero.std = alone.mean, alone.std
	withZero.low, withZero.top = alone.low, alone.top
	if zero > 0 {
		withZero.low = 0
		withZero.mean, withZero.std = diluted(alone.mean, alone.std, float64(h.total), float64(h.total+zero))
	}
	return alone, withZero
}

// values are the sample's values at the ranks of the plan; a rank that falls on
// the weight at 0 reads as 0.
func (s *Selection) values() map[int64]float64 {
	kept := slices.Concat(s.kept...)
	SortBy(kept, func(p Piece) uint64 { return floatKey(p.Value) })
	at := map[int64]float64{}
	next, in, sum := 0, -1, int64(0)
	for _, p := range kept {
		b := bucket(p.Value)
		if b != in {
			in, sum = b, 0
		}
		sum += p.Weight
		for next < len(s.plan.targets) && s.plan.targets[next].bucket == b && s.plan.targets[next].rank-s.plan.targets[next].below <= sum {
			at[s.plan.targets[next].rank] = p.Value
			next++
		}
	}
	return at
}

// Summary keeps the figures of a sample and lets the sample go.
func (w *Weighted) Summary() *Summary {
	s := &Summary{total: w.Total(), mean: w.mean, std: w.std}
	if s.total == 0 {
		return s
	}
	s.low, s.top = w.Min(), w.Max()
	for _, q := range Standard {
		value, _ := w.Quantile(q)
		s.quantiles = append(s.quantiles, value)
	}
	return s
}

// Total is the sum of the weights.
func (s *Summary) Total() int64 { return s.total }

// Mean is the weighted mean.
func (s *Summary) Mean() float64 { return s.mean }

// Std is the weighted population standard deviation.
func (s *Summary) Std() float64 { return s.std }

// Min is the smallest value.
func (s *Summary) Min() float64 { return s.low }

// Max is the largest value.
func (s *Summary) Max() float64 { return s.top }

// Quantile is the quantile q if it is a standard one, the least or the greatest
// value; for others ok is false.
func (s *Summary) Quantile(q float64) (value float64, ok bool) {
	switch q {
	case 0:
		return s.low, true
	case 1:
		return s.top, true
	}
	i := sort.SearchFloat64s(Standard, q)
	if i == len(Standard) || Standard[i] != q || len(s.quantiles) == 0 {
		return 0, false
	}
	return s.quantiles[i], true
}
