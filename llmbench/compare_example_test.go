package llmbench_test

import (
	"fmt"

	"github.com/llmbench/go/llmbench"
)

// A baseline has the figures of ten runs. Here they are compared with themselves.
func ExampleCompare() {
	base, err := llmbench.ReadBaseline("testdata/compare/x.baseline.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(llmbench.Compare(base, base))
	// Output:
	// TestServe: 10 + 10 runs
	//   figure                   base               now                change  interval          p     finding
	//   TTFT p50                 110ms ±2.21%       110ms ±2.21%       0%      -2.37% to +2.65%  1.00  unchanged
	//   TPOT p50                 20.1ms ±2.21%      20.1ms ±2.21%      0%      -2.55% to +2.58%  1.00  unchanged
	//   request latency p99      300ms ±2.21%       300ms ±2.21%       0%      -2.58% to +2.58%  1.00  unchanged
	//   output token throughput  34.4 tok/s ±2.26%  34.4 tok/s ±2.26%  0%      -2.52% to +2.49%  1.00  unchanged
}

// A comparison of other figures than the default ones, at a slack of 5 %.
func ExampleComparer() {
	base, err := llmbench.ReadBaseline("testdata/compare/x.baseline.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	tails := llmbench.Comparer{
		Figures: []llmbench.Figure{llmbench.TTFT.Quantile(0.99), llmbench.TPOT.Quantile(0.99)},
		Slack:   0.05,
	}
	comparison, err := tails.Compare(base, base)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, change := range comparison.Changes {
		fmt.Println(change.Figure, change.Finding)
	}
	// Output:
	// TTFT p99 unchanged
	// TPOT p99 unchanged
}
