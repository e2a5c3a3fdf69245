package stats

import (
	"math"
	"sort"
)

// A Piece is a value that held for a while; Weight is how long, and positive.
type Piece struct {
	Value  float64
	Weight int64
}

// A Weighted is a sample of values that each carry a weight: for a step
// function of time, how long it stood at the value. Make one with
// [NewWeighted]; it does not change afterwards.
type Weighted struct {
	pieces    []Piece // by value, Weight running: the weight at or below it
	zero      int64   // weight at value 0 beside the pieces
	mean, std float64
}

// NewWeighted takes over pieces, sorts them by value and sums them up.
// Values must not be NaN.
func NewWeighted(pieces []Piece) *Weighted {
	SortBy(pieces, func(p Piece) uint64 { return floatKey(p.Value) })
	w := &Weighted{}
	if len(pieces) == 0 {
		return w
	}
	w.mean, w.std = momentsOf(pieces)
	last := 0
	for _, p := range pieces[1:] {
		if p.Value == pieces[last].Value {
			pieces[last].Weight += p.Weight
			continue
		}
		last++
		pieces[last] = Piece{p.Value, pieces[last-1].Weight + p.Weight}
	}
	w.pieces = pieces[:last+1]
	return w
}

func momentsOf(sorted []Piece) (mean, std float64) {
	if sorted[0].Value == sorted[len(sorted)-1].Value {
		return sorted[0].Value, 0
	}
	var sum, dev Sum
	var total int64
	for _, p := range sorted {
		sum.Add(p.Value * float64(p.Weight))
		total += p.Weight
	}
	mean = sum.Value() / float64(total)
	for _, p := range sorted {
		d := p.Value - mean
		dev.Add(d * d * float64(p.Weight))
	}
	return mean, math.Sqrt(dev.Value() / float64(total))
}

// WithZero returns the sample with more weight at value 0, which no value of w
// may be below. The two share their pieces.
func (w *Weighted) WithZero(weight int64) *Weighted {
	if weight == 0 {
		return w
	}
	more := &Weighted{pieces: w.pieces, zero: w.zero + weight}
	more.mean, more.std = diluted(w.mean, w.std, float64(w.Total()), float64(w.Total()+weight))
	return more
}

// diluted are mean and deviation of a sample whose weight grows from before to
// after by weight at value 0.
func diluted(mean, std, before, after float64) (float64, float64) {
	less := mean * (before / after)
	shift := mean - less
	return less, math.Sqrt((before*(std*std+shift*shift) + (after-before)*less*less) / after)
}

// Total is the sum of the weights; 0 means that there is no sample, and none
// of the other figures exists.
func (w *Weighted) Total() int64 {
	if len(w.pieces) == 0 {
		return w.zero
	}
	return w.zero + w.pieces[len(w.pieces)-1].Weight
}

// Mean is the weighted mean.
func (w *Weighted) Mean() float64 { return w.mean }

// Std is the weighted population standard deviation.
func (w *Weighted) Std() float64 { return w.std }

// Min is the smallest value.
func (w *Weighted) Min() float64 {
	if w.zero > 0 {
		return 0
	}
	return w.pieces[0].Value
}

// Max is the largest value.
func (w *Weighted) Max() float64 {
	if len(w.pieces) == 0 {
		return 0
	}
	return w.pieces[len(w.pieces)-1].Value
}

// Quantile is the smallest value with at least the share q of the weight at or
// below it, for q in [0,1]; no interpolation. It knows every q, so ok is true.
func (w *Weighted) Quantile(q float64) (value float64, ok bool) {
	need := Rank(w.Total(), q) - w.zero
	if need <= 0 {
		return 0, true
	}
	i := sort.Search(len(w.pieces), func(i int) bool { return w.pieces[i].Weight >= need })
	return w.pieces[i].Value, true
}
