package llmbench

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench/internal/figure"
)

// String prints the result for people, in full: what was run and over which
// window, then one table per group of metrics. A metric that is absent has no
// row; ask [Result.Stats] why. The tables are as wide as the environment
// variable COLUMNS allows, and where that is too narrow have fewer columns.
// Text that a server or a file brought is cut and escaped.
func (r *Result) String() string {
	var text strings.Builder
	r.writeHead(&text)
	width, _ := strconv.Atoi(os.Getenv("COLUMNS")) // not a number: no bound
	writeTables(&text, r, width)
	return text.String()
}

// Summary prints the result for people in ten lines: what was run and over
// which window, what failed, and the figures most asked for. A stopped run and
// a first failure have a line more. [Result.String] is the long form.
func (r *Result) Summary() string {
	var text strings.Builder
	r.writeHead(&text)
	for _, line := range summaryLines {
		if value := r.phrases(line.phrases); value != "" {
			writeRow(&text, line.label, "%s", value)
		}
	}
	return text.String()
}

// A phrase is a figure in a line of the summary, with the words around it.
type phrase struct {
	before string
	metric Metric
	// q is the quantile shown; mean shows the mean instead.
	q     float64
	after string
}

const mean = -1

var summaryLines = []struct {
	label   string
	phrases []phrase
}{
	{"ttft", []phrase{
		{"p50 ", TTFT, 0.5, ""}, {"  p90 ", TTFT, 0.9, ""}, {"  p99 ", TTFT, 0.99, ""}, {"  max ", TTFT, 1, ""},
	}},
	{"tpot", []phrase{
		{"p50 ", TPOT, 0.5, ""}, {"  p90 ", TPOT, 0.9, ""}, {"  p99 ", TPOT, 0.99, ""}, {"  max ", TPOT, 1, ""},
	}},
	{"latency", []phrase{
		{"p50 ", RequestLatency, 0.5, ""}, {"  p99 ", RequestLatency, 0.99, " from send;"},
		{"  p50 ", EffectiveLatency, 0.5, ""}, {"  p99 ", EffectiveLatency, 0.99, " from schedule"},
	}},
	{"prefill", []phrase{
		{"", EffectivePrefillThroughput, mean, " effective,"}, {" ", ActivePrefillThroughput, mean, " while active"},
	}},
	{"decode", []phrase{
		{"", EffectiveDecodeThroughput, mean, " effective,"}, {" ", ActiveDecodeThroughput, mean, " while active"},
	}},
	{"load", []phrase{
		{"", RequestThroughput, mean, " done,"}, {" ", MeanConcurrency, mean, " in flight on average,"},
		{" at most ", MaxConcurrency, mean, ""},
	}},
}

// phrases prints the figures that are there.
func (r *Result) phrases(all []phrase) string {
	var text strings.Builder
	for _, p := range all {
		value := r.Stats(p.metric).Mean()
		if p.q != mean {
			value = r.Stats(p.metric).Quantile(p.q)
		}
		if v, ok := value.Get(); ok {
			text.WriteString(p.before + figure.Brief(v, p.metric.Unit()) + p.after)
		}
	}
	return strings.Trim(text.String(), " ,;")
}

func writeRow(text *strings.Builder, label, format string, args ...any) {
	fmt.Fprintf(text, "  %-10s %s\n", label, fmt.Sprintf(format, args...))
}

// writeHead tells what the figures below it are figures of.
func (r *Result) writeHead(text *strings.Builder) {
	fmt.Fprintf(text, "llmbench: %s\n", r.title())
	if e := r.Environment; e != nil {
		for _, note := range e.Notes {
			writeRow(text, "note", "%s", plain(note))
		}
	}
	writeRow(text, "window", "%s", ascii(r.Window.String()))
	writeRow(text, "requests", "%v", r.Counts)
	if r.Stopped != "" {
		writeRow(text, "stopped", "%s: these are partial results", plain(r.Stopped))
	}
	if r.Decided != "" {
		writeRow(text, "decided", "%s: the rest was not sent", plain(r.Decided))
	}
	if failure := r.firstFailure(); failure != nil {
		writeRow(text, "failed", "first %s: %s", plain(failure.ID), plain(failure.Error))
	}
	if r.Generator != nil {
		writeRow(text, "generator", "%s", r.generatorLine())
	}
	if r.ServerSide != nil {
		writeRow(text, "server", "%s", plain(r.serverLine()))
	}
	for _, warning := range r.disagreements() {
		writeRow(text, "warning", "%s", warning)
	}
}

// title is the load and where it went.
func (r *Result) title() string {
	text := fmt.Sprintf("%d records", len(r.Records))
	if r.Schedule != nil {
		text = r.Schedule.String()
	}
	if e := r.Environment; e != nil {
		text += fmt.Sprintf(", on %s, model %q, API %s", plain(e.URL), plain(e.Model), plain(e.API))
	}
	return text
}

// generatorLine is the verdict on the harness itself, why it is not better, and
// whether it kept the schedule, which a closed loop does not have.
func (r *Result) generatorLine() string {
	g := r.Generator
	parts := slices.Clone(g.Reasons)
	if g.Fitness != "" {
		parts = append([]string{string(g.Fitness)}, parts...)
	}
	if g.LagP99.Ok() {
		parts = append(parts, fmt.Sprintf("%d requests left over %v late, p99 lag %v", g.Late, LateSend, rounded(g.LagP99.Or(0))))
	}
	if g.CapFull > 0 {
		parts = append(parts, fmt.Sprintf("%d arrivals found no slot free", g.CapFull))
	}
	if g.CoalescedReads > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d reads held several content events", g.CoalescedReads, g.Reads))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%d reads, one content event each at most", g.Reads)
	}
	return ascii(strings.Join(parts, "; "))
}

// firstFailure is the first measured request that failed, or nil.
func (r *Result) firstFailure() *Record {
	for i := range r.Records {
		if r.Records[i].Measured() && r.Records[i].Outcome.Failed() {
			return &r.Records[i]
		}
	}
	return nil
}

// String tells the window's length, where it lies in the run, and its rule, to
// five digits of its length.
func (w Window) String() string {
	digit := time.Duration(1)
	for w.Length()/digit >= 100_000 {
		digit *= 10
	}
	return fmt.Sprintf("%v from %v to %v, rule %s", w.Length().Round(digit), w.From.Round(digit), w.To.Round(digit), w.Rule)
}

// String tells how many requests were planned and what became of them, without
// the outcomes that none had.
func (c Counts) String() string {
	text := fmt.Sprintf("%d planned: %d ok", c.Planned, c.OK)
	for _, part := range []struct {
		n    int
		what string
	}{
		{c.Error, "error"}, {c.Timeout, "timeout"}, {c.Rejected, "rejected"}, {c.Empty, "empty"},
		{c.Incomplete, "incomplete"}, {c.Cancelled, "cancelled"}, {c.Unsent, "unsent"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	if c.Warmup > 0 {
		text += fmt.Sprintf("; %d more warmed up", c.Warmup)
	}
	if c.Cooldown > 0 {
		text += fmt.Sprintf("; %d more after the end", c.Cooldown)
	}
	return text
}

// ascii spells the one letter outside ASCII that a time.Duration prints.
func ascii(text string) string { return strings.ReplaceAll(text, "µ", "u") }
