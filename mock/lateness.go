package mock

import (
	"math/bits"
	"time"
)

// Lateness is how long after their instants the tokens of a server were written:
// the mock's own error, to be told from the client's. In virtual time it is 0.
type Lateness struct {
	N              int           // writes counted; what is due at one time for one reply is one write
	P50, P90, P99  time.Duration // upper bounds, at most a sixteenth too high
	P999, Max, Sum time.Duration
}

// lateness counts spans in buckets of a sixteenth of their size.
type lateness struct {
	counts [64 * 16]int
	n      int
	max    time.Duration
	sum    time.Duration
}

// add takes a negative span for 0: the clock may be read a moment after it was
// compared.
func (l *lateness) add(d time.Duration) {
	d = max(d, 0)
	l.counts[bucket(uint64(d))]++
	l.n++
	l.max = max(l.max, d)
	l.sum += d
}

// bucket numbers spans: 16 buckets for each power of two, exact below 16.
func bucket(v uint64) int {
	if v < 16 {
		return int(v)
	}
	shift := bits.Len64(v) - 5
	return 16*(shift+1) + int(v>>shift) - 16
}

// top is the largest span of a bucket.
func top(bucket int) time.Duration {
	if bucket < 16 {
		return time.Duration(bucket)
	}
	shift := bucket/16 - 1
	return time.Duration(uint64(bucket%16+17)<<shift - 1)
}

// quantile is the upper edge of the bucket in which the sample lies, by nearest
// rank.
func (l *lateness) quantile(q float64) time.Duration {
	want := int(q*float64(l.n-1)) + 1
	for b, c := range l.counts {
		if want -= c; want <= 0 {
			return min(top(b), l.max)
		}
	}
	return l.max
}

func (l *lateness) report() Lateness {
	if l.n == 0 {
		return Lateness{}
	}
	return Lateness{
		N: l.n, Max: l.max, Sum: l.sum,
		P50: l.quantile(0.5), P90: l.quantile(0.9), P99: l.quantile(0.99), P999: l.quantile(0.999),
	}
}
