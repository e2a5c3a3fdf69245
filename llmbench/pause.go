package llmbench

import (
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// A Pause is how long something waits, drawn anew every time: a user who thinks,
// a caller who gives up. The set is closed: its values come from this package.
type Pause interface {
	// String describes the pause as reports print it.
	String() string
	// check returns what is wrong, worded "value is ..., want ...".
	check() error
	draw(*draw.Stream) time.Duration
}

// Wait is the same pause every time.
func Wait(d time.Duration) Pause { return fixedPause(d) }

type fixedPause time.Duration

func (p fixedPause) String() string                  { return time.Duration(p).String() }
func (p fixedPause) draw(*draw.Stream) time.Duration { return time.Duration(p) }

func (p fixedPause) check() error {
	if p < 0 {
		return fmt.Errorf("is %v, want >= 0", time.Duration(p))
	}
	return nil
}

// WaitBetween is a pause from low up to high, evenly.
func WaitBetween(low, high time.Duration) Pause { return evenPause{low, high} }

type evenPause struct{ low, high time.Duration }

func (p evenPause) String() string { return fmt.Sprintf("%v to %v", p.low, p.high) }

func (p evenPause) draw(s *draw.Stream) time.Duration {
	return p.low + time.Duration(float64(p.high-p.low)*s.Float())
}

func (p evenPause) check() error {
	if p.low < 0 || p.high < p.low {
		return fmt.Errorf("is %v to %v, want 0 <= low <= high", p.low, p.high)
	}
	return nil
}

// WaitAbout is an exponential pause with the mean given: mostly short, sometimes
// long, as people are.
func WaitAbout(mean time.Duration) Pause { return exponentialPause(mean) }

type exponentialPause time.Duration

func (p exponentialPause) String() string { return fmt.Sprintf("about %v", time.Duration(p)) }

func (p exponentialPause) draw(s *draw.Stream) time.Duration {
	return instant(s.Exp() * time.Duration(p).Seconds())
}

func (p exponentialPause) check() error {
	if p < 0 {
		return fmt.Errorf("is about %v, want >= 0", time.Duration(p))
	}
	return nil
}
