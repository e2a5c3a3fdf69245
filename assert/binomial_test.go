package assert

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The sizes that MLPerf LoadGen and others publish, and our own table of them:
// how many requests it takes for 0, 1, 2, 3, 5 and 10 over the limit.
func TestEnough(t *testing.T) {
	over := [6]int{0, 1, 2, 3, 5, 10}
	for _, row := range []struct {
		confidence, p float64
		want          [6]int
	}{
		{0.99, 0.50, [6]int{7, 11, 14, 17, 22, 35}},
		{0.99, 0.90, [6]int{44, 64, 81, 97, 127, 197}},
		{0.99, 0.95, [6]int{90, 130, 165, 198, 259, 398}},
		{0.99, 0.97, [6]int{152, 219, 277, 332, 433, 667}},
		{0.99, 0.99, [6]int{459, 662, 838, 1001, 1307, 2010}},
		{0.99, 0.999, [6]int{4603, 6636, 8403, 10042, 13105, 20140}},
		{0.95, 0.50, [6]int{5, 8, 11, 13, 18, 30}},
		{0.95, 0.90, [6]int{29, 46, 61, 76, 103, 167}},
		{0.95, 0.95, [6]int{59, 93, 124, 153, 208, 336}},
		{0.95, 0.97, [6]int{99, 157, 208, 257, 348, 562}},
		{0.95, 0.99, [6]int{299, 473, 628, 773, 1049, 1693}},
		{0.95, 0.999, [6]int{2995, 4742, 6294, 7752, 10511, 16959}},
		{0.90, 0.50, [6]int{4, 7, 9, 12, 17, 28}},
		{0.90, 0.90, [6]int{22, 38, 52, 65, 91, 152}},
		{0.90, 0.95, [6]int{45, 77, 105, 132, 184, 306}},
		{0.90, 0.97, [6]int{76, 129, 176, 221, 308, 511}},
		{0.90, 0.99, [6]int{230, 388, 531, 667, 926, 1538}},
	} {
		for i, k := range over {
			require.Equal(t, row.want[i], enough(k, row.p, row.confidence),
				"p%g at %g with %d over", 100*row.p, row.confidence, k)
		}
	}
}

// The three-way table: at most a over holds, from b on fails; -1 means that no
// number of requests under the limit can show that it holds.
func TestDecide(t *testing.T) {
	const none = -1
	for _, row := range []struct {
		n                     int
		confidence, p         float64
		mostHolds, leastFails int
	}{
		{10, 0.95, 0.90, none, 4}, {10, 0.95, 0.95, none, 3}, {10, 0.95, 0.99, none, 2},
		{10, 0.99, 0.90, none, 5}, {10, 0.99, 0.95, none, 4}, {10, 0.99, 0.99, none, 2},
		{20, 0.95, 0.90, none, 5}, {20, 0.95, 0.95, none, 4}, {20, 0.95, 0.99, none, 2},
		{20, 0.99, 0.90, none, 7}, {20, 0.99, 0.95, none, 5}, {20, 0.99, 0.99, none, 3},
		{30, 0.95, 0.90, 0, 7}, {30, 0.95, 0.95, none, 5}, {30, 0.95, 0.99, none, 2},
		{30, 0.99, 0.90, none, 8}, {30, 0.99, 0.95, none, 6}, {30, 0.99, 0.99, none, 3},
		{50, 0.95, 0.90, 1, 10}, {50, 0.95, 0.95, none, 6}, {50, 0.95, 0.99, none, 3},
		{50, 0.99, 0.90, 0, 11}, {50, 0.99, 0.95, none, 8}, {50, 0.99, 0.99, none, 4},
		{100, 0.95, 0.90, 4, 16}, {100, 0.95, 0.95, 1, 10}, {100, 0.95, 0.99, none, 4},
		{100, 0.99, 0.90, 3, 19}, {100, 0.99, 0.95, 0, 12}, {100, 0.99, 0.99, none, 5},
		{200, 0.95, 0.90, 12, 28}, {200, 0.95, 0.95, 4, 16}, {200, 0.95, 0.99, none, 6},
		{200, 0.99, 0.90, 10, 31}, {200, 0.99, 0.95, 3, 19}, {200, 0.99, 0.99, none, 7},
		{300, 0.95, 0.90, 21, 40}, {300, 0.95, 0.95, 8, 22}, {300, 0.95, 0.99, 0, 7},
		{300, 0.99, 0.90, 18, 44}, {300, 0.99, 0.95, 6, 25}, {300, 0.99, 0.99, none, 9},
		{500, 0.95, 0.90, 38, 62}, {500, 0.95, 0.95, 16, 34}, {500, 0.95, 0.99, 1, 10},
		{500, 0.99, 0.90, 34, 67}, {500, 0.99, 0.95, 13, 38}, {500, 0.99, 0.99, 0, 12},
		{1000, 0.95, 0.90, 84, 117}, {1000, 0.95, 0.95, 38, 63}, {1000, 0.95, 0.99, 4, 16},
		{1000, 0.99, 0.90, 78, 124}, {1000, 0.99, 0.95, 34, 68}, {1000, 0.99, 0.99, 2, 19},
		{2000, 0.95, 0.90, 177, 223}, {2000, 0.95, 0.95, 83, 117}, {2000, 0.95, 0.99, 12, 29},
		{2000, 0.99, 0.90, 168, 233}, {2000, 0.99, 0.95, 77, 124}, {2000, 0.99, 0.99, 9, 32},
		{5000, 0.95, 0.90, 464, 536}, {5000, 0.95, 0.95, 224, 277}, {5000, 0.95, 0.99, 38, 63},
		{5000, 0.99, 0.90, 450, 551}, {5000, 0.99, 0.95, 214, 287}, {5000, 0.99, 0.99, 33, 68},
		{10, 0.95, 0.50, 1, 9}, {20, 0.95, 0.50, 5, 15}, {100, 0.95, 0.50, 41, 59},
	} {
		why := fmt.Sprintf("p%g of %d at %g", 100*row.p, row.n, row.confidence)
		if row.mostHolds > none {
			require.Equal(t, Holds, decide(row.mostHolds, row.n, row.p, row.confidence), why)
		}
		require.Equal(t, CannotJudge, decide(row.mostHolds+1, row.n, row.p, row.confidence), why)
		require.Equal(t, CannotJudge, decide(row.leastFails-1, row.n, row.p, row.confidence), why)
		require.Equal(t, Fails, decide(row.leastFails, row.n, row.p, row.confidence), why)
	}
}

