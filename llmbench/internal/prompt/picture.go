package prompt

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// Picture returns a PNG of the size given as a data URL. It shows a coarse
// mosaic, so that two pictures differ and a large one is still small to send.
func Picture(seed uint64, which, width, height int) string {
	stream := draw.New(seed, draw.Pictures+uint64(which))
	const tiles = 16
	var mosaic [tiles * tiles]color.RGBA
	for i := range mosaic {
		mosaic[i] = color.RGBA{uint8(stream.Below(256)), uint8(stream.Below(256)), uint8(stream.Below(256)), 255}
	}
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.SetRGBA(x, y, mosaic[y*tiles/height*tiles+x*tiles/width])
		}
	}
	var file bytes.Buffer
	_ = png.Encode(&file, picture) // a buffer never fails, and the size was checked
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes())
}
