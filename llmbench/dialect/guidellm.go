package dialect

import "github.com/llmbench/go/llmbench"

var guidellmColumns = []column{
	meanColumn("mean"), quantileColumn("median", 0.5), stdColumn("std"), quantileColumn("min", 0), quantileColumn("max", 1),
	quantileColumn("p95", 0.95), quantileColumn("p99", 0.99),
}

// GuideLLM shows a result under guidellm's names and rules. Its time per output
// token is the latency over all tokens, the first included; what others call
// TPOT is its inter token latency. Request latencies are in seconds.
func GuideLLM(r *llmbench.Result) *Table {
	all, _ := requests(r)
	n := len(all)
	t := &Table{Tool: "guidellm", columns: guidellmColumns}
	t.add("request_latency", "s", "request end - request start", n, values(all, func(q request) (float64, bool) { return (q.end - q.sent).Seconds(), true }))
	t.add("scheduled_latency", "s", "request end - targeted start", n, values(all, func(q request) (float64, bool) {
		d, ok := queued(q)
		return d.Seconds(), ok
	}))
	t.add("time_to_first_token_ms", "ms", "first token iteration - request start", n, values(all, firstContent))
	t.add("time_to_first_output_token_ms", "ms", "first content that is not reasoning - request start", n, values(all, firstAnswer))
	t.add("time_per_output_token_ms", "ms", "(last token - request start)/L, first token included", n, values(all, latencyPerToken))
	t.add("inter_token_latency_ms", "ms", "(last token - first token)/(L-1)", n, values(all, perToken))
	t.add("output_tokens_per_second", "tok/s", "L / request latency, per request", n, values(all, outputRate))
	t.add("prompt_token_count", "tokens", "prompt tokens", n, values(all, inputs))
	t.add("output_token_count", "tokens", "output tokens", n, values(all, outputs))
	t.guidellmCommon(r, all)
	return t
}

func latencyPerToken(q request) (float64, bool) {
	ms, ok := lastContent(q)
	return over(ms, float64(q.output)).Or(0), ok && q.output > 0
}

func outputRate(q request) (float64, bool) {
	latency := (q.end - q.sent).Seconds()
	return over(float64(q.output), latency).Or(0), latency > 0 && q.output >= 0
}

func (t *Table) guidellmCommon(r *llmbench.Result, all []request) {
	input, output := sums(all)
	length := r.Window.Length().Seconds()
	t.count("successful", len(all))
	t.count("errored", r.Counts.Failed())
	t.count("incomplete", r.Counts.Cancelled)
	t.single("requests_per_second", "req/s", over(float64(len(all)), length))
	t.single("request_concurrency", "", r.Stats(llmbench.MeanConcurrency).Mean())
	t.single("output_tokens_per_second", "tok/s", over(float64(output), length))
	t.single("tokens_per_second", "tok/s", over(float64(input+output), length))
}
