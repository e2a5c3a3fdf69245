package infer

import "slices"

// doubledRanks gives every value twice its midrank among all values: whole
// numbers also where values tie. tied reports whether any do.
func doubledRanks(values []float64) (ranks []int, tied bool) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case values[i] < values[j]:
			return -1
		case values[i] > values[j]:
			return 1
		}
		return 0
	})
	ranks = make([]int, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = from + 1 + to // twice the mean of from+1 .. to
		}
		tied = tied || to-from > 1
		from = to
	}
	return ranks, tied
}

// twoSided is twice the smaller tail of a null distribution at the observed
// sum, both tails including it, and at most 1. counts[s] is how many of the
// total equally likely outcomes have the sum s.
func twoSided(counts []float64, observed int) float64 {
	var below, above, total float64
	for s, n := range counts {
		total += n
		if s <= observed {
			below += n
		}
		if s >= observed {
			above += n
		}
	}
	return min(1, 2*min(below, above)/total)
}
