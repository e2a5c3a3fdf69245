package dialect

import (
	"time"

	"github.com/llmbench/go/llmbench"
)

var vllmColumns = []column{
	meanColumn("Mean"), quantileColumn("Median", 0.5), stdColumn("Std"), quantileColumn("P99", 0.99),
}

// VLLM shows a result under the names and rules of `vllm bench serve`, in
// milliseconds. Its instants are the events with a choice: a role chunk stops
// the first-token clock, a finish chunk moves the end, a usage chunk does
// neither.
func VLLM(r *llmbench.Result) *Table {
	all, _ := requests(r)
	n := len(all)
	t := &Table{Tool: "vLLM bench", columns: vllmColumns}
	t.add("TTFT", "ms", "first event with choices - send", n, values(all, firstChoice))
	t.add("TPOT", "ms", "(E2EL-TTFT)/(L-1), L > 1 only", n, values(all, perChoiceToken))
	t.add("ITL", "ms", "gaps of events with choices, pooled", n, pooled(all, 1e6, func(q request) []time.Duration { return q.choices }))
	t.add("E2EL", "ms", "last event with choices - send", n, values(all, lastChoice))
	t.add("E2EL including client queue", "ms", "last event with choices - schedule (opt-in there)", n, values(all, queuedChoice))
	t.vllmCommon(r, all)
	return t
}

func firstChoice(q request) (float64, bool) {
	if len(q.choices) == 0 {
		return 0, false
	}
	return millis(q.choices[0] - q.sent), true
}

func lastChoice(q request) (float64, bool) {
	if !q.streamed() {
		return millis(q.end - q.sent), true
	}
	if len(q.choices) == 0 {
		return 0, false
	}
	return millis(q.choices[len(q.choices)-1] - q.sent), true
}

func perChoiceToken(q request) (float64, bool) {
	if q.output < 2 || len(q.choices) == 0 {
		return 0, false
	}
	return millis(q.choices[len(q.choices)-1]-q.choices[0]) / float64(q.output-1), true
}

func queuedChoice(q request) (float64, bool) {
	ms, ok := lastChoice(q)
	return ms + millis(q.sent-q.scheduled), ok && q.hasScheduled
}

func (t *Table) vllmCommon(r *llmbench.Result, all []request) {
	input, output := sums(all)
	length := r.Window.Length().Seconds()
	t.count("Successful requests", len(all))
	t.count("Failed requests", r.Counts.Failed())
	t.single("Benchmark duration (s)", "s", llmbench.Is(length))
	t.count("Total input tokens", input)
	t.count("Total generated tokens", output)
	t.single("Request throughput (req/s)", "req/s", over(float64(len(all)), length))
	t.single("Output token throughput (tok/s)", "tok/s", over(float64(output), length))
	t.single("Total token throughput (tok/s)", "tok/s", over(float64(input+output), length))
	t.single("Peak concurrent requests", "", r.Stats(llmbench.MaxConcurrency).Mean())
}
