package llmbench

import (
	"fmt"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// A Length says how many tokens a prompt or a reply has, request by request.
// The set is closed: its values come from this package.
type Length interface {
	// String describes the length as reports print it.
	String() string
	// check returns what is wrong, worded "value is ..., want ...".
	check() error
	// draw returns one request's number of tokens.
	draw(*draw.Stream) int
}

// Tokens is the same length for every request.
func Tokens(n int) Length { return fixedLength(n) }

type fixedLength int

func (n fixedLength) String() string        { return fmt.Sprintf("%d tokens", int(n)) }
func (n fixedLength) draw(*draw.Stream) int { return int(n) }

func (n fixedLength) check() error {
	if n < 1 {
		return fmt.Errorf("is %d tokens, want >= 1", int(n))
	}
	return nil
}

// Uniform draws a length from low to high, both included, evenly.
func Uniform(low, high int) Length { return uniformLength{low, high} }

type uniformLength struct{ low, high int }

func (u uniformLength) String() string { return fmt.Sprintf("%d to %d tokens", u.low, u.high) }

func (u uniformLength) draw(s *draw.Stream) int { return u.low + s.Below(u.high-u.low+1) }

func (u uniformLength) check() error {
	if u.low < 1 || u.high < u.low {
		return fmt.Errorf("is %d to %d tokens, want 1 <= low <= high", u.low, u.high)
	}
	return nil
}
