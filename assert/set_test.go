package assert

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// engine is a server that reads 10k tokens of prompts per second, one request at
// a time, and refuses what finds three waiting.
func engine() *mock.Engine {
	return &mock.Engine{Slots: 1, QueueLimit: 3, PrefillRate: 10_000}
}

// loaded is an open loop of requests that take 100 ms of the engine each.
func loaded(t *testing.T, rate llmbench.Rate) *llmbench.Result {
	return keep("loaded "+rate.String(), func() *llmbench.Result {
		return run(t, engine(), llmbench.Profile{
			Arrivals: llmbench.Constant(rate), Duration: 10 * time.Second,
			Input: llmbench.Tokens(1000), Output: llmbench.Tokens(1), Seed: 7,
		})
	})
}

// drowning is a server of 100 ms a request, with room for all that wait, under
// more than it can carry for the first three seconds of ten.
func drowning(t *testing.T) *llmbench.Result {
	return keep("drowning", func() *llmbench.Result {
		return run(t, &mock.Engine{Slots: 1, PrefillRate: 10_000}, llmbench.Profile{
			Arrivals: llmbench.Constant(12), Duration: 10 * time.Second,
			Input: llmbench.Tokens(1000), Output: llmbench.Tokens(1), Seed: 7,
		})
	})
}

// stuttering freezes every tenth stream for 300 ms after its third token.
func stuttering(t *testing.T) *llmbench.Result {
	return keep("stuttering", func() *llmbench.Result {
		return run(t, mock.ResponderFunc(func(r *mock.Request) mock.Reply {
			reply := mock.Script{TTFT: 50 * ms, ITL: 10 * ms, Role: mock.RoleNever}.Respond(r)
			if r.Number%10 == 9 {
				for i := 3; i < len(reply.Timeline); i++ {
					reply.Timeline[i].At += 300 * ms
				}
			}
			return reply
		}), llmbench.Profile{Arrivals: llmbench.Closed(2), Requests: 40, Input: llmbench.Tokens(10), Output: llmbench.Tokens(8)})
	})
}

// cached says that half of every prompt came from the cache.
func cached(t *testing.T) *llmbench.Result {
	return keep("cached", func() *llmbench.Result {
		return run(t, mock.Script{TTFT: 50 * ms, Cached: 50}, llmbench.Profile{Requests: 10, Input: llmbench.Tokens(100)})
	})
}

// short ends every reply at 10 tokens, whatever is asked for.
func short(t *testing.T) *llmbench.Result {
	return keep("short", func() *llmbench.Result {
		return run(t, mock.Script{TTFT: 50 * ms, Output: 10}, llmbench.Profile{Requests: 10, Output: llmbench.Tokens(100)})
	})
}

// uncounted does not ask for usage.
func uncounted(t *testing.T) *llmbench.Result {
	return keep("uncounted", func() *llmbench.Result {
		return run(t, mock.Script{TTFT: 50 * ms}, llmbench.Profile{Requests: 10, Body: llmbench.Body{NoUsage: true}})
	})
}

// growing takes a millisecond longer with every request.
func growing(t *testing.T, n int) *llmbench.Result {
	var times []int
	for i := range n {
		times = append(times, 100+i)
	}
	return made(t, ttfts(times...)...)
}

