package report

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The library writes colours as hex codes. These stand for what the page's style
// decides, so that one picture serves the light and the dark page; every
// component is 0 or 255, which no rounding in the library changes.
var (
	inkColor   = color.RGBA{0, 0, 255, 255}   // axis lines, labels
	tickColor  = color.RGBA{0, 255, 0, 255}   // names of the x axis' marks, which zoom replaces
	gridColor  = color.RGBA{255, 255, 0, 255} // horizontal grid
	xGridColor = color.RGBA{0, 255, 255, 255} // vertical grid, which zoom replaces
	dataColor  = color.RGBA{255, 0, 0, 255}   // whatever the series' colour is
)

var themed = strings.NewReplacer(
	"#0000FF", "var(--muted)", "#00FF00", "var(--muted)", "#FFFF00", "var(--grid)", "#00FFFF", "var(--grid)", "#FF0000", "var(--c)",
)

// zoomed are the elements that the script replaces when it zooms.
var zoomed = regexp.MustCompile(`<(path|text)([^>]*(?:fill|stroke):#(?:00FF00|00FFFF)[^>]*)>`)

// A size is the shape of one picture, in points.
type size struct {
	class         string
	width, height float64
	font          float64
	xTicks        int
	yTicks        int
}

func (c *chart) sizes() []size {
	height := c.height
	if height == 0 {
		height = 250
	}
	return []size{
		{"wide", 1040, height, 12, 12, 6},
		{"narrow", 350, max(210, height*0.8), 11, 5, 5},
	}
}

// svg draws the chart in both sizes.
func (c *chart) svg() string {
	var out strings.Builder
	for _, s := range c.sizes() {
		c.draw(&out, s)
	}
	return out.String()
}

// margin keeps names at the edges inside the picture, whose font may be wider
// than the one the library measures with.
const margin = 8

func (c *chart) draw(out *strings.Builder, s size) {
	p := c.frame(s)
	whole := draw.NewCanvas(vgsvg.New(vg.Length(s.width), vg.Length(s.height)), vg.Length(s.width), vg.Length(s.height))
	inner := p.DataCanvas(draw.Crop(whole, margin, -margin, 0, -margin))
	fmt.Fprintf(out, `<svg class="%s" viewBox="0 0 %g %g" role="img" aria-label="%s"%s>`+"\n",
		s.class, s.width, s.height, html.EscapeString(c.title+". "+c.note), c.laneWidth(s))
	out.WriteString(`<g class="frame">`)
	out.WriteString(fragment(s.width, s.height, func(all draw.Canvas) { p.Draw(draw.Crop(all, margin, -margin, 0, -margin)) }))
	out.WriteString("</g>\n")
	width, height := inner.Max.X-inner.Min.X, inner.Max.Y-inner.Min.Y
	fmt.Fprintf(out, `<svg class="data" x="%.5g" y="%.5g" width="%.5g" height="%.5g" viewBox="0 0 %.5g %.5g" preserveAspectRatio="none"`,
		inner.Min.X, vg.Length(s.height)-inner.Max.Y, width, height, width, height)
	fmt.Fprintf(out, ` data-x0="%g" data-x1="%g" data-xlog="%t" data-y0="%g" data-y1="%g" data-ylog="%t" data-xunit="%s" data-yunit="%s">`+"\n",
		c.x.min, c.x.max, c.x.log, c.y.min, c.y.max, c.y.log, c.x.unit, c.y.unit)
	for _, one := range c.shown(s.class == "narrow") {
		fmt.Fprintf(out, `<g class="s %s" data-mark="%s" data-name="%s" data-quiet="%t" style="--c:var(--s%d)">`,
			one.mark, one.mark, html.EscapeString(one.name), one.quiet, one.color)
		out.WriteString(fragment(float64(width), float64(height), func(canvas draw.Canvas) { one.plot(canvas, p) }))
		out.WriteString("</g>\n")
	}
	out.WriteString("</svg>\n</svg>\n")
}

// laneWidth leaves a little room between the bars of a chart of requests.
func (c *chart) laneWidth(s size) string {
	if len(c.lanes) == 0 {
		return ""
	}
	return fmt.Sprintf(` style="--lane:%.2gpx"`, min(max((s.height-50)/float64(len(c.lanes)+1)*0.8, 1), 9))
}

// fragment runs the drawing and returns the elements it made, without the
// document around them.
func fragment(width, height float64, drawing func(draw.Canvas)) string {
	canvas := vgsvg.New(vg.Length(width), vg.Length(height))
	drawing(draw.New(canvas))
	var out bytes.Buffer
	_, _ = canvas.WriteTo(&out) // a bytes.Buffer never fails to write
	text := out.String()
	text = text[strings.Index(text, "<g "):strings.LastIndex(text, "</svg>")]
	text = zoomed.ReplaceAllString(text, `<$1 class="x"$2>`)
	return themed.Replace(strings.TrimSpace(text))
}

// frame is the chart without its data.
func (c *chart) frame(s size) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	c.x.apply(&p.X, s.xTicks)
	c.y.apply(&p.Y, s.yTicks)
	sans := func(size float64) font.Font {
		return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(s.font), sans(s.font)
		a.Label.TextStyle.Color, a.Tick.Label.Color, a.Color = inkColor, inkColor, inkColor
		a.Tick.LineStyle.Color, a.Tick.Length, a.Label.Padding = inkColor, 3, 4
	}
	p.X.Tick.Length = 7 // so that the names below clear those beside the corner
	p.X.Tick.Label.Color, p.X.Tick.LineStyle.Color = tickColor, tickColor
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: xGridColor, Width: 0.6}
	grid.Horizontal = draw.LineStyle{Color: gridColor, Width: 0.6}
	p.Add(grid)
	return p
}
