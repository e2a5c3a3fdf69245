package mock

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"
)

// counters is what /metrics tells: the names, kinds and bucket edges are those
// of vLLM, so that what reads a vLLM server reads the mock.
type counters struct {
	prompt, generated int
	finished          map[string]int // by finish reason
	ttft, gap, tpot   histogram
	e2e               histogram
}

// newCounters has the bucket edges of vLLM's metrics, version 1 engine.
func newCounters() counters {
	ttft := []float64{
		0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
	}
	tpot := []float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	e2e := []float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
	return counters{
		finished: map[string]int{},
		ttft:     newHistogram(ttft), gap: newHistogram(tpot), tpot: newHistogram(tpot), e2e: newHistogram(e2e),
	}
}

// histogram is one of Prometheus: counts up to an edge, and a sum.
type histogram struct {
	edges  []float64 // seconds
	counts []int
	sum    time.Duration
	n      int
}

func newHistogram(edges []float64) histogram {
	return histogram{edges: edges, counts: make([]int, len(edges))}
}

func (h *histogram) add(d time.Duration) {
	if i := sort.SearchFloat64s(h.edges, d.Seconds()); i < len(h.counts) {
		h.counts[i]++
	}
	h.sum += d
	h.n++
}

// count takes what a write did into account.
func (c *counters) count(x *Exchange, before int, last, now time.Duration) {
	if x.Tokens > before {
		c.generated += x.Tokens - before
		if before == 0 {
			c.prompt += x.InputTokens
			c.ttft.add(now - x.Arrived)
		} else {
			c.gap.add(now - last)
		}
	}
}

// end counts a reply that was finished.
func (c *counters) end(x *Exchange, reason string) {
	if reason == "" {
		return
	}
	c.finished[reason]++
	c.e2e.add(x.Ended - x.Arrived)
	if x.Tokens > 1 {
		c.tpot.add((x.LastToken - x.FirstToken) / time.Duration(x.Tokens-1))
	}
}

// metricsPage: without an Engine nothing waits, and everything in flight runs.
func metricsPage(s *Server, _ *Request) (int, string, []byte) {
	e := s.Engine()
	s.loop.mu.Lock()
	defer s.loop.mu.Unlock()
	if len(s.loop.engines) == 0 {
		e.Running = s.loop.inFlight
	}
	p := prometheus{label: fmt.Sprintf("model_name=%q", s.model)}
	c := &s.loop.counters
	p.value("num_requests_running", "gauge", "Requests in the batch.", float64(e.Running))
	p.value("num_requests_waiting", "gauge", "Requests in the queue.", float64(e.Waiting))
	p.value("kv_cache_usage_perc", "gauge", "Share of the memory that is held, 1 is all.", s.loop.memoryShare())
	p.value("prefix_cache_queries_total", "counter", "Prompt tokens looked up in the prefix cache.", float64(e.QueriedTokens))
	p.value("prefix_cache_hits_total", "counter", "Prompt tokens found there.", float64(e.HitTokens))
	p.value("num_preemptions_total", "counter", "Requests that lost their memory.", float64(e.Preempted))
	p.value("prompt_tokens_total", "counter", "Prompt tokens of requests that got a first token.", float64(c.prompt))
	p.value("generation_tokens_total", "counter", "Tokens sent.", float64(c.generated))
	p.reasons(c.finished)
	p.histogram("time_to_first_token_seconds", "From arrival to first token.", &c.ttft)
	p.histogram("inter_token_latency_seconds", "Between writes with tokens.", &c.gap)
	p.histogram("request_time_per_output_token_seconds", "Mean gap of a request.", &c.tpot)
	p.histogram("e2e_request_latency_seconds", "From arrival to end.", &c.e2e)
	return http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", []byte(p.String())
}

// memoryShare is how much of the engines' memory is held.
func (l *loop) memoryShare() float64 {
	used, limit := 0, 0
	for _, e := range l.engines {
		used += e.kv.used
		limit += e.kv.limit
	}
	if limit == 0 {
		return 0
	}
	return float64(used) / float64(limit)
}

// prometheus writes the text format, version 0.0.4.
type prometheus struct {
	strings.Builder
	label string
}

func (p *prometheus) head(name, kind, help string) {
	fmt.Fprintf(p, "# HELP vllm:%s %s\n# TYPE vllm:%[1]s %[3]s\n", name, help, kind)
}

func (p *prometheus) value(name, kind, help string, v float64) {
	p.head(name, kind, help)
	fmt.Fprintf(p, "vllm:%s{%s} %v\n", name, p.label, v)
}

func (p *prometheus) reasons(finished map[string]int) {
	p.head("request_success_total", "counter", "Requests that were answered to the end.")
	var all []string
	for reason := range finished {
		all = append(all, reason)
	}
	slices.Sort(all)
	for _, reason := range all {
		fmt.Fprintf(p, "vllm:request_success_total{finished_reason=%q,%s} %d\n", reason, p.label, finished[reason])
	}
}

// histogram writes cumulative counts, as the format demands.
func (p *prometheus) histogram(name, help string, h *histogram) {
	p.head(name, "histogram", help)
	sum := 0
	for i, edge := range h.edges {
		sum += h.counts[i]
		fmt.Fprintf(p, "vllm:%s_bucket{le=\"%v\",%s} %d\n", name, edge, p.label, sum)
	}
	fmt.Fprintf(p, "vllm:%s_bucket{le=\"+Inf\",%s} %d\n", name, p.label, h.n)
	fmt.Fprintf(p, "vllm:%s_sum{%s} %v\nvllm:%[1]s_count{%[2]s} %[4]d\n", name, p.label, h.sum.Seconds(), h.n)
}