// Small binomials are enumerated.
func TestAtMostByEnumeration(t *testing.T) {
	for n := range 12 {
		for _, q := range []float64{0.01, 0.3, 0.5, 0.9} {
			sums := make([]float64, n+1)
			for outcome := range 1 << n {
				heads := 0
				for bit := range n {
					heads += outcome >> bit & 1
				}
				for k := heads; k <= n; k++ {
					sums[k] += math.Pow(q, float64(heads)) * math.Pow(1-q, float64(n-heads))
				}
			}
			require.Zero(t, atMost(-1, n, q), "fewer than none")
			for k, want := range sums {
				require.InDelta(t, want, atMost(k, n, q), 1e-12, "P(X <= %d) of %d at %g", k, n, q)
				require.InDelta(t, 1-want, atLeast(k+1, n, q), 1e-12, "P(X > %d) of %d at %g", k, n, q)
			}
		}
	}
}

// A run has a million gaps between tokens. The normal approximation is the
// judge, good to a thousandth there; the time of the test is the other.
func TestAtMostOfManyTrials(t *testing.T) {
	const n, q = 1_000_000, 0.01
	sigma := math.Sqrt(n * q * (1 - q))
	for _, z := range []float64{-3, -1, 0, 1, 3} {
		k := int(n*q + z*sigma)
		want := 0.5 * math.Erfc(-(float64(k)+0.5-n*q)/sigma/math.Sqrt2)
		require.InDelta(t, want, atMost(k, n, q), 1e-3, "z = %g", z)
	}
}

// The bounds of a quantile and the verdict on a limit are one rule: a limit at
// the upper bound is the least that is known to hold.
func TestBoundsAgreeWithDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(t, "n")
		p := rapid.SampledFrom([]float64{0.5, 0.9, 0.95, 0.99}).Draw(t, "p")
		confidence := rapid.SampledFrom([]float64{0.8, 0.95, 0.99}).Draw(t, "confidence")
		lower, upper := bounds(n, p, confidence)
		// A limit equal to the sample of rank i has n-1-i samples over it, one
		// just under it has n-i.
		if upper < n {
			require.Equal(t, Holds, decide(n-1-upper, n, p, confidence), "a limit at the upper bound holds")
			require.NotEqual(t, Holds, decide(n-upper, n, p, confidence), "a limit under it is not known to")
		} else {
			require.NotEqual(t, Holds, decide(0, n, p, confidence), "no bound, no way to hold")
		}
		if lower >= 0 {
			require.Equal(t, Fails, decide(n-lower, n, p, confidence), "a limit just under the lower bound fails")
			require.NotEqual(t, Fails, decide(n-1-lower, n, p, confidence), "one at it is not known to")
		}
	})
}
