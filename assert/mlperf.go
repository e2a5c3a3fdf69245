package assert

import (
	"fmt"
	"strings"
	"time"
)

// MLPerfLimits are the latency limits of one MLPerf Inference benchmark in one
// scenario: the 99th percentiles of TTFT and TPOT.
type MLPerfLimits struct {
	TTFT, TPOT time.Duration
	// Confidence is that of both claims; 0 compares the sample. LoadGen asks for
	// 0.99.
	Confidence float64
}

// Claims are the two claims that the limits make.
func (l MLPerfLimits) Claims() []Claim {
	return []Claim{
		TTFT{P99: l.TTFT, Confidence: l.Confidence},
		TPOT{P99: l.TPOT, Confidence: l.Confidence},
	}
}

// mlperf are the limits of the server and interactive scenarios, in
// milliseconds. Source: MLCommons, MLPerf Inference rules, table "Constraints
// for the closed division" (inference_policies, inference_rules.adoc), rounds
// v4.0 (llama2-70b server), v4.1 (mixtral-8x7b), v5.0 (llama2-70b interactive,
// llama3.1-405b server) and v5.1 (llama3.1-8b, deepseek-r1, and the other
// interactive ones).
var mlperf = map[string][2]int{
	"llama2-70b/server":         {2000, 200},
	"llama2-70b/interactive":    {450, 40},
	"llama3.1-8b/server":        {2000, 100},
	"llama3.1-8b/interactive":   {500, 30},
	"llama3.1-405b/server":      {6000, 175},
	"llama3.1-405b/interactive": {4500, 80},
	"deepseek-r1/server":        {2000, 80},
	"deepseek-r1/interactive":   {1500, 15},
	"mixtral-8x7b/server":       {2000, 200},
}

// MLPerf returns the limits of a benchmark by name, MODEL/SCENARIO:
// "llama2-70b/server". They are MLCommons'; to keep them makes no MLPerf result.
func MLPerf(name string) (MLPerfLimits, error) {
	limits, ok := mlperf[name]
	if !ok {
		return MLPerfLimits{}, fmt.Errorf("assert: mlperf: unknown benchmark %q, want one of %s%s", name,
			strings.Join(sortedKeys(mlperf), ", "), didYouMean(name, mlperf))
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	return MLPerfLimits{TTFT: ms(limits[0]), TPOT: ms(limits[1])}, nil
}
