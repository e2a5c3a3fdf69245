package prompt

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVocabularyHasNoWordTwice(t *testing.T) {
	sorted := slices.Sorted(slices.Values(words))
	require.Equal(t, sorted, slices.Compact(slices.Clone(sorted)))
	require.Greater(t, len(words), 350)
}

func TestWordsHaveTheLengthAskedFor(t *testing.T) {
	for _, n := range []int{1, 2, 200, 5000} {
		require.Len(t, strings.Fields(Words(7, 3, n)), n)
	}
}

func TestPromptsAreFixedAndDiffer(t *testing.T) {
	require.Equal(t, Words(7, 3, 50), Words(7, 3, 50), "same seed and request")
	seen := map[string]bool{}
	for i := range 1000 {
		seen[strings.Join(strings.Fields(Words(7, uint64(i), 20))[:4], " ")] = true
	}
	require.Greater(t, len(seen), 995, "four words in, hardly any two requests share a prefix")
	require.NotEqual(t, Words(7, 0, 20), Words(8, 0, 20), "seeds differ")
}
