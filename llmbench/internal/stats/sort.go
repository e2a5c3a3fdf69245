package stats

import (
	"math"
	"slices"
)

// Below radixFrom elements a comparison sort wins: one radix pass costs a sweep
// over 2048 counters, whatever the input. Measured at 600-900 on one core of
// the CI machine.
const radixFrom = 1024

const (
	digitBits = 11
	digits    = 1 << digitBits
)

// A Sorter sorts one slice after another with one scratch array; it takes O(n)
// for large ones. The zero value is ready.
type Sorter struct {
	ints   []int64
	floats []float64
}

// Ints sorts ascending.
func (s *Sorter) Ints(v []int64) {
	if len(v) < radixFrom {
		slices.Sort(v)
		return
	}
	if len(s.ints) < len(v) {
		s.ints = make([]int64, len(v))
	}
	radix(v, s.ints[:len(v)], func(x int64) uint64 { return uint64(x) ^ 1<<63 })
}

// Floats sorts ascending; NaN must not occur.
func (s *Sorter) Floats(v []float64) {
	if len(v) < radixFrom {
		slices.Sort(v)
		return
	}
	if len(s.floats) < len(v) {
		s.floats = make([]float64, len(v))
	}
	radix(v, s.floats[:len(v)], floatKey)
}

// SortBy sorts ascending by an unsigned key, stably. Cost as of a [Sorter].
func SortBy[T any](v []T, key func(T) uint64) {
	if len(v) < radixFrom {
		slices.SortStableFunc(v, func(a, b T) int {
			switch x, y := key(a), key(b); {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		return
	}
	radix(v, make([]T, len(v)), key)
}

// floatKey maps a float to an integer of the same order: the bits of a
// non-negative float rise with it, those of a negative one fall.
func floatKey(x float64) uint64 {
	b := math.Float64bits(x)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// radix is a least-significant-digit radix sort. Digits in which all keys
// agree are passed over, which for instants of one run leaves three or four of
// six.
func radix[T any](v, spare []T, key func(T) uint64) {
	var differ uint64
	first := key(v[0])
	for _, x := range v {
		differ |= key(x) ^ first
	}
	from, to := v, spare
	for shift := 0; shift < 64; shift += digitBits {
		if differ>>shift&(digits-1) == 0 {
			continue
		}
		var at [digits]int
		for _, x := range from {
			at[key(x)>>shift&(digits-1)]++
		}
		sum := 0
		for d, n := range at {
			at[d], sum = sum, sum+n
		}
		for _, x := range from {
			d := key(x) >> shift & (digits - 1)
			to[at[d]] = x
			at[d]++
		}
		from, to = to, from
	}
	if &from[0] != &v[0] {
		copy(v, from)
	}
}
