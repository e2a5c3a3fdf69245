package assert

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// positive reads a number above zero.
func positive(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q, want a number > 0", text)
	}
	return v, nil
}

// didYouMean is a hint at the nearest of the names that are known; empty when
// none is near.
func didYouMean[V any](name string, known map[string]V) string {
	best, distance := "", 3+len(name)/6
	for candidate := range known {
		if d := edits(name, candidate); d < distance || (d == distance && candidate < best) {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", best)
}

// edits is the distance of Levenshtein: how many letters must be put in, taken
// out or changed.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := slices.Clone(row)
		row[0] = i + 1
		for j := range len(b) {
			change := before[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, before[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
