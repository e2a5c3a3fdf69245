package report

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// brief is the worked run of NVIDIA's brief in virtual time.
func brief(t *testing.T) (result *llmbench.Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
		result, err = llmbench.Do(t.Context(), server, llmbench.Profile{
			Arrivals: llmbench.Closed(16), Requests: 200, Input: llmbench.Tokens(200), Output: llmbench.Tokens(100), Seed: 7,
		})
		require.NoError(t, err)
	})
	return result
}

// synthetic is a long run made by arithmetic: one request every millisecond, of
// so many chunks a millisecond apart, after a wait that repeats every 7 requests.
func synthetic(requests, chunks int) []llmbench.Record {
	records := make([]llmbench.Record, requests)
	for i := range records {
		scheduled := time.Duration(i) * time.Millisecond
		sent := scheduled + time.Duration(i%7)*time.Millisecond
		r := llmbench.Record{
			ID: fmt.Sprintf("r%d", i), Outcome: llmbench.OK, Streamed: true,
			Scheduled: llmbench.Is(scheduled), Sent: llmbench.Is(sent),
			InputTokens: llmbench.Is(200), OutputTokens: llmbench.Is(chunks),
			Chunks: make([]llmbench.Chunk, chunks),
		}
		for j := range r.Chunks {
			r.Chunks[j] = llmbench.Chunk{At: sent + time.Duration(50+j)*time.Millisecond + time.Duration(i%1000), Kind: llmbench.ContentChunk}
		}
		r.End = llmbench.Is(r.Chunks[chunks-1].At)
		records[i] = r
	}
	return records
}

func analysed(t testing.TB, records []llmbench.Record) *llmbench.Result {
	t.Helper()
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	return result
}

func written(t testing.TB, r *llmbench.Result) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, r))
	return out.String()
}

// has and hasNot look into a page without printing it when they fail.
func has(t *testing.T, page, text string) {
	t.Helper()
	if !strings.Contains(page, text) {
		t.Errorf("the page lacks %q", text)
	}
}

func hasNot(t *testing.T, page, text string) {
	t.Helper()
	if at := strings.Index(page, text); at >= 0 {
		t.Errorf("the page has %q: %q", text, page[max(0, at-80):min(len(page), at+80)])
	}
}

// Whatever the run, the page loads nothing and is well under 2 MB.
func TestPageStandsAlone(t *testing.T) {
	for name, r := range map[string]*llmbench.Result{
		"brief": brief(t), "empty": analysed(t, nil), "long": analysed(t, synthetic(20_000, 20)),
	} {
		page := written(t, r)
		require.Less(t, len(page), 2<<20, name)
		require.False(t, regexp.MustCompile(`(?i)(src|href)\s*=\s*"(https?:)?//`).MatchString(page), name)
		require.False(t, regexp.MustCompile(`(?i)@import|url\(`).MatchString(page), name)
		hasNot(t, page, "NaN")
		hasNot(t, page, "Inf")
		hasNot(t, page, "ZgotmplZ")
		for _, code := range []string{"#0000FF", "#00FF00", "#FFFF00", "#00FFFF", "#FF0000"} {
			hasNot(t, page, code)
		}
	}
}

// The page tells both averages of the story: 1.48k over the run, 30.8k while
// prefill was going on.
func TestPageTellsEffectiveFromActive(t *testing.T) {
	page := written(t, brief(t))
	has(t, page, "effective average, idle time included, 1.48k tok/s")
	has(t, page, "active average, only while busy, 30.8k tok/s")
	has(t, page, "1.48k tok/s effective</strong><span class=\"more\">30.8k tok/s while active")
	has(t, page, "No claim was judged")
}

// A long run is drawn in columns, and says so; no column's peak is lost.
func TestLongRunsAreDrawnInColumns(t *testing.T) {
	line := newTimeline(analysed(t, synthetic(20_000, 20)))
	chart := line.concurrency()
	require.Contains(t, chart.note, "Drawn in 800 columns")
	for size, columns := range map[string]int{"wide": 800, "narrow": 280} {
		for _, s := range chart.shown(size == "narrow") {
			require.Len(t, s.points, columns, "%s %s", size, s.name)
		}
	}
	wide, narrow := highest(chart.series), highest(chart.narrow)
	require.Equal(t, line.result.Stats(llmbench.EffectiveConcurrency).Max().Or(-1), wide)
	require.Equal(t, wide, narrow, "the narrow picture has the same peak")
}

func highest(all []series) float64 {
	top := math.Inf(-1)
	for _, s := range all {
		for _, p := range s.points {
			top = max(top, p.y)
		}
	}
	return top
}

