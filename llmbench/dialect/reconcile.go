package dialect

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/llmbench/go/llmbench"
)

// A quantity is one thing that tools measure, and what each calls it. An empty
// name says that the tool has no such figure.
type quantity struct {
	title  string
	metric llmbench.Metric
	// The names are those of rows, or of single numbers where the metric is one.
	aiperf, aisbench, vllm, guidellm string
}

var quantities = []quantity{
	{"first token", llmbench.TTFT, "Time to First Token", "TTFT", "TTFT", "time_to_first_token_ms"},
	{"first answer token", llmbench.TimeToFirstOutputToken, "Time to First Output Token", "", "", "time_to_first_output_token_ms"},
	{"time per token after the first", llmbench.TPOT, "Inter Token Latency", "TPOT", "TPOT", "inter_token_latency_ms"},
	{"time per token, the first included", llmbench.Metric{}, "", "", "", "time_per_output_token_ms"},
	{"gap between events", llmbench.ITL, "", "ITL", "ITL", ""},
	{"gap between content chunks", llmbench.ICL, "Inter Chunk Latency", "", "", ""},
	{"request latency from the send", llmbench.RequestLatency, "Request Latency", "E2EL", "E2EL", "request_latency"},
	{"request latency from the schedule", llmbench.EffectiveLatency, "Effective Latency", "", "E2EL including client queue", "scheduled_latency"},
	{"input tokens", llmbench.ISL, "Input Sequence Length", "InputTokens", "", "prompt_token_count"},
	{"output tokens", llmbench.OSL, "Output Sequence Length", "OutputTokens", "", "output_token_count"},
	{"prefill rate of a request", llmbench.PrefillThroughputPerUser, "Prefill Throughput Per User", "PrefillTokenThroughput", "", ""},
	{"output rate of a request", llmbench.E2EOutputTokenThroughput, "", "OutputTokenThroughput", "", "output_tokens_per_second"},
	{"duration", llmbench.BenchmarkDuration, "Benchmark Duration", "Benchmark Duration", "Benchmark duration (s)", ""},
	{"requests per second", llmbench.RequestThroughput, "Request Throughput", "Request Throughput", "Request throughput (req/s)", "requests_per_second"},
	{"output tokens per second", llmbench.OutputTokenThroughput, "Output Token Throughput", "Output Token Throughput", "Output token throughput (tok/s)", "output_tokens_per_second"},
	{"all tokens per second", llmbench.TotalTokenThroughput, "", "Total Token Throughput", "Total token throughput (tok/s)", "tokens_per_second"},
	{"requests in flight", llmbench.MeanConcurrency, "Effective Concurrency", "Concurrency", "", "request_concurrency"},
}

// Reconcile prints each quantity of a result under every tool's name: the mean
// or the number, how far it is from ours, and the rule that makes the
// difference. Spans are in milliseconds. AISBench's column is its whole stage of
// the requests that the result covers. It ends in a line feed.
func Reconcile(r *llmbench.Result) string {
	var out strings.Builder
	fmt.Fprintf(&out, "window %v to %v (rule %s), %d ok requests; means, and their distance from ours\n",
		r.Window.From, r.Window.To, r.Window.Rule, r.Counts.OK)
	tables := []*Table{AIPerf(r), aisbenchOf(r), VLLM(r), GuideLLM(r)}
	for _, q := range quantities {
		q.print(&out, r, tables)
	}
	return trimmed(out.String())
}

// trimmed cuts the blanks that a table leaves at line ends.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// aisbenchOf is AISBench's table of the requests that the result covers.
func aisbenchOf(r *llmbench.Result) *Table {
	var covered []llmbench.Record
	for record := range r.Requests() {
		covered = append(covered, *record)
	}
	return aisbench(covered, r.Concurrency).Whole
}

func (q quantity) print(out *strings.Builder, r *llmbench.Result, tables []*Table) {
	fmt.Fprintf(out, "\n%s\n", q.title)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	ours := llmbench.Known[float64]{}
	if tag := q.metric.Tag(); tag != "" {
		ours = r.Stats(q.metric).Mean()
		if q.metric.Unit() == "s" {
			ours = scaled(ours, 1000)
		}
		rule, _, _ := strings.Cut(q.metric.Definition(), " Absent")
		fmt.Fprintf(w, "  llmbench\t%s\t%s\t\t%s\n", tag, show(ours), rule)
	}
	for i, name := range []string{q.aiperf, q.aisbench, q.vllm, q.guidellm} {
		if name == "" {
			continue
		}
		value, rule := tables[i].find(name, q.metric.Kind() == llmbench.Single)
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", tables[i].Tool, name, show(value), distance(value, ours), rule)
	}
	w.Flush()
}

// find gives the mean of a row or a single number, in milliseconds where the
// tool has seconds, and the rule.
func (t *Table) find(name string, number bool) (llmbench.Known[float64], string) {
	if e, ok := t.Entry(name); ok && number {
		return scaled(e.Value, perMilli(e.Unit)), ""
	}
	row, _ := t.Row(name)
	return scaled(row.figures().Mean(), perMilli(row.Unit)), row.Rule
}

func perMilli(unit string) float64 {
	if unit == "s" || unit == "sec" {
		return 1000
	}
	return 1
}

func scaled(v llmbench.Known[float64], by float64) llmbench.Known[float64] {
	if value, ok := v.Get(); ok {
		return llmbench.Is(value * by)
	}
	return v
}

// distance is how far a value is from ours in per cent; empty where one does not
// exist, and "=" within a millionth.
func distance(value, ours llmbench.Known[float64]) string {
	a, ok := value.Get()
	b, known := ours.Get()
	if !ok || !known || b == 0 {
		return ""
	}
	part := (a - b) / b
	if part < 1e-6 && part > -1e-6 {
		return "="
	}
	return fmt.Sprintf("%+.2f%%", 100*part)
}
