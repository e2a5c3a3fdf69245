package dialect

import (
	"math"
	"slices"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/internal/stats"
)

// A Sample is a sorted sample of one quantity. The zero value is empty, and all
// its figures are absent.
type Sample struct {
	sorted    []float64
	mean, std float64
}

func newSample(values []float64) Sample {
	if len(values) == 0 {
		return Sample{}
	}
	new(stats.Sorter).Floats(values)
	mean, std := stats.MeanStd(values)
	return Sample{values, mean, std}
}

// Len is the number of values.
func (s Sample) Len() int { return len(s.sorted) }

// Mean is the mean.
func (s Sample) Mean() llmbench.Known[float64] { return s.known(s.mean) }

// Std is the population standard deviation, as numpy has it.
func (s Sample) Std() llmbench.Known[float64] { return s.known(s.std) }

// Quantile interpolates linearly, as numpy does; absent unless q is in [0,1].
func (s Sample) Quantile(q float64) llmbench.Known[float64] {
	if len(s.sorted) == 0 || math.IsNaN(q) || q < 0 || q > 1 {
		return llmbench.Known[float64]{}
	}
	i, frac := stats.Linear(len(s.sorted), q)
	if frac == 0 {
		return llmbench.Is(s.sorted[i])
	}
	return llmbench.Is(s.sorted[i] + frac*(s.sorted[i+1]-s.sorted[i]))
}

func (s Sample) known(v float64) llmbench.Known[float64] {
	if len(s.sorted) == 0 {
		return llmbench.Known[float64]{}
	}
	return llmbench.Is(v)
}

// nonZero reports whether any value is not 0.
func nonZero(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v != 0 })
}

// over is a/b, absent where b is 0.
func over(a, b float64) llmbench.Known[float64] {
	if b == 0 {
		return llmbench.Known[float64]{}
	}
	return llmbench.Is(a / b)
}
