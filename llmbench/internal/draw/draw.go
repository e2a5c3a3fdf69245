// Package draw makes the random numbers of a schedule. The same seed gives the
// same numbers, to the bit, on every machine and in every order of calls
// between streams: each request draws from a stream of its own.
package draw

import (
	"math"
	"math/rand/v2"
)

// A Stream is one sequence of draws. It is not safe for concurrent use.
type Stream struct{ pcg *rand.PCG }

// Streams of one seed, by what they decide. Requests add their index.
const (
	// Arrivals decides when requests come.
	Arrivals uint64 = 1 << 62
	// Lengths decides how long each request and reply is.
	Lengths uint64 = 1 << 61
	// Words decides what a prompt says.
	Words uint64 = 1 << 60
	// The others divide what is left below 1 << 63. Jitter moves the instants of
	// a trace.
	Jitter uint64 = 3 << 60
	// Pauses decides how long users think.
	Pauses uint64 = 5 << 60
	// Turns decides how long sessions are.
	Turns uint64 = 6 << 60
	// Classes decides which class a request belongs to.
	Classes uint64 = 7 << 60
	// Prefixes says what shared prompt parts say, and who has which.
	Prefixes uint64 = 8 << 60
	// Cancels decides who is cancelled, and when.
	Cancels uint64 = 9 << 60
	// Pictures decides what images show.
	Pictures uint64 = 10 << 60
)

// New returns the stream that belongs to seed and name.
func New(seed, name uint64) *Stream {
	return &Stream{rand.NewPCG(seed, name)}
}

// Fork returns a new stream that the next draw of this one decides.
func (s *Stream) Fork() *Stream {
	return &Stream{rand.NewPCG(s.pcg.Uint64(), s.pcg.Uint64())}
}

// Float returns a number in [0,1) with 53 random bits.
func (s *Stream) Float() float64 {
	return float64(s.pcg.Uint64()>>11) / (1 << 53)
}

// Below returns a number in [0,n), for n > 0. Multiplying and shifting keeps
// it free of rounding; the bias is under n/2^32 and so below 1e-5 for the
// vocabularies and lengths it serves.
func (s *Stream) Below(n int) int {
	return int((s.pcg.Uint64() >> 32) * uint64(n) >> 32)
}

// Exp returns an exponential draw with mean 1.
func (s *Stream) Exp() float64 {
	return -Log(1 - s.Float())
}

// Log is the natural logarithm of x > 0, within two units in the last place.
// math.Log is assembly on some machines and may fuse products on others, so
// two machines can differ in the last bit; here every product is rounded by
// itself. The series is 2·atanh(s), s = (m-1)/(m+1), m in [√½, √2), where
// s² < 0.0295 and the thirteenth term is below 1e-20.
func Log(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	s := (m - 1) / (m + 1)
	square := float64(s * s)
	sum := 0.0
	for k := 25; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(2*s*sum) + float64(float64(e)*math.Ln2)
}
