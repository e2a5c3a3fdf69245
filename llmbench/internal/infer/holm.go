package infer

import "slices"

// Holm corrects the P values of a family of tests, in their order: a test is
// significant at level alpha over the whole family if its corrected value is
// below alpha. The chance of any false alarm is then at most alpha, however the
// tests depend on each other, which those of one run's metrics do.
//
// Source: Holm 1979, step-down: the i-th smallest of m values times m-i, made
// non-decreasing, at most 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	corrected := make([]float64, len(p))
	floor := 0.0
	for rank, i := range order {
		floor = max(floor, min(1, p[i]*float64(len(p)-rank)))
		corrected[i] = floor
	}
	return corrected
}