// Every claim broken once, in one table that is therefore long: what it says stands
// in a golden.
func TestSetTexts(t *testing.T) {
	for _, c := range []struct {
		name, why string
		result    func(*testing.T) *llmbench.Result
		claim     Claim
	}{
		{"effective-ttft", "the stall as the users felt it", func(t *testing.T) *llmbench.Result { return stall(t, 128) }, EffectiveTTFT{P90: time.Second}},
		{"effective-latency", "and to the end", func(t *testing.T) *llmbench.Result { return stall(t, 128) }, EffectiveLatency{P99: time.Second}},
		{"queue-wait", "how long the cap held requests up", func(t *testing.T) *llmbench.Result { return stall(t, 128) }, QueueWait{P99: 100 * ms}},
		{"tpot", "one value per request", steady, TPOT{P50: 15 * ms}},
		{"itl", "one value per gap", stuttering, ITL{P99: 100 * ms}},
		{"icl", "gaps of content only", stuttering, ICL{Max: 200 * ms}},
		{"ttft-linear", "a limit that grows with the prompt", steady, TTFT{P99: 70 * ms, PerInputToken: 100 * time.Microsecond}},
		{"ttft-linear-gap", "no limit for gaps grows with the prompt", steady, ITL{P99: 70 * ms, PerInputToken: 100 * time.Microsecond}},
		{"ttft-alike", "neighbours that are alike are worth less", func(t *testing.T) *llmbench.Result { return growing(t, 100) }, TTFT{P90: 150 * ms}},
		{"active-decode", "a rate while in decode", steady, ActiveDecode{Mean: 1000}},
		{"effective-prefill", "a rate with idle time", steady, EffectivePrefill{Mean: 2000}},
		{"effective-decode", "a rate with idle time", steady, EffectiveDecode{Mean: 1000}},
		{"total-throughput", "a single number", steady, TotalThroughput{Mean: 5000}},
		{"total-throughput-p5", "of which there are no percentiles", steady, TotalThroughput{P5: 5000}},
		{"request-rate", "with what was offered beside it", func(t *testing.T) *llmbench.Result { return loaded(t, 5) }, RequestRate{Mean: 10}},
		{"throughput-per-user", "failures have no speed", func(t *testing.T) *llmbench.Result {
			return made(t, append(ttfts(100, 100, 100), failed(1)...)...)
		}, ThroughputPerUser{P25: 50}},
		{"concurrency", "requests in flight", steady, Concurrency{Max: 15}},
		{"tokens-in-flight", "a KV budget", steady, TokensInFlight{Max: 4096}},
		{"error-rate", "a share, with its interval", func(t *testing.T) *llmbench.Result { return loaded(t, 20) }, ErrorRate{AtMost: 0.1}},
		{"error-rate-unsure", "too few to tell", func(t *testing.T) *llmbench.Result {
			return made(t, append(ttfts(series(57, 100)...), failed(1)...)...)
		}, ErrorRate{AtMost: 0.05, Confidence: 0.95}},
		{"complete", "what was planned and not done", func(t *testing.T) *llmbench.Result {
			return made(t, append(ttfts(100, 100), failed(1)[0], shot{outcome: llmbench.Unsent}, shot{outcome: llmbench.Cancelled, last: 5})...)
		}, Complete{}},
		{"goodput-fraction", "each limit with what it costs", steadyAndSlow, Goodput{TTFT: 120 * ms, TPOT: 15 * ms, Fraction: 0.9}},
		{"goodput-rate", "per second", steadyAndSlow, Goodput{TTFT: 120 * ms, Rate: 25}},
		{"goodput-none", "without a limit everything is good", steady, Goodput{Fraction: 0.9}},
		{"goodput-unstreamed", "a limit on what is never there", func(t *testing.T) *llmbench.Result {
			return run(t, mock.Script{TTFT: 90 * ms}, llmbench.Profile{Requests: 3, Body: llmbench.Body{NoStream: true}})
		}, Goodput{TTFT: time.Second, Fraction: 0.9}},
		{"stall-longest", "the longest gap, and where", stuttering, NoStall{Longest: 100 * ms}},
		{"stall-gaps", "how many gaps over a length", stuttering, NoStall{Over: 100 * ms, Gaps: 3}},
		{"token-counts", "counts that are guesses", uncounted, TokenCounts{}},
		{"output-length", "replies that end early", short, OutputLength{}},
		{"cache-hit-rate", "fewer hits than wanted", cached, CacheHitRate{AtLeast: 0.8}},
		{"cache-hit-rate-silent", "a server that does not say", steady, CacheHitRate{AtLeast: 0.8}},
		{"unsaturated", "a cap that held requests up", func(t *testing.T) *llmbench.Result { return stall(t, 64) }, Unsaturated{}},
		{"fit-generator", "our own lateness", func(t *testing.T) *llmbench.Result {
			return planned(t, made(t, ttfts(100, 100)...), llmbench.Profile{Arrivals: llmbench.Constant(1), Requests: 2},
				llmbench.Generator{LagP50: llmbench.Is(ms), LagP99: llmbench.Is(30 * ms), LagMax: llmbench.Is(31 * ms), Late: 1, Reads: 10, CoalescedReads: 3})
		}, FitGenerator{}},
		{"fit-generator-unfit", "what the run found out itself", func(t *testing.T) *llmbench.Result {
			return planned(t, made(t, ttfts(100, 100)...), llmbench.Profile{Arrivals: llmbench.Constant(1), Requests: 2},
				llmbench.Generator{Fitness: llmbench.Unfit, Reasons: []string{"a 10 ms timer came late, p99: 80ms, want at most 50ms"}})
		}, FitGenerator{}},
		{"ttft-unfit", "and no claim on the server is judged", func(t *testing.T) *llmbench.Result {
			return planned(t, made(t, ttfts(100, 100)...), llmbench.Profile{Arrivals: llmbench.Constant(1), Requests: 2},
				llmbench.Generator{Fitness: llmbench.Unfit, Reasons: []string{"a 10 ms timer came late, p99: 80ms, want at most 50ms"}})
		}, TTFT{P99: time.Second}},
		{"omission-both", "late by the cap and by the generator too", func(t *testing.T) *llmbench.Result {
			return planned(t, made(t, shot{0, 50, 90, 99, ""}, shot{100, 180, 190, 199, ""}),
				llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 2, MaxInFlight: 1}, llmbench.Generator{CapFull: 1, DelayP99: llmbench.Is(30 * ms)})
		}, NoCoordinatedOmission{}},
		{"omission-prefill", "a cap on prefill", func(t *testing.T) *llmbench.Result {
			return planned(t, made(t, shot{0, 50, 90, 99, ""}, shot{100, 180, 190, 199, ""}),
				llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 2, MaxPrefill: 1}, llmbench.Generator{CapFull: 1})
		}, NoCoordinatedOmission{}},
		{"fit-generator-reads", "events that came together", func(t *testing.T) *llmbench.Result {
			return planned(t, made(t, ttfts(100, 100)...), llmbench.Profile{Arrivals: llmbench.Constant(1), Requests: 2},
				llmbench.Generator{Reads: 10, CoalescedReads: 3})
		}, FitGenerator{MaxCoalesced: 0.1}},
		{"littles-law", "a window that cuts its requests", func(t *testing.T) *llmbench.Result {
			r, err := llmbench.Analyze(steady(t).Records, llmbench.AnalyzeOptions{From: 500 * ms, To: 3 * time.Second})
			require.NoError(t, err)
			return r
		}, LittlesLaw{}},
		{"stable-window", "too few requests", cached, StableWindow{}},
		{"stable-window-short", "too short", steady, StableWindow{}},
		{"stable-window-slow", "requests as long as the window", func(t *testing.T) *llmbench.Result {
			r, err := llmbench.Analyze(made(t, shot{0, 0, 10, 100_000, ""}).Records, llmbench.AnalyzeOptions{To: 100 * time.Second})
			require.NoError(t, err)
			return r
		}, StableWindow{Requests: 1}},
		{"stable-window-none", "a load that never settled", func(t *testing.T) *llmbench.Result {
			return planned(t, made(t, ttfts(100, 100)...), llmbench.Profile{Arrivals: llmbench.Closed(2), Requests: 2}, llmbench.Generator{})
		}, StableWindow{}},
		{"stable-window-open", "an open loop has no users to count", func(t *testing.T) *llmbench.Result { return loaded(t, 5) }, StableWindow{}},
		{"steady-state", "a queue that grows", drowning, SteadyState{}},
		{"steady-state-few", "too few to tell", func(t *testing.T) *llmbench.Result { return growing(t, 20) }, SteadyState{}},
		{"shed-slow", "rejections that come late", func(t *testing.T) *llmbench.Result {
			return made(t, append(ttfts(100), shot{0, 0, 0, 700, llmbench.Rejected}, shot{0, 0, 0, 2, llmbench.Rejected})...)
		}, Shed{Within: 100 * ms}},
		{"shed-none", "a load within the limit says nothing", func(t *testing.T) *llmbench.Result { return loaded(t, 5) }, Shed{Within: 100 * ms}},
		{"shed-collapse", "goodput that collapses", func(t *testing.T) *llmbench.Result {
			return made(t, append(ttfts(100), shot{0, 0, 0, 2, llmbench.Rejected})...)
		}, Shed{Within: 100 * ms, Share: 0.9, Peak: loadedPeak(t)}},
		{"recovery", "a queue that is still there", burst, Recovery{BurstEnd: 2 * time.Second, Within: time.Second, TTFT: 200 * ms}},
		{"recovery-none", "nothing came after", burst, Recovery{BurstEnd: time.Minute, Within: time.Second, TTFT: 200 * ms}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, failure(t, c.result(t), c.claim))
		})
	}
}

