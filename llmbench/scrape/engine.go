package scrape

import (
	"math"

	dto "github.com/prometheus/client_model/go"

	"github.com/llmbench/go/llmbench"
)

// source says where a value of a reading comes from: a family by its name, perhaps only its samples with a label, and of
// a histogram its sum or count. The first family of a list that the page has is taken: engines rename theirs.
type source struct {
	names        []string
	label, value string
	part         part
}

type part uint8

const (
	plain part = iota // the gauge or counter
	sum
	count
)

func named(names ...string) source { return source{names: names} }

func (s source) where(label, value string) source {
	s.label, s.value = label, value
	return s
}

func (s source) of(p part) source {
	s.part = p
	return s
}

// engine maps the metrics of one kind of server. A source without names is something that it does not report.
type engine struct {
	name             string
	running, waiting source
	kvUse            source
	requests         source
	prompt, cached   source
	output           source
	preemptions      source
	drafts, accepted source
	ttft             source
	// promptIsUncached says that the counter of prompt tokens leaves out the cached ones.
	promptIsUncached bool
}

// engines by the names in their public documentation: vLLM 0.12 (with the older name of the cache gauge), SGLang 0.5, TGI
// 3.3, llama.cpp 0.7 as seen, Triton 25 with its TensorRT-LLM backend.
var engines = []engine{
	{
		name:        "vllm",
		running:     named("vllm:num_requests_running"),
		waiting:     named("vllm:num_requests_waiting"),
		kvUse:       named("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
		requests:    named("vllm:request_success_total", "vllm:request_success"),
		prompt:      named("vllm:prompt_tokens_total", "vllm:prompt_tokens"),
		cached:      named("vllm:prefix_cache_hits_total", "vllm:prefix_cache_hits"),
		output:      named("vllm:generation_tokens_total", "vllm:generation_tokens"),
		preemptions: named("vllm:num_preemptions_total", "vllm:num_preemptions"),
		drafts:      named("vllm:spec_decode_num_draft_tokens_total", "vllm:spec_decode_num_draft_tokens"),
		accepted:    named("vllm:spec_decode_num_accepted_tokens_total", "vllm:spec_decode_num_accepted_tokens"),
		ttft:        named("vllm:time_to_first_token_seconds"),
	},
	{
		name:     "sglang",
		running:  named("sglang:num_running_reqs"),
		waiting:  named("sglang:num_queue_reqs"),
		kvUse:    named("sglang:token_usage"),
		requests: named("sglang:num_requests_total"),
		prompt:   named("sglang:prompt_tokens_total"),
		cached:   named("sglang:cached_tokens_total"),
		output:   named("sglang:generation_tokens_total"),
		ttft:     named("sglang:time_to_first_token_seconds"),
	},
	{
		name:     "tgi",
		running:  named("tgi_batch_current_size"),
		waiting:  named("tgi_queue_size"),
		requests: named("tgi_request_success"),
		prompt:   named("tgi_request_input_length").of(sum),
		output:   named("tgi_request_generated_tokens").of(sum),
	},
	{
		name:             "llama.cpp",
		running:          named("llamacpp:requests_processing"),
		waiting:          named("llamacpp:requests_deferred"),
		kvUse:            named("llamacpp:kv_cache_usage_ratio"),
		prompt:           named("llamacpp:prompt_tokens_total"),
		cached:           named("llamacpp:prompt_tokens_cached_total"),
		output:           named("llamacpp:tokens_predicted_total"),
		drafts:           named("llamacpp:spec_decode_num_draft_tokens_total"),
		accepted:         named("llamacpp:spec_decode_num_accepted_tokens_total"),
		promptIsUncached: true,
	},
	{
		name:     "triton",
		running:  named("nv_trt_llm_request_metrics").where("request_type", "active"),
		waiting:  named("nv_trt_llm_request_metrics").where("request_type", "waiting"),
		kvUse:    named("nv_trt_llm_kv_cache_block_metrics").where("kv_cache_block_type", "fraction"),
		requests: named("nv_inference_request_success"),
	},
}

type families = map[string]*dto.MetricFamily

// recognise returns the engine whose metrics a page has, or nil. The gauge of running requests is what all of them have.
func recognise(page families) *engine {
	for i := range engines {
		if engines[i].running.family(page) != nil {
			return &engines[i]
		}
	}
	return nil
}

// read makes a reading of a page. It has no instant yet.
func (e *engine) read(page families) llmbench.ServerReading {
	reading := llmbench.ServerReading{
		Running:        e.running.add(page),
		Waiting:        e.waiting.add(page),
		KVUse:          e.kvUse.most(page),
		Requests:       e.requests.add(page),
		PromptTokens:   e.prompt.add(page),
		CachedTokens:   e.cached.add(page),
		OutputTokens:   e.output.add(page),
		Preemptions:    e.preemptions.add(page),
		DraftTokens:    e.drafts.add(page),
		AcceptedTokens: e.accepted.add(page),
		TTFTSeconds:    e.ttft.of(sum).add(page),
		TTFTCount:      e.ttft.of(count).add(page),
	}
	if uncached, ok := reading.PromptTokens.Get(); ok && e.promptIsUncached {
		reading.PromptTokens = llmbench.Is(uncached + reading.CachedTokens.Or(0))
	}
	return reading
}

func (s source) family(page families) *dto.MetricFamily {
	for _, name := range s.names {
		if family := page[name]; family != nil {
			return family
		}
	}
	return nil
}

// add adds up the samples: several engines behind one page, or one by finish reason.
func (s source) add(page families) (total llmbench.Known[float64]) {
	s.each(page, func(v float64) { total = llmbench.Is(total.Or(0) + v) })
	return total
}

// most takes the highest sample: the share of the fullest cache.
func (s source) most(page families) (most llmbench.Known[float64]) {
	s.each(page, func(v float64) { most = llmbench.Is(max(most.Or(v), v)) })
	return most
}

func (s source) each(page families, use func(float64)) {
	for _, sample := range s.family(page).GetMetric() {
		if v, ok := s.sample(sample); ok && s.matches(sample) {
			use(v)
		}
	}
}

func (s source) matches(sample *dto.Metric) bool {
	for _, label := range sample.GetLabel() {
		if label.GetName() == s.label {
			return label.GetValue() == s.value
		}
	}
	return s.label == ""
}

// sample reads one value. One that is no number is no value.
func (s source) sample(m *dto.Metric) (v float64, ok bool) {
	switch {
	case s.part == sum && m.GetHistogram() != nil:
		v = m.GetHistogram().GetSampleSum()
	case s.part == count && m.GetHistogram() != nil:
		v = float64(m.GetHistogram().GetSampleCount())
	case s.part != plain:
		return 0, false
	case m.GetCounter() != nil:
		v = m.GetCounter().GetValue()
	case m.GetGauge() != nil:
		v = m.GetGauge().GetValue()
	case m.GetUntyped() != nil:
		v = m.GetUntyped().GetValue()
	default:
		return 0, false
	}
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}
