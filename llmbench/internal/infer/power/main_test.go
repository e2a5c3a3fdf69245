package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the gate promises: at a CV of 3 % ten runs a side find a slowdown of 5 % in
// at least 85 % of trials, and four figures raise a false alarm in at most 5 %.
func TestPromises(t *testing.T) {
	found, _ := setup{n: 10, figures: 1, cv: 0.03, slower: 0.05}.simulate()
	require.GreaterOrEqual(t, found, 0.85)
	found, _ = setup{n: 10, figures: 4, cv: 0.03, slower: 0.05, all: true}.simulate()
	require.GreaterOrEqual(t, found, 0.85)
	for _, cv := range spreads {
		_, alarmed := setup{n: 10, figures: 4, cv: cv}.simulate()
		require.LessOrEqual(t, alarmed, 0.05, "CV %v", cv)
	}
}

// The page is the one the program writes. Some of its rows are made anew, as all
// of them take half a minute; LLMBENCH_FULL=1 makes them all.
func TestPageIsFresh(t *testing.T) {
	text, err := os.ReadFile("../../../POWER.md")
	require.NoError(t, err)
	if os.Getenv("LLMBENCH_FULL") != "" {
		require.Equal(t, page(), string(text))
	}
	for _, s := range []setup{
		{n: 10, figures: 1, cv: 0.03}, {n: 10, figures: 4, cv: 0.03}, {n: 8, figures: 4, cv: 0.01, paired: true},
		{n: 5, figures: 4, cv: 0.05, all: true},
	} {
		row := ""
		for _, slower := range slowed {
			s.slower = slower
			row += " " + cell(s) + " |"
		}
		require.Contains(t, string(text), row+"\n")
	}
	require.Contains(t, string(text), "| 4 | 3 % | - | - | - | - | - |\n", "4 + 4 runs say nothing about four figures")
}
