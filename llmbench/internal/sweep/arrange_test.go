package sweep_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/llmbench/go/llmbench/internal/sweep"
	"github.com/stretchr/testify/require"
)

// TestArrange compares with a stable sort of the library, over shapes that fill
// buckets evenly, pile up in one, or sit at the far ends.
func TestArrange(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, at := range map[string]func(i int) int64{
		"even":      func(i int) int64 { return int64(i) * 1000 },
		"random":    func(int) int64 { return rng.Int64N(1e12) },
		"one time":  func(int) int64 { return 42 },
		"few times": func(int) int64 { return rng.Int64N(3) },
		"outlier":   func(i int) int64 { return int64(i%7) + int64(i/9999)*math.MaxInt64/2 },
		"negative":  func(int) int64 { return rng.Int64N(2e9) - 1e9 },
	} {
		for _, n := range []int{1, 2, 40, 10_000} {
			events := make([]sweep.Event, n)
			first, last := int64(math.MaxInt64), int64(math.MinInt64)
			for i := range events {
				events[i] = sweep.Event{At: at(i), Request: uint32(i)}
				first, last = min(first, events[i].At), max(last, events[i].At)
			}
			o := sweep.Arrange(n+3, first, last, func(yield func(sweep.Event)) {
				for _, e := range events {
					yield(e)
				}
			})
			slices.SortStableFunc(events, func(a, b sweep.Event) int { return cmp.Compare(a.At, b.At) })
			require.Equal(t, events, o.Events, "%s n=%d", name, n)
			checkParts(t, o)
		}
	}
}

// checkParts demands that parts follow one another, lose nothing, and cut no
// instant in two.
func checkParts(t *testing.T, o *sweep.Order) {
	var all []sweep.Event
	parts := o.Parts(8)
	require.LessOrEqual(t, len(parts), 8)
	from := int64(math.MinInt64)
	for _, p := range parts {
		require.Equal(t, from, p.From)
		for _, e := range p.Events {
			require.GreaterOrEqual(t, e.At, p.From)
			require.Less(t, e.At, p.To)
		}
		all, from = append(all, p.Events...), p.To
	}
	require.EqualValues(t, int64(math.MaxInt64), from)
	require.Equal(t, o.Events, all)
}
