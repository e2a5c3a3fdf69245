package infer

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// enumerated is the P of a rank-sum test by its definition: every choice of
// len(a) of all values is as likely as the observed one.
func enumerated(a, b []float64) float64 {
	all := append(append([]float64(nil), a...), b...)
	sum := func(chosen uint) float64 {
		s := 0.0
		for i, v := range all {
			if chosen>>i&1 == 0 {
				continue
			}
			for j, w := range all {
				if chosen>>j&1 == 0 {
					switch { // the U statistic by its definition, no ranks
					case v > w:
						s++
					case v == w:
						s += 0.5
					}
				}
			}
		}
		return s
	}
	observed := sum(1<<len(a) - 1)
	var below, above, total float64
	for chosen := range uint(1) << len(all) {
		if bits.OnesCount(chosen) != len(a) {
			continue
		}
		total++
		if s := sum(chosen); s <= observed {
			below++
		}
		if s := sum(chosen); s >= observed {
			above++
		}
	}
	return min(1, 2*min(below, above)/total)
}

func TestMannWhitneyAgreesWithEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	checked := 0
	for n1 := 1; n1 <= 8; n1++ {
		for n2 := 1; n2 <= 8-n1/2; n2++ {
			for _, levels := range []int{1, 2, 3, 5, 1000} { // from all tied to hardly any
				a, b := levelled(random, n1, levels), levelled(random, n2, levels)
				require.InDelta(t, enumerated(a, b), MannWhitney(a, b), 1e-12, "%v %v", a, b)
				checked++
			}
		}
	}
	require.Equal(t, 240, checked, "comparisons made")
}

func levelled(random *rand.Rand, n, levels int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(random.IntN(levels))
	}
	return v
}

// Beyond the exact tables the normal approximation takes over without a step.
func TestManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for _, levels := range []int{5, 1_000_000} { // tied and not
		for range 3 {
			a, b := levelled(random, 60, levels), levelled(random, 50, levels)
			for i := range b {
				b[i] += float64(levels) / 12
			}
			ranks, _ := doubledRanks(append(append([]float64(nil), b...), a...))
			observed := 0
			for _, r := range ranks[:len(b)] {
				observed += r
			}
			require.InDelta(t, MannWhitney(a, b), approximate(ranks, len(b), observed), 0.002)
		}
	}
	require.Equal(t, 1.0, MannWhitney(make([]float64, 150), make([]float64, 150)), "all equal")
	require.Less(t, MannWhitney(ramp(300, 0), ramp(300, 1000)), 1e-90)
	// U = 285·286/2 = 40755, mean 45000, variance 300·300·601/12: z = 4244.5/2123.09.
	require.InDelta(t, 0.0456, MannWhitney(ramp(300, 0), ramp(300, 14.5)), 0.0001)

	d := ramp(exactLimit, 1)
	positive := 0
	for i := range d {
		if d[i] *= []float64{1, -1, 1, 1, -1}[i%5]; d[i] > 0 {
			positive += 2 * (i + 1)
		}
	}
	ranks := make([]int, len(d))
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
	}
	require.InDelta(t, SignedRank(d), approximateSigned(ranks, positive), 0.0005, "no step at the limit")
	require.Less(t, SignedRank(ramp(1500, 1)), 1e-90, "2^1500 outcomes do not overflow")
}

// A sample that mirrors another has the mirrored statistic and the same P, and
// the order of values says nothing.
func TestMannWhitneyInvariants(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		a, b := levelled(random, 1+random.IntN(12), 6), levelled(random, 1+random.IntN(12), 6)
		p := MannWhitney(a, b)
		require.InDelta(t, p, MannWhitney(b, a), 1e-12, "sides swapped")
		require.Greater(t, p, 0.0)
		require.LessOrEqual(t, p, 1.0)
		before := append([]float64(nil), a...)
		random.Shuffle(len(a), func(i, j int) { a[i], a[j] = a[j], a[i] })
		require.InDelta(t, p, MannWhitney(a, b), 1e-12, "order")
		require.ElementsMatch(t, before, a, "arguments are not changed")
	}
}

func TestMannWhitneyEdges(t *testing.T) {
	for _, row := range []struct {
		why  string
		a, b []float64
		p    float64
	}{
		{"an empty side says nothing", nil, []float64{1, 2}, 1},
		{"all equal says nothing, and is no NaN", []float64{3, 3, 3}, []float64{3, 3}, 1},
		{"3 + 3 can never reach 0.05", []float64{1, 2, 3}, []float64{4, 5, 6}, 0.1},
		{"70 + 70 apart: 1e41 outcomes do not overflow", ramp(70, 0), ramp(70, 1000), LeastP(70, 70)},
	} {
		require.InDelta(t, row.p, MannWhitney(row.a, row.b), 1e-12, row.why)
	}
	require.Positive(t, LeastP(100, 100))
}

func ramp(n int, from float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = from + float64(i)
	}
	return v
}

func TestSignedRankAgreesWithEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for n := 1; n <= 8; n++ {
		for _, levels := range []int{1, 2, 4, 1000} {
			d := levelled(random, n, levels)
			for i := range d {
				if random.IntN(2) == 0 {
					d[i] = -d[i]
				}
			}
			require.InDelta(t, flipped(d), SignedRank(d), 1e-12, "%v", d)
		}
	}
	require.Equal(t, 1.0, SignedRank([]float64{0, 0, 0}), "no difference says nothing")
}

