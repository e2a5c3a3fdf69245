package llmbench

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// simulated compares ten runs a side of the default figures, with a CV of 3 %;
// those given are slower by 5 %.
func simulated(t *testing.T, random *rand.Rand, figures []Figure, slower ...Figure) *Comparison {
	t.Helper()
	var sides [2]map[Figure][]float64
	for side := range sides {
		sides[side] = map[Figure][]float64{}
		for _, f := range figures {
			mean := 100.0
			for _, s := range slower {
				if side == 1 && f == s {
					mean *= 1.05
				}
			}
			for range 10 {
				sides[side][f] = append(sides[side][f], mean*(1+0.03*random.NormFloat64()))
			}
		}
	}
	c, err := Comparer{Figures: figures}.Compare(madeRuns("base", sides[0]), madeRuns("now", sides[1]))
	require.NoError(t, err)
	return c
}

// POWER.md simulates the functions that Compare is made of; this is Compare
// itself.
func TestPowerOfCompare(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	const trials = 300
	found := 0
	for range trials {
		if len(simulated(t, random, []Figure{latency}, latency).Found(Regressed)) > 0 {
			found++
		}
	}
	t.Logf("5 %% slower: found in %.1f %%", 100*float64(found)/trials)
	require.GreaterOrEqual(t, float64(found)/trials, 0.85)

	alarms := 0
	for range trials {
		if len(simulated(t, random, DefaultFigures()).Found(Regressed, Improved)) > 0 {
			alarms++
		}
	}
	t.Logf("no change, four figures: %.1f %% false alarms", 100*float64(alarms)/trials)
	require.LessOrEqual(t, float64(alarms)/trials, 0.05)
}
