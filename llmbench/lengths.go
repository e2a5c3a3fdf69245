package llmbench

import (
	"fmt"
	"math"
	"slices"

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

// Normal draws around a mean with a standard deviation; what falls below one
// token is one token. Bound it with [Within].
func Normal(mean, deviation float64) Length { return normalLength{mean, deviation} }

type normalLength struct{ mean, deviation float64 }

func (n normalLength) String() string {
	return fmt.Sprintf("normal %.4g tokens, deviation %.4g", n.mean, n.deviation)
}

func (n normalLength) draw(s *draw.Stream) int {
	return wholeTokens(n.mean + float64(n.deviation*s.Normal()))
}

func (n normalLength) check() error {
	if !(n.mean >= 1) || !(n.deviation >= 0) || math.IsInf(n.mean+n.deviation, 0) {
		return fmt.Errorf("is %v, want mean >= 1, deviation >= 0, both finite", n)
	}
	return nil
}

// LogNormal draws lengths whose logarithm is normal, the shape of real prompts
// and replies: half are below the median, one in a hundred above p99. What falls
// below one token is one token. Bound it with [Within].
func LogNormal(median, p99 float64) Length { return logNormalLength{median, p99} }

type logNormalLength struct{ median, p99 float64 }

func (l logNormalLength) String() string {
	return fmt.Sprintf("log-normal, median %.4g tokens, p99 %.4g", l.median, l.p99)
}

// z99 is the normal quantile of 0.99.
const z99 = 2.3263478740408408

func (l logNormalLength) draw(s *draw.Stream) int {
	sigma := draw.Log(l.p99/l.median) / z99
	return wholeTokens(float64(l.median * draw.Raise(float64(sigma*s.Normal()))))
}

func (l logNormalLength) check() error {
	if !(l.median >= 1) || !(l.p99 >= l.median) || math.IsInf(l.p99, 1) {
		return fmt.Errorf("is %v, want 1 <= median <= p99, finite", l)
	}
	return nil
}

// wholeTokens rounds to a count that a request can have.
func wholeTokens(x float64) int {
	return int(min(max(math.Round(x), 1), math.MaxInt32))
}

// From draws a length from those given, each as likely as the others, as
// [Trace.Inputs] and [Trace.Outputs] have them. Prompt and reply are then drawn
// apart; Profile.Dataset keeps them together.
func From(lengths []int) Length { return dataLength(slices.Clone(lengths)) }

type dataLength []int

func (d dataLength) String() string {
	if len(d) == 0 {
		return "one of no lengths"
	}
	return fmt.Sprintf("one of %d lengths, %d to %d tokens", len(d), slices.Min(d), slices.Max(d))
}

func (d dataLength) draw(s *draw.Stream) int { return d[s.Below(len(d))] }

func (d dataLength) check() error {
	if len(d) == 0 || slices.Min(d) < 1 {
		return fmt.Errorf("is %v, want at least one, each >= 1", d)
	}
	return nil
}

// Within cuts another length to a range, both ends included.
func Within(low, high int, length Length) Length { return cutLength{low, high, length} }

type cutLength struct {
	low, high int
	length    Length
}

func (c cutLength) String() string {
	return fmt.Sprintf("%v, within %d to %d", c.length, c.low, c.high)
}

func (c cutLength) draw(s *draw.Stream) int { return min(max(c.length.draw(s), c.low), c.high) }

func (c cutLength) check() error {
	if c.low < 1 || c.high < c.low {
		return fmt.Errorf("is within %d to %d tokens, want 1 <= low <= high", c.low, c.high)
	}
	if c.length == nil {
		return fmt.Errorf("is within %d to %d tokens of nothing, want a Length", c.low, c.high)
	}
	return c.length.check()
}