// Columns of columns keep extremes, and the area under the curve.
func TestRebin(t *testing.T) {
	spans := []llmbench.Span{
		{From: 0, To: 3, Low: 1, High: 1, Mean: 1}, {From: 3, To: 4, Low: 9, High: 9, Mean: 9},
		{From: 4, To: 8, Low: 2, High: 6, Mean: 3}, {From: 8, To: 10, Low: 0, High: 0, Mean: 0},
	}
	require.Equal(t, spans, rebin(spans, 4), "few stay as they are")
	got := rebin(spans, 2)
	require.Equal(t, []llmbench.Span{
		{From: 0, To: 5, Low: 1, High: 9, Mean: (3*1 + 9 + 3) / 5.0},
		{From: 5, To: 10, Low: 0, High: 6, Mean: (3*3 + 0) / 5.0},
	}, got)
}

// Dots are thinned, never at the top: what is slowest stays.
func TestThinnedDotsKeepTheSlowest(t *testing.T) {
	var points []point
	for i := range 10_000 {
		points = append(points, point{float64(i) / 1000, float64(i % 100)})
	}
	points[5432].y = 1000
	kept := thinned(points, llmbench.Window{To: 10 * time.Second})
	require.LessOrEqual(t, len(kept), maxDots)
	require.Contains(t, kept, points[5432])
	require.Len(t, thinned(points[:maxDots], llmbench.Window{To: 10 * time.Second}), maxDots)
}

func TestDistributionPoints(t *testing.T) {
	s := sample{values: []float64{10, 20, 30, 40}}
	x := logAxis("", "ms", 10, 40)
	require.Equal(t, []point{{10, 0}, {10, 25}, {20, 50}, {30, 75}, {40, 100}, {50, 100}}, s.shares(x))
	by := s.percentiles(from0("", "ms", 40))
	require.Equal(t, []float64{10, 20, 30, 40, 40}, heights(by))
	require.InDelta(t, math.Log10(2), by[2].x, 1e-12, "the third value begins at p50")
	require.InDelta(t, 3, by[4].x, 1e-12, "the line ends at p99.9")

	long := sample{values: make([]float64, 100_000)}
	ranks := long.ranks()
	require.LessOrEqual(t, len(ranks), curvePoints)
	require.Equal(t, [2]int{0, 99_999}, [2]int{ranks[0], ranks[len(ranks)-1]})
	for _, p := range long.percentiles(from0("", "ms", 1)) {
		require.LessOrEqual(t, p.x, 3+1e-9, "nothing beyond the axis' end, p99.9")
	}
}

func heights(points []point) (all []float64) {
	for _, p := range points {
		all = append(all, p.y)
	}
	return all
}

func TestAxes(t *testing.T) {
	for _, row := range []struct {
		why      string
		got      axis
		min, max float64
	}{
		{"round numbers around the values", logAxis("", "", 63, 3100), 50, 5000},
		{"a value on the edge gets room above", logAxis("", "", 100, 100), 100, 200},
		{"no positive value", logAxis("", "", 0, 0), 1, 20},
		{"small values", logAxis("", "", 0.0031, 0.004), 0.002, 0.005},
		{"a factor of 100 of latencies is drawn on a log axis", valueAxis(10, 1000), 10, 2000},
		{"a narrow range fills the axis", valueAxis(100, 150), 96, 154},
		{"one value has room on both sides", valueAxis(100, 100), 99, 101},
		{"nothing at all", from0("", "", 0), 0, headroom},
	} {
		require.InEpsilon(t, row.max, row.got.max, 1e-9, row.why)
		require.InDelta(t, row.min, row.got.min, 1e-9, row.why)
	}
	var names []string
	for _, tick := range evenTicks(0, 33_900, 6) {
		names = append(names, tick.Label)
	}
	require.Equal(t, []string{"0", "10k", "20k", "30k"}, names)
}

// The lanes of a long run are some of it, the slowest always among them.
func TestLanesKeepTheSlowest(t *testing.T) {
	records := synthetic(1000, 3)
	slow := &records[777]
	slow.End = llmbench.Is(slow.End.Or(0) + time.Minute)
	line := newTimeline(analysed(t, records))
	chosen, total := line.chosenLanes()
	require.Equal(t, 1000, total)
	require.Len(t, chosen, maxLanes)
	require.Contains(t, chosen, slow)
	require.Contains(t, line.lanes().note, "240 of 1000 requests")
}

// The server's own gauges lie on the run's clock, and what disagrees says so.
func TestServerSideIsShown(t *testing.T) {
	r := analysed(t, synthetic(100, 5))
	require.Nil(t, newTimeline(r).serverCharts(), "nobody asked the server")
	r.ServerSide = &llmbench.ServerSide{Engine: "vllm", Readings: []llmbench.ServerReading{
		{At: -time.Second, Running: llmbench.Is(1.0), OutputTokens: llmbench.Is(0.0)},
		{At: 50 * time.Millisecond, Running: llmbench.Is(99.0)},
		{At: time.Hour, Running: llmbench.Is(3.0), OutputTokens: llmbench.Is(400.0)},
	}}
	charts := newTimeline(r).serverCharts()
	require.Nil(t, charts[1], "no reading of the cache")
	running := charts[0].series[len(charts[0].series)-1]
	require.Equal(t, []point{{0, 1}, {0.05, 99}, {r.Window.To.Seconds(), 3}}, running.points, "readings around the run are drawn at its edges")
	require.Greater(t, charts[0].y.max, 99.0)
	page := written(t, r)
	require.True(t, regexp.MustCompile(`output tokens \(tokens\)</th><td>500.00</td><td>400.00</td><td>8.00</td><td>DISAGREES`).MatchString(page))
}

