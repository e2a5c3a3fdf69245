package llmbench

import (
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// Ramp is an open loop whose rate goes from one value to another in a straight
// line over the time given, and then stays there: Ramp(5, time.Minute, 50). It
// may start or end at 0; at 0 no more requests come. Gaps are even on the scale
// of the rate, [Bursty] makes them random. The first request comes at 0.
func Ramp(from Rate, over time.Duration, to Rate) Arrivals {
	return ramp{from: from, to: to, over: over}
}

// RampExponential is Ramp with a rate that grows or falls by the same factor in
// equal times. Both rates must be above 0.
func RampExponential(from Rate, over time.Duration, to Rate) Arrivals {
	return ramp{from: from, to: to, over: over, exponential: true}
}

type ramp struct {
	openLoop
	from, to    Rate
	over        time.Duration
	exponential bool
}

func (r ramp) String() string {
	kind := "ramp"
	if r.exponential {
		kind = "exponential ramp"
	}
	return fmt.Sprintf("%s %.4g to %v over %v", kind, float64(r.from), r.to, r.over)
}

// Rate is the expected number of requests of the ramp over its time.
func (r ramp) Rate() Rate { return Rate(r.total() / r.over.Seconds()) }

// length is the time of the ramp when it ends at 0: nothing comes after it.
func (r ramp) length() Known[time.Duration] {
	if r.to == 0 {
		return Is(r.over)
	}
	return Known[time.Duration]{}
}

func (r ramp) check() error {
	least, want := 0.0, ">= 0 and finite"
	name := "Ramp"
	if r.exponential {
		least, want, name = math.SmallestNonzeroFloat64, "> 0 and finite", "RampExponential"
	}
	for _, end := range []struct {
		word string
		rate Rate
	}{{"first", r.from}, {"last", r.to}} {
		if !(float64(end.rate) >= least) || math.IsInf(float64(end.rate), 1) {
			return wrong("Arrivals:", "%s %s rate is %v, want %s req/s", name, end.word, float64(end.rate), want)
		}
	}
	switch {
	case r.over <= 0:
		return wrong("Arrivals:", "%s time is %v, want > 0", name, r.over)
	case r.from == 0 && r.to == 0:
		return wrong("Arrivals:", "%s rates are both 0, want one of them > 0", name)
	}
	return nil
}

func (r ramp) times(*draw.Stream) iter.Seq[time.Duration] { return evenly(r) }

// total is the expected number of requests of the climb: the area under it.
func (r ramp) total() float64 {
	from, to, over := float64(r.from), float64(r.to), r.over.Seconds()
	if r.exponential && from != to {
		return float64((to-from)*over) / draw.Log(to/from)
	}
	return float64((from + to) / 2 * over)
}

// at inverts the area under the rate.
func (r ramp) at(n float64) (float64, bool) {
	if n == 0 {
		return 0, true
	}
	if past := n - r.total(); past >= 0 {
		if r.to == 0 {
			return 0, false
		}
		return r.over.Seconds() + past/float64(r.to), true
	}
	if r.exponential {
		return r.exponentialAt(n), true
	}
	return r.linearAt(n), true
}

// linearAt solves from·t + ½·slope·t² = n in the form that loses no digits when
// the slope is small: t = 2n/(from + √(from² + 2·slope·n)).
func (r ramp) linearAt(n float64) float64 {
	from := float64(r.from)
	slope := (float64(r.to) - from) / r.over.Seconds()
	under := float64(from*from) + float64(2*slope*n)
	return 2 * n / (from + math.Sqrt(max(under, 0)))
}

// exponentialAt solves from·(e^(g·t) − 1)/g = n, with g = ln(to/from)/over.
func (r ramp) exponentialAt(n float64) float64 {
	from, to := float64(r.from), float64(r.to)
	if from == to {
		return n / from
	}
	growth := draw.Log(to/from) / r.over.Seconds()
	return draw.Log(1+float64(n*growth)/from) / growth
}
