package llmbench

import (
	"errors"
	"fmt"
)

// A Decider makes the watch over one run that plans so many measured requests.
// It is called before the first of them is sent; assert.Decided makes one of
// claims.
type Decider func(planned int) Watch

// A Watch is told of each measured request that ended, one at a time, in the
// order in which they ended. It returns why the verdict on the run is decided,
// whatever the requests to come do; empty while it is not.
type Watch func(*Record) string

// A decidedError is why a run was ended by its watch.
type decidedError struct{ why string }

func (e *decidedError) Error() string { return "the verdict was decided before: " + e.why }

// decided is the reason of an error that ends a run by its watch.
func decided(err error) (string, bool) {
	if d := (*decidedError)(nil); errors.As(err, &d) {
		return d.why, true
	}
	return "", false
}

// watch makes the profile's watch; nil without a decider.
func (s *Schedule) watch() Watch {
	if s.profile.StopWhenDecided == nil {
		return nil
	}
	return s.profile.StopWhenDecided(s.measured())
}

// measured is how many measured requests are planned; 0 where the server sets
// their number.
func (s *Schedule) measured() int {
	n := 0
	for _, r := range s.Requests {
		if r.Phase == Measure {
			n++
		}
	}
	return n
}

// checkDecider refuses a rule that knows no number of requests to be decided
// over.
func (s *Schedule) checkDecider() error {
	if s.profile.StopWhenDecided != nil && s.measured() == 0 {
		return fmt.Errorf("llmbench: profile: %w", wrong("StopWhenDecided", "is set, want Requests in a closed loop: their number must be known in advance"))
	}
	return nil
}
