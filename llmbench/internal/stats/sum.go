package stats

import (
	"math"
	"math/bits"
)

// A Sum adds floats and keeps what rounding loses (Neumaier's variant of
// Kahan's sum), so that the result of millions of additions is exact to a few
// units in the last place whatever their order. The zero value is 0.
type Sum struct{ hi, lo float64 }

// Add adds x.
func (s *Sum) Add(x float64) {
	t := s.hi + x
	if math.Abs(s.hi) >= math.Abs(x) {
		s.lo += (s.hi - t) + x
	} else {
		s.lo += (x - t) + s.hi
	}
	s.hi = t
}

// Value returns the sum.
func (s *Sum) Value() float64 { return s.hi + s.lo }

// MeanStd returns mean and population standard deviation of v; both are NaN
// for an empty v. Equal samples give a deviation of exactly 0.
func MeanStd(v []float64) (mean, std float64) {
	var sum, dev Sum
	equal := true
	for _, x := range v {
		sum.Add(x)
		equal = equal && x == v[0]
	}
	if equal && len(v) > 0 {
		return v[0], 0
	}
	n := float64(len(v))
	mean = sum.Value() / n
	for _, x := range v {
		dev.Add((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(dev.Value() / n)
}

// MeanStdInts is [MeanStd] for non-negative integers, summed exactly.
func MeanStdInts(v []int64) (mean, std float64) {
	var hi, lo, carry uint64
	equal := true
	for _, x := range v {
		lo, carry = bits.Add64(lo, uint64(x), 0)
		hi += carry
		equal = equal && x == v[0]
	}
	if equal && len(v) > 0 {
		return float64(v[0]), 0
	}
	n := float64(len(v))
	mean = (float64(hi)*(1<<32)*(1<<32) + float64(lo)) / n
	var dev Sum
	for _, x := range v {
		d := float64(x) - mean
		dev.Add(d * d)
	}
	return mean, math.Sqrt(dev.Value() / n)
}
