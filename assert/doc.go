// Package assert fails a test when a claim about the performance of an LLM
// server does not hold, with a text that explains itself.
//
// A claim is a value with a method Check that judges a result of llmbench.Run,
// llmbench.Do or llmbench.Analyze:
//
//	Result --> Claim.Check --> Verdict --> Require, Check --> t.Errorf, t.FailNow
//
// A verdict has one of three outcomes: the claim holds, it fails, or it cannot
// be judged. Nothing passes on nothing: without a sample, with a metric that the
// server did not report, with NaN, with a limit that was left out, or with a
// load generator that was itself the bottleneck, the verdict is that the claim
// cannot be judged, and a claim that cannot be judged does not pass.
//
// Require judges several claims, reports all that do not hold, and stops the
// test; Check does the same and lets it go on. Every claim has a short form of
// each:
//
//	assert.Require(t, result,
//		assert.ActivePrefill{Mean: 25_000},
//		assert.TTFT{P99: 150 * time.Millisecond},
//		assert.NoErrors{},
//		assert.NoCoordinatedOmission{})
//
//	assert.RequireTTFT(t, result, assert.Ceiling{P99: 150 * time.Millisecond})
//	if !assert.CheckTTFT(t, result, assert.Ceiling{P99: 150 * time.Millisecond}) {
//		return
//	}
//
// Each gives every claim a sub-test. Decided ends a run as soon as its claims are
// decided, and AllOf makes the judge of a ladder of them. K6, ParseGoodput and
// MLPerf read limits that people have already. LLMBENCH_CANNOT_JUDGE=skip skips
// what cannot be judged, outside CI.
//
// It is no general assertion library: use testify's require for values.
//
// # What a failure looks like
//
// The first line is a full sentence, observed before wanted. The rows below it
// always come in the same order: window, evidence, cause, effect, limit, hint,
// the page that explains such a failure, and the command that runs the test again.
//
//	active prefill throughput is 15.7k tok/s, want at least 20.0k tok/s
//	  window     30.2s measured after 5.14s warm-up, 209 requests, 214k prompt tokens
//	  active     13.6s with a request between send and first token, 45.1% of the window
//	  spread     p50 11.4k tok/s  p90 22.8k tok/s  p99 34.1k tok/s  (weighted by time in prefill)
//	  effective  7.09k tok/s over the whole window, idle time included
//	  limit      seen from the client: queueing before prefill counts as prefill here
//	  docs       https://github.com/llmbench/go/blob/main/llmbench/docs/troubleshooting.md#rates
//	  rerun      go test -run '^TestServing$' ./assert
//
//	64 of 1256 requests left late (p99 lag 1.19s, want at most 5.00ms): responses set the pace, not the schedule
//	  schedule   Poisson 40 req/s for 30s, seed 7
//	  first      request r619: scheduled 14.716s, sent 16.190s; last late send 16.190s
//	  cause      client cap MaxInFlight = 128 was full
//	  effect     128 requests waited over 1.00s for a first token measured from send, 153 from schedule; TTFT p90 1.44s from send, 1.50s from schedule
//	  hint       raise MaxInFlight to 192, the most that were due and unanswered at once; effective latencies already start at the schedule
//	  docs       https://github.com/llmbench/go/blob/main/llmbench/docs/troubleshooting.md#late-sends
//	  rerun      go test -run '^TestServing$' ./assert
//
// # The claims
//
// Each with the first line of a failure. A Ceiling limits a time, a Floor a
// rate, a Bound a number; the zero fields of each set no limit.
//
// Latency and tokens:
//
//	assert.RequireTTFT(t, r, assert.Ceiling{P99: 150 * time.Millisecond})
//	// TTFT p99 is 200ms, want at most 150ms
//	assert.RequireTTFT(t, r, assert.Ceiling{P99: 70 * time.Millisecond, PerInputToken: 100 * time.Microsecond})
//	// TTFT p99 beyond 100µs per input token is 80.0ms, want at most 70.0ms
//	assert.RequireEffectiveTTFT(t, r, assert.Ceiling{P90: time.Second})
//	// effective TTFT p90 is 1.50s, want at most 1.00s
//	assert.RequireTPOT(t, r, assert.Ceiling{P50: 15 * time.Millisecond})
//	// TPOT p50 is 20.0ms, want at most 15.0ms
//	assert.RequireITL(t, r, assert.Ceiling{P99: 100 * time.Millisecond})
//	// ITL p99 is 133ms, want at most 100ms
//	assert.RequireICL(t, r, assert.Ceiling{Max: 200 * time.Millisecond})
//	// ICL maximum is 310ms, want at most 200ms
//	assert.RequireRequestLatency(t, r, assert.Ceiling{P90: 2 * time.Second})
//	// request latency p90 is 2.08s, want at most 2.00s
//	assert.RequireEffectiveLatency(t, r, assert.Ceiling{P99: time.Second})
//	// effective latency p99 is 3.93s, want at most 1.00s
//	assert.RequireQueueWait(t, r, assert.Ceiling{P99: 100 * time.Millisecond})
//	// queue wait p99 is 1.17s, want at most 100ms
//
// Rates:
//
//	assert.RequireActivePrefill(t, r, assert.Floor{Mean: 20_000})
//	// active prefill throughput is 15.7k tok/s, want at least 20.0k tok/s
//	assert.RequireActiveDecode(t, r, assert.Floor{Mean: 1000})
//	// active decode throughput is 769 tok/s, want at least 1.00k tok/s
//	assert.RequireEffectivePrefill(t, r, assert.Floor{Mean: 2000})
//	// effective prefill throughput is 1.48k tok/s, want at least 2.00k tok/s
//	assert.RequireEffectiveDecode(t, r, assert.Floor{Mean: 1000})
//	// effective decode throughput is 732 tok/s, want at least 1.00k tok/s
//	assert.RequireTotalThroughput(t, r, assert.Floor{Mean: 5000})
//	// total token throughput is 2.22k tok/s, want at least 5.00k tok/s
//	assert.RequireRequestRate(t, r, assert.Floor{Mean: 10})
//	// request throughput is 5.05 req/s, want at least 10.0 req/s
//	assert.RequireThroughputPerUser(t, r, assert.Floor{P25: 50})
//	// output token throughput per user p25 is 0 tok/s/user, want at least 50.0 tok/s/user
//
// Concurrency and memory:
//
//	assert.RequireConcurrency(t, r, assert.Bound{Max: 15})
//	// concurrency maximum is 16 requests, want at most 15 requests
//	assert.RequireTokensInFlight(t, r, assert.Bound{Max: 4096})
//	// tokens in flight maximum is 4.78k tokens, want at most 4.10k tokens
//
// Health:
//
//	assert.RequireNoErrors(t, r)
//	// 4 of 20 requests failed, want none
//	assert.RequireErrorRate(t, r, assert.ErrorRate{AtMost: 0.1})
//	// error rate is 48.5% (97 of 200 requests failed), want at most 10.0%
//	assert.RequireGoodput(t, r, assert.Goodput{TTFT: 120 * time.Millisecond, TPOT: 15 * time.Millisecond, Fraction: 0.9})
//	// 70.0% of requests are good (70 of 100), want at least 90.0%
//	assert.RequireGoodput(t, r, assert.Goodput{TTFT: 120 * time.Millisecond, Rate: 25})
//	// goodput is 15.9 req/s (80 of 100 requests good), want at least 25.0 req/s
//	assert.RequireNoStall(t, r, assert.NoStall{Longest: 100 * time.Millisecond})
//	// longest stall is 310ms, want at most 100ms
//	assert.RequireComplete(t, r)
//	// 3 of 5 requests were not completed, want all
//	assert.RequireTokenCounts(t, r)
//	// tokens of 10 of 10 ok requests are guessed, want all counted by the server or a tokenizer
//	assert.RequireOutputLength(t, r, assert.OutputLength{})
//	// 10 of 10 replies have not the length asked for, want none
//
// Method:
//
//	assert.RequireNoCoordinatedOmission(t, r)
//	// 64 of 1256 requests left late (p99 lag 1.19s, want at most 5.00ms): responses set the pace, not the schedule
//	assert.RequireUnsaturated(t, r, assert.Unsaturated{})
//	// queue wait is 30.0% of effective latency, want at most 5.00%
//	assert.RequireStableWindow(t, r, assert.StableWindow{})
//	// window has 9 ok requests, want at least 128
//	assert.RequireSteadyState(t, r, assert.SteadyState{})
//	// effective latency grew by 314% from the first to the last third of the run, want at most 20.0%
//	assert.RequireFitGenerator(t, r, assert.FitGenerator{})
//	// the generator was late by 30.0ms at p99, want at most 19.0ms
//	assert.RequireAgreement(t, r)
//	// client and server disagree on 2 of 4 figures, want none: output tokens, mean time to first token
//	assert.RequireLittlesLaw(t, r, assert.LittlesLaw{})
//	// concurrency and rate x latency differ by 16.8%, want at most 5.00%
//
// Caches and shedding:
//
//	assert.RequireCacheHitRate(t, r, assert.CacheHitRate{AtLeast: 0.8})
//	// prefix cache hit rate is 50.0%, want at least 80.0%
//	assert.RequireShed(t, overloaded, assert.Shed{Within: 100 * time.Millisecond, Peak: r, Share: 0.9})
//	// goodput under overload is 52.6% of its peak, want at least 90.0%
//	assert.RequireRecovery(t, r, assert.Recovery{BurstEnd: 2 * time.Second, Within: time.Second, TTFT: 200 * time.Millisecond})
//	// 14 of 15 requests from 1.00s after the burst on had no first token within 200ms, want none
//
// Comparisons, and one class of requests:
//
//	assert.RequireRatio(t, r, assert.Ratio{Metric: llmbench.TTFT, Stat: "p50", Of: hit, To: miss, AtMost: 0.3})
//	// TTFT p50 ratio is 0.400 (40.0ms / 100ms), want at most 0.300
//	assert.Require(t, r, assert.Among(assert.Class{Label: "batch"}, assert.TTFT{P50: 200 * time.Millisecond}))
//	// TTFT p50 is 240ms, want at most 200ms, among requests with label batch
//
// What a ladder of rising loads found, see llmbench.Ladder and AllOf:
//
//	assert.RequireCapacity(t, ladder, assert.Capacity{AtLeast: 20})
//	// capacity is 9.93 req/s, want at least 20.0 req/s
//
// Claims that a team keeps in a file, see Contract:
//
//	assert.RequireContract(t, r, "testdata/chat.slo.yaml")
//
// Runs against a baseline, or against another server beside it:
//
//	runs := llmbench.Repeat(t, 10, server, profile)
//	assert.RequireNoRegression(t, runs, assert.NoRegression{Baseline: "testdata/serve.baseline.json"})
//	// request latency p99 is 331ms, 18.2% worse than 280ms in the base, want at most 2.00%
//	// cannot judge no regression: 4 + 4 runs reach p = 0.114 at best after Holm over 4 metrics; run 5 + 5 or more
//
// And where there is no verdict:
//
//	assert.RequireTTFT(t, r, assert.Ceiling{P99: 500 * time.Millisecond, Confidence: 0.95})
//	// cannot judge TTFT p99: p99 within 500ms needs 299 requests at 95%, has 120
//	assert.RequireTTFT(t, r, assert.Ceiling{P99: 100 * time.Millisecond})
//	// cannot judge TTFT: no samples: all 2 requests failed
//	assert.RequireNoCoordinatedOmission(t, closedLoop)
//	// bad claim: coordinated omission: in a closed loop of 16 users responses set the pace by design, want an open loop
//	assert.RequireTTFT(t, r, assert.Ceiling{})
//	// bad claim: TTFT: Ceiling sets no limit, want at least one field > 0
package assert
