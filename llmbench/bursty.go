package llmbench

import (
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// Gamma is an open loop at a mean rate whose gaps have a gamma distribution:
// shape 1 is [Poisson], below 1 is burstier (the coefficient of variation of
// the gaps is 1/√shape: 0.25 gives 2), above 1 is smoother. The first request
// comes at 0. It is what vLLM's benchmark calls burstiness.
func Gamma(rate Rate, shape float64) Arrivals {
	return bursty{arrivals: constant{rate: rate}, shape: shape, name: "Gamma"}
}

// Bursty spaces the arrivals of a loop with even gaps ([Constant], [Ramp],
// [RampExponential]) at random around the same rate: gaps as [Gamma] has them,
// stretched and shrunk by the rate of the moment. Shape 1 makes a ramp of
// independent users, a Poisson process whose rate changes.
func Bursty(arrivals Arrivals, shape float64) Arrivals {
	return bursty{arrivals: orNoLoad(arrivals), shape: shape, name: "Bursty"}
}

// An even loop has a rate for every moment. Its clock runs in requests: at is
// when the expected number of requests reaches n, in seconds, or false when it
// never does. At n = 0 it is 0.
type even interface {
	Arrivals
	at(n float64) (float64, bool)
}

type bursty struct {
	openLoop
	arrivals Arrivals
	shape    float64
	name     string
}

func (b bursty) String() string {
	if c, ok := b.arrivals.(constant); ok {
		return fmt.Sprintf("gamma %v, shape %.4g", c.rate, b.shape)
	}
	if b.shape == 1 {
		return fmt.Sprintf("Poisson %v", b.arrivals)
	}
	return fmt.Sprintf("%v, gamma gaps of shape %.4g", b.arrivals, b.shape)
}

func (b bursty) Rate() Rate                   { return b.arrivals.Rate() }
func (b bursty) length() Known[time.Duration] { return b.arrivals.length() }

func (b bursty) check() error {
	if _, ok := b.arrivals.(even); !ok {
		return wrong("Arrivals:", "Bursty takes %v, want Constant, Ramp or RampExponential", b.arrivals)
	}
	if c, ok := b.arrivals.(constant); ok {
		if err := c.rate.check(b.name); err != nil {
			return err
		}
	} else if err := b.arrivals.check(); err != nil {
		return err
	}
	if !(b.shape > 0) || math.IsInf(b.shape, 1) {
		return wrong("Arrivals:", "%s shape is %v, want > 0 and finite; 1 is Poisson", b.name, b.shape)
	}
	return nil
}

// times walks the scale on which requests come at rate 1 and asks the loop when
// that is: the time change that turns a Poisson process into one whose rate
// moves.
func (b bursty) times(s *draw.Stream) iter.Seq[time.Duration] {
	loop := b.arrivals.(even)
	return func(yield func(time.Duration) bool) {
		n := 0.0
		for {
			at, ok := loop.at(n)
			if !ok || !yield(instant(at)) {
				return
			}
			n += s.Gamma(b.shape) / b.shape
		}
	}
}

// evenly are the instants of a loop with even gaps on its own clock.
func evenly(loop even) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for k := 0; ; k++ {
			at, ok := loop.at(float64(k))
			if !ok || !yield(instant(at)) {
				return
			}
		}
	}
}