// What spoils the figures stands above them.
func TestWarningsComeFirst(t *testing.T) {
	r := analysed(t, synthetic(3, 3))
	require.Empty(t, warnings(r))
	r.Generator = &llmbench.Generator{Fitness: llmbench.Fit}
	require.Empty(t, warnings(r))
	r.Generator = &llmbench.Generator{Fitness: llmbench.Strained, Reasons: []string{"a timer was late", "CPU 0.9"}}
	r.Stopped = "interrupted"
	require.Equal(t, []string{
		"The run ended early, these are partial results: interrupted",
		"The load generator itself was strained: a timer was late; CPU 0.9",
	}, warnings(r))
	page := written(t, r)
	require.Less(t, strings.Index(page, "was strained"), strings.Index(page, "class=\"cards\""))
}

func TestClassesAndSlices(t *testing.T) {
	records := synthetic(240, 3)
	for i := range records {
		records[i].InputTokens = llmbench.Is(100 + 900*(i%2))
		records[i].Turn = i % 12
	}
	records[7].Outcome = llmbench.Error
	r := analysed(t, records)
	var titles []string
	for _, table := range newTimeline(r).classes() {
		titles = append(titles, table.Title)
		if table.Title == "By prompt tokens" {
			require.Equal(t, []string{"64-127", "120", "0", "0"}, table.Table.Rows[0][:4])
			require.Equal(t, []string{"512-1023", "119", "1", "0"}, table.Table.Rows[1][:4])
		}
		if table.Title == "By turn" {
			require.Equal(t, "11", table.Table.Rows[11][0], "by number, not by letter")
		}
	}
	require.Equal(t, []string{"By turn", "By prompt tokens"}, titles, "no record has a label")

	slices := newTimeline(r).timeSlices()[0].Table
	require.Len(t, slices.Rows, sliceCount)
	sum := 0
	for _, row := range slices.Rows {
		var n int
		_, err := fmt.Sscan(row[4], &n)
		require.NoError(t, err)
		sum += n
	}
	require.Equal(t, 239, sum, "every request is in one slice")
}

func TestComparisonPage(t *testing.T) {
	runs := func(name string, slower time.Duration) *llmbench.Runs {
		var results []*llmbench.Result
		for i := range 5 {
			records := synthetic(50, 3)
			for j := range records {
				records[j].Chunks[0].At += slower + time.Duration(i)
			}
			for j := range records {
				for k := range records[j].Chunks[1:] {
					records[j].Chunks[k+1].At += slower + time.Duration(i)
				}
				records[j].End = llmbench.Is(records[j].End.Or(0) + slower + time.Duration(i))
			}
			results = append(results, analysed(t, records))
		}
		all, err := llmbench.NewRuns(name, results...)
		require.NoError(t, err)
		return all
	}
	comparison := llmbench.Compare(runs("base<b>", 0), runs("now", 40*time.Millisecond))
	var out bytes.Buffer
	require.NoError(t, WriteComparison(&out, comparison))
	page := out.String()
	has(t, page, "figures regressed")
	has(t, page, "before: base&lt;b&gt;, 5 runs; after: 5 runs")
	has(t, page, `data-name="before"`)
	has(t, page, `data-name="after"`)
	hasNot(t, page, "ZgotmplZ")
}

// Text of strangers is escaped and cut, in every place it goes to.
func TestStrangersTextIsEscaped(t *testing.T) {
	const evil = `"'><script>alert(1)</script>`
	records := synthetic(3, 3)
	records[1].ID = evil
	records[2].Outcome, records[2].Error = llmbench.Error, evil+strings.Repeat("x", 1<<20)
	r := analysed(t, records)
	r.Test, r.Stopped = evil, evil
	r.Generator = &llmbench.Generator{Fitness: llmbench.Unfit, Reasons: []string{evil}}
	r.Environment = &llmbench.Environment{URL: evil, Model: evil, API: evil, Version: evil, Notes: []string{evil}}
	r.AddJudgement(llmbench.Judgement{State: evil, Line: evil, Rows: [][2]string{{evil, evil}}})
	page := written(t, r)
	require.Less(t, len(page), 1<<20)
	require.Equal(t, 1, len(regexp.MustCompile(`<script`).FindAllString(page, -1)), "ours only")
	hasNot(t, page, "<script>alert")
	has(t, page, "more bytes)")
}
