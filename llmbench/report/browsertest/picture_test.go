package browsertest

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
)

// shownPicture is what the README shows of a report.
const shownPicture = "../../docs/report.png"

// pictureBytes bounds it, as every clone carries it.
const pictureBytes = 200_000

// judged is an open loop against a server that stalls, and claims on it.
func judged(t *testing.T) *llmbench.Result {
	t.Helper()
	result := run(t, stalling{}, llmbench.Profile{
		Arrivals: llmbench.Poisson(20), Duration: 30 * time.Second, MaxInFlight: 12,
		Input: llmbench.Uniform(100, 900), Output: llmbench.Uniform(5, 40), Seed: 3,
	})
	assert.Check(unheard{}, result,
		assert.EffectiveTTFT{P99: 500 * time.Millisecond},
		assert.ActivePrefill{Mean: 5000},
		assert.RequestLatency{P999: 5 * time.Second, Confidence: 0.95})
	return result
}

// unheard is a test that goes on whatever its claims say: they are in the result.
type unheard struct{}

func (unheard) Errorf(string, ...any) {}
func (unheard) FailNow()              {}

// With LLMBENCH_UPDATE=1 the README's picture is taken anew: the top of the page
// in a window of its size. Without, the file must be such a picture.
//
//	LLMBENCH_UPDATE=1 go test -run TestPictureOfTheReadme ./llmbench/report/browsertest
func TestPictureOfTheReadme(t *testing.T) {
	ctx := browser(t)
	l := look{"readme", 1100, 1490, false, true}
	open(t, ctx, written(t, judged(t)), l)
	if os.Getenv("LLMBENCH_UPDATE") != "" {
		shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(shownPicture, packed(t, shot), 0o644))
	}
	kept, err := os.ReadFile(shownPicture)
	require.NoError(t, err)
	require.Less(t, len(kept), pictureBytes)
	size, err := png.DecodeConfig(bytes.NewReader(kept))
	require.NoError(t, err)
	require.Equal(t, []int64{l.width, l.height}, []int64{int64(size.Width), int64(size.Height)})
}

// packed is the picture in its 256 most frequent colours, which for lines and
// text on white nobody can tell from all.
func packed(t *testing.T, picture []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	often := map[color.Color]int{}
	for x := range full.Bounds().Dx() {
		for y := range full.Bounds().Dy() {
			often[full.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(often), func(a, b color.Color) int { return often[b] - often[a] })
	few := image.NewPaletted(full.Bounds(), colours[:min(256, len(colours))])
	draw.Draw(few, few.Bounds(), full, image.Point{}, draw.Src)
	var out bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few))
	return out.Bytes()
}