// flipped is the P of a signed-rank test by its definition: every choice of
// signs is as likely as the observed one.
func flipped(d []float64) float64 {
	sum := func(positive func(i int) bool) float64 {
		s := 0.0
		for i := range d {
			for j := i; j < len(d); j++ { // Walsh averages above 0, no ranks
				x, y := math.Abs(d[i]), math.Abs(d[j])
				if x == 0 || y == 0 {
					continue
				}
				if !positive(i) {
					x = -x
				}
				if !positive(j) {
					y = -y
				}
				switch {
				case x+y > 0:
					s++
				case x+y == 0:
					s += 0.5
				}
			}
		}
		return s
	}
	observed := sum(func(i int) bool { return d[i] > 0 })
	var below, above, total float64
	for signs := range uint(1) << len(d) {
		s := sum(func(i int) bool { return signs>>i&1 == 1 })
		total++
		if s <= observed {
			below++
		}
		if s >= observed {
			above++
		}
	}
	return min(1, 2*min(below, above)/total)
}

// How many runs it takes: the numbers that the failure texts name.
func TestNeeded(t *testing.T) {
	for _, row := range []struct {
		why          string
		alpha        float64
		tests        int
		runs, paired int
	}{
		{"one metric", 0.05, 1, 4, 6},
		{"four metrics after Holm", 0.05, 4, 5, 8},
		{"a stricter level", 0.01, 1, 5, 8},
		{"twenty metrics", 0.05, 20, 6, 10},
	} {
		require.Equal(t, row.runs, Needed(row.alpha, row.tests), row.why)
		require.Equal(t, row.paired, NeededPairs(row.alpha, row.tests), row.why)
	}
	require.InDelta(t, 2.0/70, LeastP(4, 4), 1e-15)
	require.InDelta(t, 2.0/126, LeastP(4, 5), 1e-15)
	require.Equal(t, 1.0, LeastP(0, 5))
	require.Equal(t, 2.0/32, LeastPaired(5))
	require.Equal(t, 1.0, LeastPaired(0))
}

// Holm's own worked example has the values 0.01, 0.04, 0.03, 0.005.
func TestHolm(t *testing.T) {
	require.InDeltaSlice(t, []float64{0.03, 0.06, 0.06, 0.02}, Holm([]float64{0.01, 0.04, 0.03, 0.005}), 1e-15)
	require.Equal(t, []float64{1, 1}, Holm([]float64{0.6, 0.9}), "never above 1")
	require.Empty(t, Holm(nil))
}

func TestMedian(t *testing.T) {
	values := []float64{6, 2, -10, 3, 4, 5}
	require.Equal(t, Interval{3.5, -10, 6}, Median(values, 0.95), "6 values bound it")
	require.Equal(t, []float64{6, 2, -10, 3, 4, 5}, values, "the sample is not sorted in place")
	require.Equal(t, Interval{3, math.Inf(-1), 5}, Median([]float64{1, 2, 3, 4, 5}, 0.95), "5 leave an end open")
}

func TestVariation(t *testing.T) {
	require.InDelta(t, 1.4826*2/100, Variation([]float64{96, 98, 100, 102, 104}), 1e-12)
	require.Zero(t, Variation([]float64{7}))
	require.Zero(t, Variation([]float64{0, 0, 5}), "no relative spread about 0")
}

func TestToTell(t *testing.T) {
	require.InDelta(t, 1.959964, normalQuantile(0.975), 1e-6)
	// 2 (1.95996 + 0.84162)² (3/5)² π/3 = 5.92
	require.Equal(t, 6, ToTell(0.05, 0.03, 0.05, 1))
	require.Equal(t, 5, ToTell(0.5, 0.001, 0.05, 4), "never below what the test can reach")
}

// A bootstrap interval covers its center, narrows with less noise, repeats with
// its seed and scales with the samples.
func TestBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	noisy := func(mean, cv float64) []float64 {
		v := make([]float64, 10)
		for i := range v {
			v[i] = mean * (1 + cv*random.NormFloat64())
		}
		return v
	}
	a, b := noisy(100, 0.03), noisy(110, 0.03)
	got := RatioOfMedians(a, b, 0.95, 7)
	require.Equal(t, got, RatioOfMedians(a, b, 0.95, 7))
	require.NotEqual(t, got, RatioOfMedians(a, b, 0.95, 8))
	require.Less(t, got.Lo, got.Center)
	require.Greater(t, got.Hi, got.Center)
	require.InDelta(t, 1.1, got.Center, 0.04)
	require.Less(t, got.Hi-got.Lo, 0.12)
	require.Greater(t, got.Hi-got.Lo, 0.02)

	paired := MedianOfRatios([]float64{1, 2, 3, 4}, []float64{2, 4, 6, 8}, 0.95, 1)
	require.Equal(t, Interval{2, 2, 2}, paired, "every pair doubles, however the pairs differ")
}

// The interval covers the true ratio about as often as it says.
func TestBootstrapCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	covered := 0
	const trials = 100
	for trial := range trials {
		a, b := make([]float64, 10), make([]float64, 10)
		for i := range a {
			a[i], b[i] = 100*(1+0.03*random.NormFloat64()), 105*(1+0.03*random.NormFloat64())
		}
		if got := RatioOfMedians(a, b, 0.95, uint64(trial)); got.Lo <= 1.05 && 1.05 <= got.Hi {
			covered++
		}
	}
	require.Greater(t, float64(covered)/trials, 0.90)
}

func BenchmarkMannWhitney(b *testing.B) {
	tied := func(n int) []float64 { return append(ramp(n-1, 0), 0) }
	for _, row := range []struct {
		name string
		x, y []float64
	}{
		{"10+10", ramp(10, 0), ramp(10, 0.5)},
		{"10+10 tied", tied(10), tied(10)},
		{"100+100 tied", tied(100), tied(100)},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				MannWhitney(row.x, row.y)
			}
		})
	}
}
