package browsertest

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/report"
)

//go:embed overlap.js
var overlapScript string

var looks = []look{
	{"wide-light", 1280, 900, false, true},
	{"wide-dark", 1280, 900, true, true},
	{"narrow-light", 390, 844, false, true},
	{"narrow-dark", 390, 844, true, true},
	{"wide-noscript", 1280, 900, false, false},
}

// Every look at every page: no complaint, no overlap, nothing wider than the
// page, and a picture for the reader of the artifacts.
func TestPagesInABrowser(t *testing.T) {
	ctx := browser(t)
	comparison := slowed(t)
	for _, p := range []struct {
		name, url string
		parts     []string
	}{
		{"brief", written(t, brief(t)), []string{"#chart-prefill", "#chart-lanes"}},
		{"stalled", written(t, stalled(t)), []string{"#claims", "#run", "#groups", "#server", "#tools", "#chart-ttft", "#chart-lanes", "#chart-latency-percentiles"}},
		{"compared", onDisk(t, func(w io.Writer) error { return report.WriteComparison(w, comparison) }), []string{"#change", "#chart-ttft-cdf", "#chart-decode"}},
	} {
		for _, l := range looks {
			t.Run(p.name+"-"+l.name, func(t *testing.T) {
				tab, closeTab := chromedp.NewContext(ctx)
				defer closeTab()
				open(t, tab, p.url, l)
				screenshot(t, tab, p.name+"-"+l.name)
				for _, part := range p.parts {
					picture(t, tab, part, p.name+"-"+l.name+"-"+strings.Trim(part, "#"))
				}
				if l.script {
					require.Empty(t, evaluate[[]string](t, tab, overlapScript), "text over text")
					require.LessOrEqual(t, evaluate[int64](t, tab, "document.documentElement.scrollWidth"), l.width, "the page scrolls sideways")
				}
			})
		}
	}
}

// The points in the pictures are those of the run.
func TestPlotsHaveTheRunsPoints(t *testing.T) {
	ctx := browser(t)
	result := brief(t)
	open(t, ctx, written(t, result), looks[0])
	count := func(chart, name, mark string) int {
		return evaluate[int](t, ctx, fmt.Sprintf(
			`(document.querySelector('#chart-%s svg.wide g[data-mark=%q][data-name=%q] path')?.getAttribute("d").match(/[ML]/g) ?? []).length`, chart, mark, name))
	}
	require.Equal(t, 2*200, count("ttft", "from send, at its send", "dots"), "a dot per request, each a line without length")
	require.Equal(t, 2*200, count("lanes", "prefill", "segments"), "a bar per request")
	require.Equal(t, 2*200, count("lanes", "decode", "segments"))
	steps := len(result.Spans(800)[llmbench.EffectivePrefillThroughput])
	require.Equal(t, 26, steps, "13 waves: busy, idle")
	require.Equal(t, 1+2*steps, count("prefill", "throughput", "steps"), "each step is two lines")
	require.Equal(t, 1+2*201, count("ttft-cdf", "from send", "steps"), "each request is a step, and the line ends at the frame")
}

// Zoom changes all charts on the clock together, and back.
func TestZoomAndHover(t *testing.T) {
	ctx := browser(t)
	open(t, ctx, written(t, brief(t)), looks[0])
	views := `Array.from(document.querySelectorAll("figure[data-clock] svg.wide svg.data")).map(s => { const b = s.viewBox.baseVal, w = s.width.baseVal.value; return [b.x / w, b.width / w].map(v => v.toFixed(3)).join(" ") })`
	require.Subset(t, []string{"0.000 1.000"}, evaluate[[]string](t, ctx, views))

	require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.CSS(`#time [data-zoom="in"]`))))
	zoomed := evaluate[[]string](t, ctx, views)
	require.GreaterOrEqual(t, len(zoomed), 8)
	require.Subset(t, []string{"0.250 0.500"}, zoomed, "the middle half, in every chart")
	require.Equal(t, "6.7600 s to 20.280 s", evaluate[string](t, ctx, `document.querySelector("#time output").textContent`))
	marks := evaluate[[]string](t, ctx, `Array.from(document.querySelectorAll("#chart-prefill svg.wide .svg-zoom text")).map(t => t.textContent)`)
	require.Equal(t, []string{"8", "10", "12", "14", "16", "18", "20"}, marks)
	require.Empty(t, evaluate[[]string](t, ctx, overlapScript), "no text over text when zoomed")
	picture(t, ctx, "#chart-prefill", "zoomed-prefill")

	require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.CSS(`#time [data-zoom="all"]`))))
	require.Subset(t, []string{"0.000 1.000"}, evaluate[[]string](t, ctx, views))

	drag(t, ctx, "#chart-decode svg.wide svg.data", 0.5, 0.75)
	require.Subset(t, []string{"0.500 0.250"}, evaluate[[]string](t, ctx, views), "dragging across one zooms all")
	require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.CSS(`#time [data-zoom="all"]`))))

	point(t, ctx, "#chart-prefill svg.wide svg.data", 0.5)
	tip := evaluate[string](t, ctx, `document.getElementById("tip").innerText`)
	require.Contains(t, tip, "13.52 s")
	require.Contains(t, tip, "throughput: 0 tok/s", "between two waves")
	require.Contains(t, tip, "active average, only while busy, 30.8k tok/s")
}

// The button goes through the themes, and each has its own paper.
func TestThemeButton(t *testing.T) {
	ctx := browser(t)
	open(t, ctx, written(t, brief(t)), looks[0])
	paper := func() string { return evaluate[string](t, ctx, `getComputedStyle(document.body).backgroundColor`) }
	line := func() string {
		return evaluate[string](t, ctx, `getComputedStyle(document.querySelector("#chart-prefill svg.wide g.s.steps path")).stroke`)
	}
	click := func() { require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.CSS("#theme")))) }
	require.Equal(t, "rgb(255, 255, 255)", paper())
	bright := line()
	click()
	require.Equal(t, "rgb(255, 255, 255)", paper(), "light")
	click()
	require.Equal(t, "rgb(15, 19, 24)", paper(), "dark")
	require.NotEqual(t, bright, line(), "the pictures change with the page")
	click()
	require.Equal(t, "rgb(255, 255, 255)", paper(), "as the system again")
}

// Nothing that a server or a file says becomes an element or runs.
func TestHostileTextStaysText(t *testing.T) {
	ctx := browser(t)
	evil := `</script></title></svg><script>document.title="owned"</script><img src=x onerror="document.title='owned'">`
	result := stalled(t)
	result.Test = evil
	result.Environment.Model, result.Environment.URL = evil, "http://x/"+evil
	result.Environment.Notes = []string{evil, strings.Repeat("x", 1<<20)}
	for i := range result.Records {
		result.Records[i].ID += evil
		if result.Records[i].Error != "" {
			result.Records[i].Error = evil
		}
	}
	result.AddJudgement(llmbench.Judgement{State: "fails", Line: evil, Rows: [][2]string{{evil, evil}}})
	open(t, ctx, written(t, result), looks[0])
	require.Equal(t, evil, evaluate[string](t, ctx, "document.title"))
	require.Equal(t, 1, evaluate[int](t, ctx, "document.scripts.length"))
	require.Equal(t, 0, evaluate[int](t, ctx, "document.images.length"))
	require.NotEmpty(t, evaluate[string](t, ctx, `document.querySelector("#theme").textContent`), "our own script ran")
}
