package llmbench

import (
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// A Rate is a number of requests per second.
type Rate float64

// String prints the rate with its unit: "40 req/s".
func (r Rate) String() string { return fmt.Sprintf("%.4g req/s", float64(r)) }

// check returns what is wrong with the rate of the arrivals so named.
func (r Rate) check(name string) error {
	if !(r > 0) { // NaN too
		return fmt.Errorf("Arrivals: %s rate is %v, want > 0 req/s", name, float64(r))
	}
	return nil
}

// Arrivals say when requests come. [Closed] is a loop of users who wait for
// their replies; all others are open loops, whose requests come whatever the
// server does. The set is closed: its values come from this package.
type Arrivals interface {
	// String describes the arrivals as reports print them.
	String() string
	// Users is the number of users of a closed loop, and 0 for an open one.
	Users() int
	// Rate is the mean rate of an open loop, and 0 for a closed one.
	Rate() Rate
	// check returns what is wrong, worded "Field is value, want ...".
	check() error
	// times yields the arrival instants of an open loop, in order and without
	// end, from an instant of 0 on.
	times(*draw.Stream) iter.Seq[time.Duration]
}

// Closed is a closed loop of so many users: each sends its next request when
// its last reply has ended. The server sets the pace, so a closed loop cannot
// show what users feel when it is slow.
func Closed(users int) Arrivals { return closed{users} }

type closed struct{ users int }

func (c closed) String() string {
	if c.users == 1 {
		return "closed loop, 1 user"
	}
	return fmt.Sprintf("closed loop, %d users", c.users)
}

func (c closed) Users() int { return c.users }
func (closed) Rate() Rate   { return 0 }

func (c closed) check() error {
	if c.users < 1 {
		return fmt.Errorf("Arrivals: Closed users is %d, want >= 1", c.users)
	}
	return nil
}

func (closed) times(*draw.Stream) iter.Seq[time.Duration] {
	return func(func(time.Duration) bool) {}
}

// Constant is an open loop with equal gaps: request k comes at k/rate. An
// infinite rate sends all requests at once and needs Profile.Requests.
func Constant(rate Rate) Arrivals { return constant{rate} }

type constant struct{ rate Rate }

func (c constant) String() string { return fmt.Sprintf("constant %v", c.rate) }
func (constant) Users() int       { return 0 }
func (c constant) Rate() Rate     { return c.rate }
func (c constant) check() error   { return c.rate.check("Constant") }

// times multiplies for every arrival, as adding gaps would add up their
// rounding: at 30 req/s a gap is no whole number of nanoseconds.
func (c constant) times(*draw.Stream) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for k := 0; yield(instant(float64(k) / float64(c.rate))); k++ {
		}
	}
}

// Poisson is an open loop of independent users at a mean rate: gaps are
// exponential, and the first request comes at 0.
func Poisson(rate Rate) Arrivals { return poisson{rate} }

type poisson struct{ rate Rate }

func (p poisson) String() string { return fmt.Sprintf("Poisson %v", p.rate) }
func (poisson) Users() int       { return 0 }
func (p poisson) Rate() Rate     { return p.rate }
func (p poisson) check() error   { return p.rate.check("Poisson") }

func (p poisson) times(s *draw.Stream) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		at := 0.0
		for yield(instant(at)) {
			at += s.Exp() / float64(p.rate)
		}
	}
}

// instant turns seconds into a Duration, to the nearest nanosecond; what is
// beyond the range of Duration becomes its end.
func instant(seconds float64) time.Duration {
	ns := math.Round(seconds * 1e9)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}
