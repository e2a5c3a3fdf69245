package mock

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Times is a distribution of spans of time. A Script draws from it with a
// source seeded per request.
type Times interface {
	// Draw returns one span; below 0 counts as 0.
	Draw(*rand.Rand) time.Duration
}

// TimesFunc makes a function a distribution.
type TimesFunc func(*rand.Rand) time.Duration

// Draw calls f.
func (f TimesFunc) Draw(r *rand.Rand) time.Duration { return f(r) }

// shape is a distribution with what there is to say about its parameters.
type shape struct {
	draw func(*rand.Rand) time.Duration
	err  error
}

func (s shape) Draw(r *rand.Rand) time.Duration { return s.draw(r) }
func (s shape) Validate() error                 { return s.err }

// Uniform is any span from least to most, all as likely.
func Uniform(least, most time.Duration) Times {
	return shape{
		draw: func(r *rand.Rand) time.Duration { return least + time.Duration(r.Int64N(int64(most-least)+1)) },
		err:  wantTimes("Uniform", least >= 0 && most >= least, "0 <= least <= most", least, most),
	}
}

// Normal has the given mean and standard deviation before what falls below 0 is
// taken as 0.
func Normal(mean, deviation time.Duration) Times {
	return shape{
		draw: func(r *rand.Rand) time.Duration {
			return mean + time.Duration(r.NormFloat64()*float64(deviation))
		},
		err: wantTimes("Normal", mean >= 0 && deviation >= 0, "both >= 0", mean, deviation),
	}
}

// Exponential has the given mean: times between events that know nothing of
// each other.
func Exponential(mean time.Duration) Times {
	return shape{
		draw: func(r *rand.Rand) time.Duration { return time.Duration(r.ExpFloat64() * float64(mean)) },
		err:  wantTimes("Exponential", mean >= 0, ">= 0", mean),
	}
}

// LogNormal has the given median; one standard deviation is a factor of
// exp(sigma). Latencies of real servers have such long tails.
func LogNormal(median time.Duration, sigma float64) Times {
	s := shape{
		draw: func(r *rand.Rand) time.Duration {
			return time.Duration(float64(median) * math.Exp(sigma*r.NormFloat64()))
		},
		err: wantTimes("LogNormal", median >= 0, "median >= 0", median),
	}
	if !(sigma >= 0) {
		s.err = fmt.Errorf("mock: LogNormal: sigma is %v, want >= 0", sigma)
	}
	return s
}

// wantTimes words what is wrong with the parameters of a distribution. It is told
// when the server starts, by Validate: a constructor has no error to return.
func wantTimes(name string, ok bool, want string, got ...time.Duration) error {
	if ok {
		return nil
	}
	return fmt.Errorf("mock: %s: the times are %v, want %s", name, got, want)
}
