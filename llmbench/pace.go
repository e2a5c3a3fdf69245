package llmbench

import "fmt"

// A Pace is how exactly an open loop keeps its instants.
type Pace int

const (
	// Relaxed wakes by Go timers, which on Linux come up to about 1 ms late, and
	// burns no CPU.
	Relaxed Pace = iota
	// Precise sleeps short and spins the rest, for a lag below 0.1 ms. It costs up
	// to one core while requests are due closely after one another.
	Precise
)

// String returns the word for it in files.
func (p Pace) String() string {
	switch p {
	case Relaxed:
		return "relaxed"
	case Precise:
		return "precise"
	}
	return fmt.Sprintf("Pace(%d)", int(p))
}

// MarshalText writes the word.
func (p Pace) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (p Pace) check() error {
	if p != Relaxed && p != Precise {
		return wrong("Pace", "is %d, want Relaxed or Precise", int(p))
	}
	return nil
}
