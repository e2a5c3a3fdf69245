package sweep

import "math/bits"

// A Fixed is a fixed-point number with 64 binary digits after the point, in
// two's complement. Adding is exact and does not depend on order, so a height
// that went up by some amounts and down by the same is 0 again, to the bit:
// floats would leave a residue, and a residue of a vanished 1e9 tok/s peak is
// larger than the trickle beside it. The resolution is 5e-20; the range of
// 9.2e18 is passed only when more than nine thousand million tokens share one
// nanosecond.
type Fixed struct {
	hi int64
	lo uint64
}

// Whole returns n as a Fixed.
func Whole(n int64) Fixed { return Fixed{hi: n} }

// Ratio returns num/den rounded down, for num >= 0 and den > 0.
func Ratio(num, den int64) Fixed {
	whole, rest := num/den, num%den
	frac, _ := bits.Div64(uint64(rest), 0, uint64(den))
	return Fixed{whole, frac}
}

// Share returns the part of total that the first k of n equal shares make up,
// for 0 <= k <= n, n > 0, total >= 0. Shares for k = n make exactly total.
func Share(total, k, n int64) Fixed {
	hi, lo := bits.Mul64(uint64(total), uint64(k))
	whole, rest := bits.Div64(hi, lo, uint64(n))
	frac, _ := bits.Div64(rest, 0, uint64(n))
	return Fixed{int64(whole), frac}
}

// Add returns a + b.
func (a Fixed) Add(b Fixed) Fixed {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return Fixed{a.hi + b.hi + int64(carry), lo}
}

// Sub returns a - b.
func (a Fixed) Sub(b Fixed) Fixed {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return Fixed{a.hi - b.hi - int64(borrow), lo}
}

// Float returns the nearest float, or one of its neighbours.
func (a Fixed) Float() float64 {
	return float64(a.hi) + float64(a.lo)*(1.0/(1<<32)/(1<<32))
}

// Zero reports whether a is 0.
func (a Fixed) Zero() bool { return a == Fixed{} }

// Over returns a/n rounded down, for a >= 0 and n > 0.
func (a Fixed) Over(n int64) Fixed {
	whole, rest := bits.Div64(0, uint64(a.hi), uint64(n))
	frac, _ := bits.Div64(rest, a.lo, uint64(n))
	return Fixed{int64(whole), frac}
}