func loadedPeak(t *testing.T) *llmbench.Result { return loaded(t, 10) }

// steadyAndSlow answers three of four requests in time.
func steadyAndSlow(t *testing.T) *llmbench.Result {
	return keep("steadyAndSlow", func() *llmbench.Result {
		return run(t, mock.ResponderFunc(func(r *mock.Request) mock.Reply {
			script := mock.Script{TTFT: 100 * ms, ITL: 10 * ms}
			switch r.Number % 20 {
			case 3, 8, 13:
				script.TTFT = 150 * ms
			case 5, 10:
				script.ITL = 20 * ms
			case 7:
				return mock.Reply{Status: http.StatusInternalServerError}
			}
			return script.Respond(r)
		}), llmbench.Profile{Arrivals: llmbench.Closed(4), Requests: 100, Output: llmbench.Tokens(10)})
	})
}

// burst is an engine of 100 ms a request under 20 req/s for two seconds, and
// 5 req/s after that.
func burst(t *testing.T) *llmbench.Result {
	return keep("burst", func() *llmbench.Result {
		var shots []shot
		free := 0
		for i := range 60 {
			due := 50 * i
			if i >= 40 {
				due = 2000 + 200*(i-40)
			}
			free = max(free, due) + 100
			shots = append(shots, shot{due: due, sent: due, first: free, last: free})
		}
		return made(t, shots...)
	})
}
