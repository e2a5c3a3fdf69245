package draw

import "math"

// Raise is e to the power of x, within two units in the last place. It stands
// beside [Log] for the same reason: math.Exp is assembly on some machines. The
// power is 2^k·e^r with |r| <= ½·ln 2, and the eighteenth term of the series for
// e^r is below 1e-24. Beyond the range of float64 it is 0 or +Inf.
func Raise(x float64) float64 {
	switch {
	case x < -745:
		return 0
	case x > 710:
		return math.Inf(1)
	}
	// ln 2 in two parts, so that k times the first has no rounding (the split of
	// FreeBSD's e_exp.c).
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	k := math.Floor(x/math.Ln2 + 0.5)
	r := x - float64(k*high) - float64(k*low)
	sum := 1.0
	for n := 18; n >= 1; n-- {
		sum = 1 + float64(sum*r)/float64(n)
	}
	return math.Ldexp(sum, int(k))
}

// Normal returns a draw with mean 0 and standard deviation 1: Marsaglia's polar
// method (SIAM Review 6, 1964), which needs no sine.
func (s *Stream) Normal() float64 {
	for {
		u, v := 2*s.Float()-1, 2*s.Float()-1 // doubling is exact, fused or not
		square := float64(u*u) + float64(v*v)
		if square > 0 && square < 1 {
			return float64(u * math.Sqrt(-2*Log(square)/square))
		}
	}
}

// Gamma returns a draw of the gamma distribution with the shape given, > 0, and
// scale 1, so its mean is the shape: Marsaglia and Tsang, ACM TOMS 26 (2000),
// and their U^(1/shape) for shapes below 1.
func (s *Stream) Gamma(shape float64) float64 {
	if shape < 1 {
		return float64(s.Gamma(shape+1) * Raise(Log(1-s.Float())/shape))
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.Normal()
		root := 1 + float64(c*x)
		if root <= 0 {
			continue
		}
		v := float64(float64(root*root) * root)
		bound := float64(float64(x*x)*0.5) + d - float64(d*v) + float64(d*Log(v))
		if Log(1-s.Float()) < bound {
			return float64(d * v)
		}
	}
}
