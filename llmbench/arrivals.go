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
		return wrong("Arrivals:", "%s rate is %v, want > 0 req/s", name, float64(r))
	}
	return nil
}

// Arrivals say when requests come. [Closed] is a loop of users who wait for
// their replies; all others are open loops, whose requests come whatever the
// server does. The set is closed: its values come from this package.
type Arrivals interface {
	// String describes the arrivals as reports print them.
	String() string
	// Users is the number of users of a closed loop, the most at once where it
	// changes, and 0 for an open one.
	Users() int
	// Rate is the mean rate of an open loop, and 0 for a closed one. Of a ramp it
	// is the mean while it climbs or falls.
	Rate() Rate
	// check returns what is wrong, worded "Field is value, want ...".
	check() error
	// times yields the arrival instants of an open loop, in order, from an
	// instant of 0 on; without end where length is unknown.
	times(*draw.Stream) iter.Seq[time.Duration]
	// length is when the arrivals end by themselves; absent when they do not.
	length() Known[time.Duration]
}

// An endless loop goes on until Profile.Requests or Duration ends it.
type endless struct{}

func (endless) length() Known[time.Duration] { return Known[time.Duration]{} }

// An openLoop has no users.
type openLoop struct{}

func (openLoop) Users() int { return 0 }

// Closed is a closed loop of so many users: each sends its next request when
// its last reply has ended. The server sets the pace, so a closed loop cannot
// show what users feel when it is slow.
func Closed(users int) Arrivals { return closed{users: users} }

type closed struct {
	endless
	users int
}

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
		return wrong("Arrivals:", "Closed users is %d, want >= 1", c.users)
	}
	return nil
}

func (closed) times(*draw.Stream) iter.Seq[time.Duration] {
	return func(func(time.Duration) bool) {}
}

// Constant is an open loop with equal gaps: request k comes at k/rate. An
// infinite rate sends all requests at once and needs Profile.Requests.
func Constant(rate Rate) Arrivals { return constant{rate: rate} }

type constant struct {
	endless
	openLoop
	rate Rate
}

func (c constant) String() string { return fmt.Sprintf("constant %v", c.rate) }
func (c constant) Rate() Rate     { return c.rate }
func (c constant) check() error   { return c.rate.check("Constant") }

// at multiplies for every arrival, as adding gaps would add up their rounding:
// at 30 req/s a gap is no whole number of nanoseconds.
func (c constant) at(n float64) (float64, bool) { return n / float64(c.rate), true }

func (c constant) times(*draw.Stream) iter.Seq[time.Duration] { return evenly(c) }

// Poisson is an open loop of independent users at a mean rate: gaps are
// exponential, and the first request comes at 0.
func Poisson(rate Rate) Arrivals { return poisson{rate: rate} }

type poisson struct {
	endless
	openLoop
	rate Rate
}

func (p poisson) String() string { return fmt.Sprintf("Poisson %v", p.rate) }
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

// noLoad stands for a nil where a load belongs, so that it is an error of the
// profile and no panic.
type noLoad struct {
	endless
	openLoop
}

func (noLoad) String() string { return "no load" }
func (noLoad) Rate() Rate     { return 0 }
func (noLoad) check() error {
	return wrong("Arrivals:", "Arrivals is nil, want a load such as Constant(5)")
}
func (noLoad) times(*draw.Stream) iter.Seq[time.Duration] { return func(func(time.Duration) bool) {} }

func orNoLoad(a Arrivals) Arrivals {
	if a == nil {
		return noLoad{}
	}
	return a
}
