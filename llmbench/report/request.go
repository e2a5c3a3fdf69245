package report

import "github.com/llmbench/go/llmbench"

// latencies are what the page asks of every request, many times over.
var latencies = [...]llmbench.Metric{llmbench.TTFT, llmbench.EffectiveTTFT, llmbench.RequestLatency, llmbench.EffectiveLatency}

// A request is one request of the window with its latencies in milliseconds,
// read off its chunks once.
type request struct {
	*llmbench.Record
	values [len(latencies)]llmbench.Known[float64]
}

func requestsOf(r *llmbench.Result) []request {
	all := make([]request, 0, len(r.Records))
	var sample []float64
	for record := range r.Requests() {
		next := request{Record: record}
		for i, m := range latencies {
			if sample = m.AppendSamples(sample[:0], record); len(sample) > 0 {
				next.values[i] = llmbench.Is(sample[0])
			}
		}
		all = append(all, next)
	}
	return all
}

// latency is one of the latencies; absent where the request has none.
func (r *request) latency(m llmbench.Metric) llmbench.Known[float64] {
	for i := range latencies {
		if latencies[i] == m {
			return r.values[i]
		}
	}
	return llmbench.Known[float64]{}
}
