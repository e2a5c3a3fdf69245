package llmbench

import "github.com/llmbench/go/llmbench/internal/stats"

// sample collects one metric's values, in whole nanoseconds or counts where
// the formula gives such, else in the metric's unit.
type sample struct {
	metric *row
	whole  []int64
	real   []float64
	// requests is how many requests gave a value: of a pooled metric fewer than
	// there are values.
	requests int
	left     leftOut
}

// expected is how much the samples will hold at most.
type expected struct{ requests, gaps int }

// add takes the request's value, or counts the reason why it has none. The
// sample makes room for all that is expected once it has one.
func (s *sample) add(f *facts, expected expected) {
	var why reason
	switch {
	case s.metric.span != nil:
		var v int64
		if v, why = s.metric.span(f); why == present {
			if s.whole == nil {
				s.whole = make([]int64, 0, expected.requests)
			}
			s.whole = append(s.whole, v)
		}
	case s.metric.ratio != nil:
		var v float64
		if v, why = s.metric.ratio(f); why == present {
			if s.real == nil {
				s.real = make([]float64, 0, expected.requests)
			}
			s.real = append(s.real, v)
		}
	default:
		why = s.addGaps(f, expected.gaps)
	}
	if why != present {
		s.left[why]++
		return
	}
	s.requests++
}

// addGaps takes the gaps between the chunks that bound them.
func (s *sample) addGaps(f *facts, expected int) reason {
	switch {
	case f.timing != present:
		return f.timing
	case !f.record.Streamed:
		return notStreamed
	case f.record.Sparse:
		return sparseChunks
	}
	if s.whole == nil {
		s.whole = make([]int64, 0, expected)
	}
	bounds, previous := 0, int64(0)
	for i := range f.record.Chunks {
		c := &f.record.Chunks[i]
		if !s.metric.gaps(*c) {
			continue
		}
		if bounds++; bounds > 1 {
			s.whole = append(s.whole, int64(c.At)-previous)
		}
		previous = int64(c.At)
	}
	if bounds < 2 {
		return s.metric.tooFew
	}
	return present
}

// stats sorts the values and sums them up; the sample must not be used again.
func (s *sample) stats(ok int, sorter *stats.Sorter) Stats {
	st := Stats{metric: Metric{s.metric}, requests: s.requests, leftOut: s.left.byText()}
	switch {
	case len(s.whole) > 0:
		st.fill(wholeSorted(s.whole, s.metric.unit, sorter))
	case len(s.real) > 0:
		st.fill(realSorted(s.real, sorter))
	case ok == 0:
		st.absent = noOK
	default:
		st.absent = s.left.main().String()
	}
	return st
}

// sorted is a sorted sample: n values, of which at gives the i-th in the
// metric's unit.
type sorted struct {
	n         int
	at        func(i int) float64
	mean, std float64
}

func wholeSorted(v []int64, unit string, sorter *stats.Sorter) sorted {
	per := perUnit(unit)
	sorter.Ints(v)
	mean, std := stats.MeanStdInts(v)
	return sorted{len(v), func(i int) float64 { return float64(v[i]) / per }, mean / per, std / per}
}

func realSorted(v []float64, sorter *stats.Sorter) sorted {
	sorter.Floats(v)
	mean, std := stats.MeanStd(v)
	return sorted{len(v), func(i int) float64 { return v[i] }, mean, std}
}

// quantile interpolates linearly, h = q(n-1).
func (s sorted) quantile(q float64) float64 {
	i, frac := stats.Linear(s.n, q)
	if frac == 0 {
		return s.at(i)
	}
	return s.at(i) + frac*(s.at(i+1)-s.at(i))
}
