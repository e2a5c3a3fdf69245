package prompt

import (
	"encoding/base64"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBlocksThatAgreeAreTheSameWords(t *testing.T) {
	one := strings.Fields(Blocks(7, 1, []uint64{11, 12, 13}, 8, 20))
	two := strings.Fields(Blocks(7, 2, []uint64{11, 12, 99}, 8, 24))
	require.Len(t, one, 20, "the last block is cut")
	require.Len(t, two, 24)
	require.Equal(t, one[:16], two[:16], "two blocks shared")
	require.NotEqual(t, one[16:], two[16:20])

	longer := strings.Fields(Blocks(7, 1, []uint64{11}, 8, 30))
	require.Len(t, longer, 30, "blocks too few: own words fill up")
	require.Equal(t, one[:8], longer[:8])
	other := strings.Fields(Blocks(7, 5, []uint64{11}, 8, 30))
	require.NotEqual(t, longer[8:], other[8:], "and those are each request's own")
	require.NotEqual(t, one[:8], strings.Fields(Blocks(8, 1, []uint64{11}, 8, 8)), "another seed says other words")
}

func TestSharedPartsAreShared(t *testing.T) {
	require.Equal(t, Shared(7, 30), Shared(7, 30))
	require.NotEqual(t, Shared(7, 30), Prefix(7, 0, 30))
	require.NotEqual(t, Prefix(7, 0, 30), Prefix(7, 1, 30))
	require.NotEqual(t, Answer(7, 0, 30), Words(7, 0, 30))
	seen := map[int]int{}
	for session := range uint64(4000) {
		seen[Choose(7, session, 4)]++
	}
	require.Len(t, seen, 4)
	for which, n := range seen {
		require.InDelta(t, 1000, n, 110, "prefix %d; 4 standard deviations", which)
	}
}

func TestPictureIsAPNGOfItsSize(t *testing.T) {
	url := Picture(7, 0, 40, 25)
	data, found := strings.CutPrefix(url, "data:image/png;base64,")
	require.True(t, found)
	picture, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	require.NoError(t, err)
	require.Equal(t, [2]int{40, 25}, [2]int{picture.Bounds().Dx(), picture.Bounds().Dy()})
	require.NotEqual(t, url, Picture(7, 1, 40, 25))
}
