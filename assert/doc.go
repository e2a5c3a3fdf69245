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
//	if !assert.CheckTTFT(t, result, assert.Ceiling{P99: 150 * time.Millisecond}) { ... }
//
// It is no general assertion library: use testify's require for values.
//
// # What a failure looks like
//
// The first line is a full sentence, observed before wanted. The rows below it
// always come in the same order: window, evidence, cause, effect, limit, hint
// and the command that runs the test again.
//
//	active prefill throughput is 15.7k tok/s, want at least 20.0k tok/s
//	  window     30.2s measured after 5.14s warm-up, 209 requests, 214k prompt tokens
//	  active     13.6s with a request between send and first token, 45.1% of the window
//	  spread     p50 11.4k tok/s  p90 22.8k tok/s  p99 34.1k tok/s  (weighted by time in prefill)
//	  effective  7.09k tok/s over the whole window, idle time included
//	  limit      seen from the client: queueing before prefill counts as prefill here
//	  rerun      go test -run '^TestServing$' ./assert
//
//	64 of 1256 requests left late (p99 lag 1.19s, want at most 5.00ms): responses set the pace, not the schedule
//	  schedule   Poisson 40 req/s for 30s, seed 7
//	  first      request r619: scheduled 14.716s, sent 16.190s; last late send 16.190s
//	  cause      client cap MaxInFlight = 128 was full
//	  effect     128 requests waited over 1.00s for a first token measured from send, 153 from schedule; TTFT p90 1.44s from send, 1.50s from schedule
//	  hint       raise MaxInFlight to 192, the most that were due and unanswered at once; effective latencies already start at the schedule
//	  rerun      go test -run '^TestServing$' ./assert
//
// # The claims
//
// Each with the first line of a failure.
//
// Latency and tokens:
//
//	assert.RequireTTFT(t, r, assert.Ceiling{P99: 150 * time.Millisecond})
//	// TTFT p99 is 200ms, want at most 150ms
//	assert.RequireRequestLatency(t, r, assert.Ceiling{P90: 2 * time.Second})
//	// request latency p90 is 2.08s, want at most 2.00s
//
// Rates:
//
//	assert.RequireActivePrefill(t, r, assert.Floor{Mean: 20_000})
//	// active prefill throughput is 15.7k tok/s, want at least 20.0k tok/s
//
// Health:
//
//	assert.RequireNoErrors(t, r)
//	// 4 of 20 requests failed, want none
//
// Method:
//
//	assert.RequireNoCoordinatedOmission(t, r)
//	// 64 of 1256 requests left late (p99 lag 1.19s, want at most 5.00ms): responses set the pace, not the schedule
//
// And where there is no verdict:
//
//	assert.RequireTTFT(t, r, assert.Ceiling{P99: 500 * time.Millisecond, Confidence: 0.95})
//	// cannot judge TTFT p99: p99 within 500ms needs 299 requests at 95%, has 120
//	assert.RequireTTFT(t, r, assert.Ceiling{})
//	// bad claim: TTFT: Ceiling sets no limit, want at least one field > 0
package assert
