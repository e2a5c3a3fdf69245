package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/internal/figure"
)

// sliceCount is how many slices of time the table has.
const sliceCount = 12

// A group is some of the requests, and what became of them.
type group struct {
	name             string
	ok, failed, rest int
	ttft, latency    []float64
}

func (g *group) add(r *request) {
	switch {
	case r.Outcome == llmbench.OK:
		g.ok++
	case r.Outcome.Failed():
		g.failed++
	default:
		g.rest++
	}
	if v, ok := r.latency(llmbench.EffectiveTTFT).Get(); ok {
		g.ttft = append(g.ttft, v)
	}
	if v, ok := r.latency(llmbench.EffectiveLatency).Get(); ok {
		g.latency = append(g.latency, v)
	}
}

var groupHead = []string{"ok", "failed", "other", "TTFT p50", "TTFT p99", "latency p50", "latency p99"}

func (g *group) cells() []string {
	return []string{
		fmt.Sprint(g.ok), fmt.Sprint(g.failed), fmt.Sprint(g.rest),
		rank(g.ttft, 0.5), rank(g.ttft, 0.99), rank(g.latency, 0.5), rank(g.latency, 0.99),
	}
}

// rank words the value at the nearest rank of q; the sample is sorted by it.
func rank(values []float64, q float64) string {
	if len(values) == 0 {
		return ""
	}
	slices.Sort(values)
	return figure.Brief(values[min(int(q*float64(len(values))), len(values)-1)], "ms")
}

// timeSlices cut the run into equal slices, by the requests' scheduled instants
// (the send where that is unknown) and by the curves' areas.
func (t *timeline) timeSlices() []titled {
	w := t.result.Window
	if w.Length() <= 0 {
		return nil
	}
	groups := make([]group, sliceCount)
	for j := range t.requests {
		r := &t.requests[j]
		at := r.Scheduled.Or(r.Sent.Or(w.From))
		i := int(float64(at-w.From) / float64(w.Length()) * sliceCount)
		groups[min(max(i, 0), sliceCount-1)].add(r)
	}
	out := grid{Head: append([]string{"from", "in flight", "prefill tok/s", "decode tok/s"}, groupHead...)}
	curves := [][]llmbench.Span{
		binned(t.spans[llmbench.EffectiveConcurrency], sliceCount), binned(t.spans[llmbench.EffectivePrefillThroughput], sliceCount),
		binned(t.spans[llmbench.EffectiveDecodeThroughput], sliceCount),
	}
	for i := range groups {
		row := []string{tidy(w.From + w.Length()/sliceCount*time.Duration(i)).String()}
		for _, c := range curves {
			row = append(row, meanOf(c, i))
		}
		out.Rows = append(out.Rows, append(row, groups[i].cells()...))
	}
	return []titled{{
		Title: "By slice of time", Table: out,
		Note: "Requests are counted where the schedule wanted them; their latencies are from the schedule, percentiles by nearest rank.",
	}}
}

func meanOf(spans []llmbench.Span, i int) string {
	if i >= len(spans) {
		return ""
	}
	return figure.Brief(spans[i].Mean, "")
}

// classes are tables of the requests by what kind they were: their label, their
// turn in a conversation, their prompt's length. A kind with one class only is
// left out, as the table of all figures has it. [llmbench.Result.By] and Slices
// have every figure of a part, for the price of an analysis each; this page
// counts what it shows.
func (t *timeline) classes() []titled {
	var all []titled
	for _, kind := range []struct {
		title string
		of    func(*llmbench.Record) string
	}{
		{"By label", func(r *llmbench.Record) string { return short(llmbench.ByLabel(r)) }},
		{"By turn", llmbench.ByTurn},
		{"By prompt tokens", llmbench.ByInput(64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)},
	} {
		if table := t.classTable(kind.of); len(table.Rows) > 1 {
			all = append(all, titled{Title: kind.title, Table: table, Note: "Latencies are from the schedule, percentiles by nearest rank."})
		}
	}
	return all
}

// maxClasses keeps a table readable where every request has a label of its own.
const maxClasses = 24

func (t *timeline) classTable(of func(*llmbench.Record) string) grid {
	byName := map[string]*group{}
	var order []*group
	for i := range t.requests {
		name := of(t.requests[i].Record)
		if byName[name] == nil {
			byName[name] = &group{name: name}
			order = append(order, byName[name])
		}
		byName[name].add(&t.requests[i])
	}
	slices.SortStableFunc(order, func(a, b *group) int {
		return cmp.Or(cmp.Compare(leading(a.name), leading(b.name)), strings.Compare(a.name, b.name))
	})
	out := grid{Head: append([]string{"class"}, groupHead...)}
	for i, g := range order {
		if i == maxClasses {
			out.Rows = append(out.Rows, []string{fmt.Sprintf("and %d more", len(order)-i)})
			break
		}
		out.Rows = append(out.Rows, append([]string{g.name}, g.cells()...))
	}
	return out
}

// leading is the number that a name begins with, so that 2 comes before 10;
// names without one come last.
func leading(name string) int {
	end := strings.IndexFunc(name+" ", func(r rune) bool { return r < '0' || r > '9' })
	n, err := strconv.Atoi(name[:end])
	if err != nil {
		return math.MaxInt
	}
	return n
}
