package llmbench

import "time"

//go:generate go run ./reference

// row is one line of the catalogue. Exactly one of span, ratio, gaps, number
// and curve computes it.
type row struct {
	index      int
	tag, name  string
	unit       string
	better     Better
	group      Group
	kind       Kind
	definition string
	source     string

	// span gives whole numbers: nanoseconds where the unit is ms, else counts.
	span func(*facts) (int64, reason)
	// ratio gives values in the unit.
	ratio func(*facts) (float64, reason)
	// gaps says which chunks bound the pooled gaps.
	gaps   func(Chunk) bool
	tooFew reason // what a request with fewer than two bounds is left out for
	// number computes a Single.
	number single
	// curve picks a step function; active restricts it to its mask.
	curve  curveID
	active bool
}

// table is the catalogue: every figure that is printed, exported, claimed or
// documented comes from one of its rows. Symbols: K scheduled, S sent, C1..Cn
// content chunks, E end, ISL and OSL input and output tokens, W window length.
var table = []row{
	// Latency: distributions over ok requests.
	{tag: "request_latency", name: "Request Latency", unit: "ms", better: Lower, group: LatencyGroup, span: requestLatency,
		definition: "Cn - S, last content chunk since send; not streamed: E - S. Absent without content.", source: "AIPerf request_latency"},
	{tag: "effective_latency", name: "Effective Latency", unit: "ms", better: Lower, group: LatencyGroup, span: effectiveLatency,
		definition: "E - K: what the user felt, client queue included. Absent where the schedule is unknown.", source: "AIPerf effective_latency, with K taken from the schedule and not from the won slot"},
	{tag: "queue_wait", name: "Queue Wait", unit: "ms", better: Lower, group: LatencyGroup, span: queueWait,
		definition: "S - K, never below 0. Absent where the schedule is unknown.", source: "AIPerf credit_to_start_latency"},
	{tag: "time_to_first_token", name: "Time to First Token", unit: "ms", better: Lower, group: LatencyGroup, span: timeToFirstToken,
		definition: "C1 - S. Absent for a reply that was not streamed.", source: "AIPerf time_to_first_token"},
	{tag: "effective_time_to_first_token", name: "Effective Time to First Token", unit: "ms", better: Lower, group: LatencyGroup, span: effectiveTimeToFirstToken,
		definition: "C1 - K. Absent for a reply that was not streamed, or where the schedule is unknown.", source: "this project; coordinated omission as in wrk2"},
	{tag: "time_to_second_token", name: "Time to Second Token", unit: "ms", better: Lower, group: LatencyGroup, span: timeToSecondToken,
		definition: "C2 - C1. Absent with fewer than 2 content chunks.", source: "AIPerf time_to_second_token"},
	{tag: "time_to_first_output_token", name: "Time to First Output Token", unit: "ms", better: Lower, group: LatencyGroup, span: timeToFirstOutputToken,
		definition: "First content chunk that is not reasoning, since S. Absent if all was reasoning.", source: "AIPerf time_to_first_output_token"},
	{tag: "time_per_output_token", name: "Time per Output Token", unit: "ms", better: Lower, group: LatencyGroup, ratio: timePerOutputToken,
		definition: "(Cn - C1)/(OSL - f), f the tokens of the first chunk where known, else 1. Absent, never 0, with OSL < 2.", source: "vLLM tpot; AIPerf calls it inter-token latency"},
	{tag: "inter_token_latency", name: "Inter-Token Latency", unit: "ms", better: Lower, group: LatencyGroup, kind: Pooled, gaps: anyChunk, tooFew: fewEvents,
		definition: "Gaps between consecutive data events of any kind, pooled over requests. Absent with fewer than 2 events.", source: "AISBench ITL; vLLM and SGLang differ in which events count"},
	{tag: "inter_chunk_latency", name: "Inter-Chunk Latency", unit: "ms", better: Lower, group: LatencyGroup, kind: Pooled, gaps: Chunk.Content, tooFew: fewChunks,
		definition: "Gaps between consecutive content chunks, pooled over requests. Absent with fewer than 2 chunks.", source: "AIPerf inter_chunk_latency"},
	{tag: "max_stall", name: "Longest Stall", unit: "ms", better: Lower, group: LatencyGroup, span: maxStall,
		definition: "The longest gap between content chunks of the request. Absent with fewer than 2 chunks.", source: "this project"},
	{tag: "decode_duration", name: "Decode Duration", unit: "ms", better: Lower, group: LatencyGroup, span: decodeDuration,
		definition: "Cn - C1. Absent for a reply that was not streamed.", source: "AIPerf decode duration"},

	// Tokens of a request.
	{tag: "input_sequence_length", name: "Input Sequence Length", unit: "tokens", group: TokensGroup, span: inputLength,
		definition: "ISL: the server's usage, else a tokenizer's count, else the plan's; the record says which.", source: "AIPerf input_sequence_length"},
	{tag: "output_sequence_length", name: "Output Sequence Length", unit: "tokens", group: TokensGroup, span: outputLength,
		definition: "OSL: all generated tokens, reasoning once: the server's last usage, else a tokenizer's count, else the content chunks.", source: "AIPerf output_sequence_length"},
	{tag: "reasoning_tokens", name: "Reasoning Tokens", unit: "tokens", group: TokensGroup, span: reasoningTokens,
		definition: "The part of OSL that was reasoning. Absent where not reported.", source: "OpenAI usage completion_tokens_details"},
	{tag: "cached_tokens", name: "Cached Tokens", unit: "tokens", group: TokensGroup, span: cachedTokens,
		definition: "The part of ISL that came from the prefix cache. Absent where not reported.", source: "OpenAI usage prompt_tokens_details"},
	{tag: "tokens_per_chunk", name: "Tokens per Chunk", unit: "tokens", group: TokensGroup, ratio: tokensPerChunk,
		definition: "OSL / number of content chunks. Absent without chunks.", source: "this project"},
	{tag: "usage_prompt_tokens", name: "Usage Prompt Tokens", unit: "tokens", group: TokensGroup, span: reported(func(u Usage) Known[int] { return u.Prompt }),
		definition: "What the server's last usage report says. Absent where not reported.", source: "OpenAI usage"},
	{tag: "usage_completion_tokens", name: "Usage Completion Tokens", unit: "tokens", group: TokensGroup, span: reported(func(u Usage) Known[int] { return u.Completion }),
		definition: "What the server's last usage report says. Absent where not reported.", source: "OpenAI usage"},
	{tag: "usage_total_tokens", name: "Usage Total Tokens", unit: "tokens", group: TokensGroup, span: reported(func(u Usage) Known[int] { return u.Total }),
		definition: "What the server's last usage report says. Absent where not reported.", source: "OpenAI usage"},
	{tag: "usage_reasoning_tokens", name: "Usage Reasoning Tokens", unit: "tokens", group: TokensGroup, span: reported(func(u Usage) Known[int] { return u.Reasoning }),
		definition: "What the server's last usage report says. Absent where not reported.", source: "OpenAI usage"},
	{tag: "usage_cached_tokens", name: "Usage Cached Tokens", unit: "tokens", group: TokensGroup, span: reported(func(u Usage) Known[int] { return u.Cached }),
		definition: "What the server's last usage report says. Absent where not reported.", source: "OpenAI usage"},
	{tag: "usage_audio_tokens", name: "Usage Audio Tokens", unit: "tokens", group: TokensGroup, span: reported(func(u Usage) Known[int] { return u.Audio }),
		definition: "What the server's last usage report says. Absent where not reported.", source: "OpenAI usage"},
	{tag: "usage_accepted_prediction_tokens", name: "Usage Accepted Prediction Tokens", unit: "tokens", group: TokensGroup, span: reported(func(u Usage) Known[int] { return u.AcceptedPrediction }),
		definition: "What the server's last usage report says. Absent where not reported.", source: "OpenAI usage"},
	{tag: "usage_rejected_prediction_tokens", name: "Usage Rejected Prediction Tokens", unit: "tokens", group: TokensGroup, span: reported(func(u Usage) Known[int] { return u.RejectedPrediction }),
		definition: "What the server's last usage report says. Absent where not reported.", source: "OpenAI usage"},

	// Throughput of a request, then of the run.
	{tag: "output_token_throughput_per_user", name: "Output Token Throughput per User", unit: "tok/s/user", better: Higher, group: ThroughputGroup, ratio: outputRatePerUser,
		definition: "1 / time_per_output_token. Absent with OSL < 2.", source: "AIPerf output_token_throughput_per_user"},
	{tag: "e2e_output_token_throughput", name: "End-to-End Output Token Throughput", unit: "tok/s", better: Higher, group: ThroughputGroup, ratio: endToEndRate,
		definition: "OSL / request_latency, per request.", source: "AIPerf e2e_output_token_throughput"},
	{tag: "prefill_throughput_per_user", name: "Prefill Throughput per User", unit: "tok/s/user", better: Higher, group: ThroughputGroup, ratio: prefillRatePerUser,
		definition: "ISL / time_to_first_token. Absent where that is 0 or absent.", source: "AIPerf prefill_throughput_per_user; AISBench PrefillTokenThroughput"},
	{tag: "request_throughput", name: "Request Throughput", unit: "req/s", better: Higher, group: ThroughputGroup, kind: Single,
		number:     requestRate,
		definition: "ok requests / W.", source: "AIPerf request_throughput"},
	{tag: "output_token_throughput", name: "Output Token Throughput", unit: "tok/s", better: Higher, group: ThroughputGroup, kind: Single,
		number:     outputRate,
		definition: "Sum of OSL / W.", source: "AIPerf output_token_throughput"},
	{tag: "input_token_throughput", name: "Input Token Throughput", unit: "tok/s", better: Higher, group: ThroughputGroup, kind: Single,
		number:     func(t *totals) (float64, int, string) { return t.perSecond(t.input, t.inputKnown, noInput.String()) },
		definition: "Sum of ISL / W: logical tokens, cache hits included.", source: "vLLM, AISBench"},
	{tag: "total_token_throughput", name: "Total Token Throughput", unit: "tok/s", better: Higher, group: ThroughputGroup, kind: Single, number: totalRate,
		definition: "Sum of ISL and OSL / W.", source: "AIPerf total_token_throughput"},
	{tag: "uncached_input_token_throughput", name: "Uncached Input Token Throughput", unit: "tok/s", better: Higher, group: ThroughputGroup, kind: Single, number: uncachedRate,
		definition: "Sum of ISL - cached / W, over the requests that report their cached tokens.", source: "this project"},
	{tag: "offered_rate", name: "Offered Rate", unit: "req/s", group: ThroughputGroup, kind: Single,
		number:     func(t *totals) (float64, int, string) { return t.offered.rate() },
		definition: "Intervals between scheduled instants / their span: (n - 1)/(last K - first K). Absent below 2 requests.", source: "this project"},
	{tag: "achieved_rate", name: "Achieved Rate", unit: "req/s", better: Higher, group: ThroughputGroup, kind: Single,
		number:     func(t *totals) (float64, int, string) { return t.achieved.rate() },
		definition: "Intervals between sends / their span, on the basis of offered_rate: (n - 1)/(last S - first S).", source: "this project"},
	{tag: "output_token_throughput_per_device", name: "Output Token Throughput per Device", unit: "tok/s", better: Higher, group: ThroughputGroup, kind: Single, number: perDevice(outputRate),
		definition: "output_token_throughput / the number of devices that the user states.", source: "this project"},
	{tag: "total_token_throughput_per_device", name: "Total Token Throughput per Device", unit: "tok/s", better: Higher, group: ThroughputGroup, kind: Single, number: perDevice(totalRate),
		definition: "total_token_throughput / the number of devices that the user states.", source: "this project"},
	{tag: "request_throughput_per_device", name: "Request Throughput per Device", unit: "req/s", better: Higher, group: ThroughputGroup, kind: Single, number: perDevice(requestRate),
		definition: "request_throughput / the number of devices that the user states.", source: "this project"},
	{tag: "goodput", name: "Goodput", unit: "req/s", better: Higher, group: ThroughputGroup, kind: Single, number: goodput,
		definition: "Requests that keep every SLO / W. A metric that does not exist for a request does not break its SLO; a failed request breaks all.", source: "DistServe (OSDI 2024); vLLM --goodput"},
	{tag: "good_request_fraction", name: "Good Request Fraction", unit: "share", better: Higher, group: ThroughputGroup, kind: Single, number: goodFraction,
		definition: "Requests that keep every SLO / (ok + failures), in [0,1].", source: "AIPerf good_request_fraction"},
	{tag: "good_request_count", name: "Good Requests", unit: "requests", better: Higher, group: CountsGroup, kind: Single, number: goodCount,
		definition: "Requests that keep every SLO.", source: "AIPerf good_request_count"},
	{tag: "window_output_token_throughput", name: "Window Output Token Throughput", unit: "tok/s", better: Higher, group: WindowGroup, kind: Single, number: windowTokenRate,
		definition: "Output tokens whose chunk arrived in the window, whichever request they are of, / W.", source: "this project"},
	{tag: "window_completion_rate", name: "Window Completion Rate", unit: "req/s", better: Higher, group: WindowGroup, kind: Single, number: windowCompletionRate,
		definition: "ok requests that ended in the window / W.", source: "this project"},
	{tag: "window_inflight_mean", name: "Window In-Flight Mean", unit: "requests", group: WindowGroup, kind: Single, number: windowInFlight,
		definition: "Area under the concurrency, clipped to the window, / W.", source: "this project"},
	{tag: "selected_tokens_outside_window", name: "Selected Tokens Outside Window", unit: "tokens", better: Lower, group: WindowGroup, kind: Single, number: selectedOutside,
		definition: "Output tokens of the requests that the figures cover, arrived outside the window.", source: "this project"},
	{tag: "unselected_tokens_inside_window", name: "Unselected Tokens Inside Window", unit: "tokens", better: Lower, group: WindowGroup, kind: Single, number: unselectedInside,
		definition: "Output tokens that arrived in the window, of requests that the figures do not cover.", source: "this project"},
	{tag: "osl_mismatch_count", name: "Output Length Mismatches", unit: "requests", better: Lower, group: TokensGroup, kind: Single, number: mismatchCount,
		definition: "ok requests with |OSL - requested| above the lesser of 5 % and 50 tokens. Absent where no length was asked for.", source: "AIPerf osl_mismatch_count"},
	{tag: "token_count_discrepancy", name: "Token Count Discrepancies", unit: "requests", better: Lower, group: TokensGroup, kind: Single, number: discrepancyCount,
		definition: "ok requests whose server count differs from the client's by more than 10 %. Absent where not both are known.", source: "AIPerf usage_discrepancy_count"},
	{tag: "partial_output_tokens", name: "Partial Output Tokens", unit: "tokens", better: Lower, group: TokensGroup, kind: Single, number: partialTokens,
		definition: "Output tokens of requests that did not end ok; they are in no other figure.", source: "this project"},
	{tag: "theoretical_prefix_cache_hit", name: "Theoretical Prefix Cache Hit", unit: "%", better: Higher, group: TokensGroup, kind: Single, number: theoreticalHit,
		definition: "100 * hit blocks / blocks, from the block hashes of a trace. Absent without them.", source: "Mooncake traces"},
	{tag: "prefix_cache_hit_rate", name: "Prefix Cache Hit Rate", unit: "%", better: Higher, group: TokensGroup, kind: Single, number: cacheHitRate,
		definition: "100 * sum of cached / sum of ISL, over the requests that report their cached tokens.", source: "token weighted, as vLLM's server metric"},

	// Effective: step functions of time over the whole window.
	{tag: "effective_concurrency", name: "Effective Concurrency", unit: "requests", group: EffectiveGroup, kind: Curve, curve: concurrencyCurve,
		definition: "1 on [S, E) of every request that was sent, failures too.", source: "AIPerf effective_concurrency"},
	{tag: "effective_prefill_concurrency", name: "Effective Prefill Concurrency", unit: "requests", group: EffectiveGroup, kind: Curve, curve: prefillConcurrencyCurve,
		definition: "1 on [S, C1) of every ok streamed request.", source: "AIPerf effective_prefill_concurrency"},
	{tag: "effective_decode_concurrency", name: "Effective Decode Concurrency", unit: "requests", group: EffectiveGroup, kind: Curve, curve: decodeConcurrencyCurve,
		definition: "1 on [C1, E) of every ok streamed request.", source: "AIPerf effective_decode_concurrency"},
	{tag: "effective_prefill_throughput", name: "Effective Prefill Throughput", unit: "tok/s", better: Higher, group: EffectiveGroup, kind: Curve, curve: prefillCurve,
		definition: "ISL/(C1 - S) on [S, C1), summed over requests.", source: "AIPerf effective_prefill_throughput"},
	{tag: "effective_decode_throughput", name: "Effective Decode Throughput", unit: "tok/s", better: Higher, group: EffectiveGroup, kind: Curve, curve: decodeCurve,
		definition: "On each gap between distinct chunk instants the gap's tokens / gap, summed over requests: the counts of the chunks where all are known and add up to OSL, else OSL - 1 in equal shares; without a gap OSL - 1 spread over [C1, E).", source: "AIPerf effective_decode_throughput, the fallback chosen per record"},
	{tag: "effective_total_throughput", name: "Effective Total Throughput", unit: "tok/s", better: Higher, group: EffectiveGroup, kind: Curve, curve: totalCurve,
		definition: "Prefill plus decode throughput, pointwise.", source: "AIPerf effective_total_throughput"},
	{tag: "effective_prefill_throughput_per_user", name: "Effective Prefill Throughput per User", unit: "tok/s/user", better: Higher, group: EffectiveGroup, kind: Curve, curve: prefillPerUserCurve,
		definition: "Prefill throughput / prefill concurrency, pointwise; 0 where none is in prefill.", source: "AIPerf effective_prefill_throughput_per_user"},
	{tag: "effective_decode_throughput_per_user", name: "Effective Decode Throughput per User", unit: "tok/s/user", better: Higher, group: EffectiveGroup, kind: Curve, curve: decodePerUserCurve,
		definition: "Decode throughput / decode concurrency, pointwise; 0 where none is in decode.", source: "AIPerf effective_decode_throughput_per_user"},
	{tag: "tokens_in_flight", name: "Tokens in Flight", unit: "tokens", group: EffectiveGroup, kind: Curve, curve: tokensCurve,
		definition: "ISL from S, output tokens from their chunk's instant, all freed at E; ok requests. A reply that was not streamed holds its ISL.", source: "AIPerf tokens_in_flight"},

	// Active: the same curves where their mask is above 0.
	{tag: "active_prefill_throughput", name: "Active Prefill Throughput", unit: "tok/s", better: Higher, group: ActiveGroup, kind: Curve, curve: prefillCurve, active: true,
		definition: "Prefill throughput while the prefill concurrency is above 0.", source: "AIPerf active_prefill_throughput"},
	{tag: "active_decode_throughput", name: "Active Decode Throughput", unit: "tok/s", better: Higher, group: ActiveGroup, kind: Curve, curve: decodeCurve, active: true,
		definition: "Decode throughput while the decode concurrency is above 0.", source: "AIPerf active_decode_throughput"},
	{tag: "active_total_throughput", name: "Active Total Throughput", unit: "tok/s", better: Higher, group: ActiveGroup, kind: Curve, curve: totalCurve, active: true,
		definition: "Total throughput while the concurrency is above 0.", source: "AIPerf active_total_throughput"},
	{tag: "active_prefill_throughput_per_user", name: "Active Prefill Throughput per User", unit: "tok/s/user", better: Higher, group: ActiveGroup, kind: Curve, curve: prefillPerUserCurve, active: true,
		definition: "Prefill throughput per user while the prefill concurrency is above 0.", source: "AIPerf, restricted to the mask"},
	{tag: "active_decode_throughput_per_user", name: "Active Decode Throughput per User", unit: "tok/s/user", better: Higher, group: ActiveGroup, kind: Curve, curve: decodePerUserCurve, active: true,
		definition: "Decode throughput per user while the decode concurrency is above 0.", source: "AIPerf, restricted to the mask"},

	// Counts: one number for the window.
	{tag: "request_count", name: "Requests", unit: "requests", better: Higher, group: CountsGroup, kind: Single, number: counted(func(c Counts) int { return c.OK }),
		definition: "Requests that ended ok.", source: "AIPerf request_count"},
	{tag: "attempted_count", name: "Attempted Requests", unit: "requests", group: CountsGroup, kind: Single, number: counted(func(c Counts) int { return c.Sent }),
		definition: "Requests that were sent, whatever became of them.", source: "this project"},
	{tag: "error_count", name: "Errors", unit: "requests", better: Lower, group: CountsGroup, kind: Single, number: counted(func(c Counts) int { return c.Error }),
		definition: "HTTP status, broken connection, or an error object in a stream.", source: "AIPerf error_request_count"},
	{tag: "timeout_count", name: "Timeouts", unit: "requests", better: Lower, group: CountsGroup, kind: Single, number: counted(func(c Counts) int { return c.Timeout }),
		definition: "Requests that met their deadline.", source: "this project"},
	{tag: "rejected_count", name: "Rejected", unit: "requests", better: Lower, group: CountsGroup, kind: Single, number: counted(func(c Counts) int { return c.Rejected }),
		definition: "Status 429 or 503: shed by the server.", source: "this project"},
	{tag: "empty_count", name: "Empty Replies", unit: "requests", better: Lower, group: CountsGroup, kind: Single, number: counted(func(c Counts) int { return c.Empty }),
		definition: "Replies that ended well and had no content.", source: "this project"},
	{tag: "incomplete_count", name: "Incomplete Replies", unit: "requests", better: Lower, group: CountsGroup, kind: Single, number: counted(func(c Counts) int { return c.Incomplete }),
		definition: "Replies that ended without a finish reason or [DONE].", source: "this project"},
	{tag: "cancelled_count", name: "Cancelled", unit: "requests", group: CountsGroup, kind: Single, number: counted(func(c Counts) int { return c.Cancelled }),
		definition: "Requests that the harness gave up on purpose; no failure.", source: "this project"},
	{tag: "unsent_count", name: "Unsent", unit: "requests", better: Lower, group: CountsGroup, kind: Single, number: counted(func(c Counts) int { return c.Unsent }),
		definition: "Requests of the schedule that never left.", source: "this project"},
	{tag: "request_error_rate", name: "Request Error Rate", unit: "share", better: Lower, group: CountsGroup, kind: Single, number: errorRate,
		definition: "Failures / (ok + failures), in [0,1]; cancelled and unsent requests are in neither.", source: "AIPerf request error rate, cancellations taken out"},
	{tag: "mean_concurrency", name: "Mean Concurrency", unit: "requests", group: CountsGroup, kind: Single, number: meanConcurrency,
		definition: "Sum of E - S over all sent / W.", source: "Little's law"},
	{tag: "max_concurrency", name: "Max Concurrency", unit: "requests", group: CountsGroup, kind: Single, number: maxConcurrency,
		definition: "The largest concurrency that held for longer than 0 ns.", source: "vLLM max_concurrent_requests, exact"},
	{tag: "benchmark_duration", name: "Benchmark Duration", unit: "s", group: CountsGroup, kind: Single, number: duration,
		definition: "W, the length of the window.", source: "AIPerf benchmark_duration"},

	// HTTP: what the transport saw.
	{tag: "http_dns", name: "DNS Lookup", unit: "ms", better: Lower, group: HTTPGroup, span: traced(func(h *HTTPTrace) Known[time.Duration] { return h.DNS }),
		definition: "Name look-up. Absent where none was made.", source: "net/http/httptrace"},
	{tag: "http_connect", name: "Connect", unit: "ms", better: Lower, group: HTTPGroup, span: traced(func(h *HTTPTrace) Known[time.Duration] { return h.Connect }),
		definition: "Transport connection. Absent on a reused connection.", source: "net/http/httptrace"},
	{tag: "http_tls", name: "TLS Handshake", unit: "ms", better: Lower, group: HTTPGroup, span: traced(func(h *HTTPTrace) Known[time.Duration] { return h.TLS }),
		definition: "TLS handshake. Absent where none was made.", source: "net/http/httptrace"},
	{tag: "http_send", name: "Send", unit: "ms", better: Lower, group: HTTPGroup, span: traced(func(h *HTTPTrace) Known[time.Duration] { return h.Send }),
		definition: "Writing the request.", source: "net/http/httptrace"},
	{tag: "http_wait", name: "Wait", unit: "ms", better: Lower, group: HTTPGroup, span: traced(func(h *HTTPTrace) Known[time.Duration] { return h.Wait }),
		definition: "From the request written to the first byte of the response.", source: "net/http/httptrace"},
	{tag: "http_receive", name: "Receive", unit: "ms", better: Lower, group: HTTPGroup, span: traced(func(h *HTTPTrace) Known[time.Duration] { return h.Receive }),
		definition: "From the first byte of the response to the last.", source: "net/http/httptrace"},
	{tag: "http_connection_reused", name: "Connection Reused", unit: "0/1", group: HTTPGroup, span: connectionReused,
		definition: "1 if the connection had served a request before, else 0; the mean is the share.", source: "net/http/httptrace"},
	{tag: "http_connections", name: "Connections Opened", unit: "connections", better: Lower, group: HTTPGroup, kind: Single, number: trace(func(t *totals) int64 { return int64(t.connections) }),
		definition: "Requests that opened a connection.", source: "net/http/httptrace"},
	{tag: "bytes_in", name: "Bytes Received", unit: "B", group: HTTPGroup, kind: Single, number: trace(func(t *totals) int64 { return t.bytesIn }),
		definition: "Bytes of all response bodies.", source: "net/http"},
	{tag: "bytes_out", name: "Bytes Sent", unit: "B", group: HTTPGroup, kind: Single, number: trace(func(t *totals) int64 { return t.bytesOut }),
		definition: "Bytes of all request bodies.", source: "net/http"},
}

func anyChunk(Chunk) bool { return true }
