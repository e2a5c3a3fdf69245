package assert

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/llmbench/go/llmbench"
)

// k6Threshold is k6's grammar: aggregation, operator, number.
var k6Threshold = regexp.MustCompile(`^\s*([a-z]+(?:\(\s*[0-9.]+\s*\))?)\s*(===|==|!=|<=|>=|<|>)\s*([-+.0-9eE]+)\s*$`)

// K6 reads a threshold as k6 has it, "p(99)<500", for a metric of this project.
// Times are in milliseconds and rates in the metric's unit; "rate<0.01" is for
// llmbench.ErrorRate. Aggregations are avg, min, max, med, p(N) and rate. A
// threshold that claims equality is refused: no measured time is equal to
// another. Unlike in k6 it never holds of a metric that was not seen.
func K6(metric llmbench.Metric, threshold string) (Claim, error) {
	parts := k6Threshold.FindStringSubmatch(threshold)
	if parts == nil {
		return nil, fmt.Errorf("assert: k6: threshold is %q, want an aggregation, an operator and a number such as p(99)<500", threshold)
	}
	aggregation, operator := strings.ReplaceAll(parts[1], " ", ""), parts[2]
	value, err := positive(parts[3])
	if err != nil {
		return nil, fmt.Errorf("assert: k6: limit of %q is %w", threshold, err)
	}
	if strings.Contains(operator, "=") && len(operator) > 1 && operator[0] != '<' && operator[0] != '>' {
		return nil, fmt.Errorf("assert: k6: operator of %q is %s, want <, <=, > or >=", threshold, operator)
	}
	if aggregation == "rate" {
		return k6Rate(metric, threshold, operator, value)
	}
	stat, ok := statNamed(aggregation)
	if !ok {
		return nil, fmt.Errorf("assert: k6: aggregation of %q is %s, want avg, min, max, med, p(N) or rate", threshold, aggregation)
	}
	most := operator[0] == '<'
	if metric.Unit() == "ms" && !most {
		return nil, fmt.Errorf("assert: k6: %q wants a time to be long, want < or <=", threshold)
	}
	l := limit{statistic: stat, value: value, strict: len(operator) == 1}
	return metricClaim{metric: metric, limits: []limit{l}, most: most}, nil
}

func k6Rate(metric llmbench.Metric, threshold, operator string, value float64) (Claim, error) {
	switch {
	case metric != llmbench.ErrorRate:
		return nil, fmt.Errorf("assert: k6: %q is on %s, want rate on request_error_rate only", threshold, metric.Tag())
	case operator[0] != '<':
		return nil, fmt.Errorf("assert: k6: %q wants errors, want < or <=", threshold)
	case value >= 1:
		return nil, fmt.Errorf("assert: k6: limit of %q is %v, want a share < 1", threshold, value)
	}
	return ErrorRate{AtMost: value, strict: operator == "<"}, nil
}
