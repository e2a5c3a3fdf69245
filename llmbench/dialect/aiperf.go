package dialect

import (
	"time"

	"github.com/llmbench/go/llmbench"
)

var aiperfColumns = []column{
	meanColumn("avg"), quantileColumn("min", 0), quantileColumn("max", 1), quantileColumn("p99", 0.99),
	quantileColumn("p90", 0.9), quantileColumn("p50", 0.5), stdColumn("std"),
}

// AIPerf shows a result under NVIDIA AIPerf's names and rules, as its console
// does: milliseconds and tokens per second.
//
// Its inter token latency is a mean per request, our time_per_output_token, and
// divides by OSL-1 also where the first chunk brings several tokens. Its
// effective latency starts when the request had won a slot, which is the send
// here: the wait for the slot is missing. The curves are ours; AIPerf's differ
// as the window and the fallback for records without chunks do.
func AIPerf(r *llmbench.Result) *Table {
	all, _ := requests(r)
	n := len(all)
	t := &Table{Tool: "AIPerf", columns: aiperfColumns}
	t.add("Time to First Token", "ms", "first content, reasoning included - send", n, values(all, firstContent))
	t.add("Time to Second Token", "ms", "second content - first", n, values(all, secondContent))
	t.add("Time to First Output Token", "ms", "first content that is not reasoning - send", n, values(all, firstAnswer))
	t.add("Request Latency", "ms", "last content - send", n, values(all, lastContent))
	t.add("Inter Token Latency", "ms", "(request latency - TTFT)/(OSL-1), per request", n, values(all, perToken))
	t.add("Inter Chunk Latency", "ms", "gaps of content, pooled", n, pooled(all, 1e6, contents))
	t.add("Output Token Throughput Per User", "tokens/sec/user", "1 / inter token latency", n, values(all, perTokenRate))
	t.add("Prefill Throughput Per User", "tokens/sec/user", "ISL / TTFT", n, values(all, prefillRate))
	t.add("Output Sequence Length", "tokens", "OSL", n, values(all, outputs))
	t.add("Input Sequence Length", "tokens", "ISL", n, values(all, inputs))
	t.add("Effective Latency", "ms", "end - won slot: the wait for the slot is missing", n, values(all, sentToEnd))
	t.curves(r)
	t.aiperfCommon(r, all)
	return t
}

func secondContent(q request) (float64, bool) {
	if len(q.content) < 2 || q.record.Sparse {
		return 0, false
	}
	return millis(q.content[1] - q.content[0]), true
}

func firstAnswer(q request) (float64, bool) {
	for _, c := range q.record.Chunks {
		if q.streamed() && c.Content() && c.Kind != llmbench.ReasoningChunk {
			return millis(c.At - q.sent), true
		}
	}
	return 0, false
}

func perTokenRate(q request) (float64, bool) {
	ms, ok := perToken(q)
	return over(1000, ms).Or(0), ok && ms > 0
}

func prefillRate(q request) (float64, bool) {
	ms, ok := firstContent(q)
	return over(float64(q.input)*1000, ms).Or(0), ok && ms > 0 && q.input >= 0
}

func sentToEnd(q request) (float64, bool) { return millis(q.end - q.sent), true }

// curves appends the metrics over time, which go by the same names there.
func (t *Table) curves(r *llmbench.Result) {
	for _, m := range llmbench.Metrics() {
		if st := r.Stats(m); m.Kind() == llmbench.Curve && st.Absent() == "" {
			t.Rows = append(t.Rows, Row{Name: m.Name(), Unit: m.Unit(), Rule: "over time, as llmbench", N: st.N(), Curve: st})
		}
	}
}

func (t *Table) aiperfCommon(r *llmbench.Result, all []request) {
	_, output := sums(all)
	length := r.Window.Length().Seconds()
	t.single("Output Token Throughput", "tokens/sec", over(float64(output), length))
	t.single("Request Throughput", "requests/sec", over(float64(len(all)), length))
	t.count("Request Count", len(all))
	t.count("Error Request Count", r.Counts.Failed())
	t.single("Benchmark Duration", "sec", llmbench.Is(length))
}

// queued is E - K.
func queued(q request) (time.Duration, bool) { return q.end - q.scheduled, q.hasScheduled }
