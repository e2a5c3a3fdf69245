package llmbench_test

import (
	"fmt"
	"strings"

	"github.com/llmbench/go/llmbench"
)

// Records that came from anywhere become figures: here two requests of which
// the second starts when the first has ended.
func ExampleAnalyze() {
	records, err := llmbench.ReadRecords(strings.NewReader(`
{"id":"a","scheduled_ns":0,"sent_ns":0,"end_ns":1000000000,"streamed":true,"outcome":"ok","chunks":[{"t_ns":200000000},{"t_ns":1000000000}],"input_tokens":100,"output_tokens":9}
{"id":"b","scheduled_ns":500000000,"sent_ns":1000000000,"end_ns":2000000000,"streamed":true,"outcome":"ok","chunks":[{"t_ns":1200000000},{"t_ns":2000000000}],"input_tokens":80,"output_tokens":9}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range []llmbench.Metric{
		llmbench.TTFT, llmbench.EffectiveTTFT, llmbench.EffectivePrefillThroughput, llmbench.ActivePrefillThroughput,
	} {
		fmt.Printf("%s: %.0f %s\n", m.Name(), result.Stats(m).Mean().Or(0), m.Unit())
	}
	fmt.Println("p99 carried by the sample:", result.Stats(llmbench.TTFT).Carries(0.99))
	// Output:
	// Time to First Token: 200 ms
	// Effective Time to First Token: 450 ms
	// Effective Prefill Throughput: 90 tok/s
	// Active Prefill Throughput: 450 tok/s
	// p99 carried by the sample: false
}
