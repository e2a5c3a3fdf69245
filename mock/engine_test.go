package mock

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// together sends all requests at this instant and waits for their ends.
func together(t *testing.T, server *Server, bodies ...string) []seen {
	all := make([]seen, len(bodies))
	var wg sync.WaitGroup
	for i, b := range bodies {
		wg.Go(func() { all[i] = callAs(t.Context(), server, fmt.Sprint("r", i), b) })
	}
	wg.Wait()
	return all
}

// instants are when the chunks with content came, in ms.
func (g seen) instants(t *testing.T) (all []float64) {
	_, at := g.content(t)
	for _, d := range at {
		all = append(all, float64(d)/1e6)
	}
	return all
}

// A lone request: TTFT = ISL / PrefillRate, ITL = StepTime(1).
func TestEngineAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{PrefillRate: 1000, StepTime: LinearStep(9*ms, ms)})
		require.Equal(t, []float64{200, 210, 220, 230}, call(t.Context(), server, ask(200, 4, "")).instants(t))
		require.Equal(t, []float64{50}, call(t.Context(), server, ask(50, 1, "")).instants(t))
		stats := server.Engine()
		require.Equal(t, EngineStats{MaxRunning: 1, Steps: 5, Busy: 280 * ms, PrefillTokens: 250, DecodedTokens: 5}, stats)
	})
}

// A full batch makes Slots tokens per StepTime(Slots), and no more.
func TestEngineCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{Slots: 8, StepTime: LinearStep(8*ms, 4*ms)})
		begin := time.Now()
		bodies := make([]string, 24)
		for i := range bodies {
			bodies[i] = ask(1, 101, "")
		}
		together(t, server, bodies...)
		// Three batches one after the other; prompts take no time, so each has 100
		// steps of 40 ms, and 8 tokens come out of each: 200 tokens per second.
		require.Equal(t, 3*100*40*ms, time.Since(begin))
		require.Equal(t, 8, server.Engine().MaxRunning)
		require.Equal(t, 16, server.Engine().MaxWaiting)
	})
}

// A prompt that is computed in chunks slows the others down by a chunk at a time.
func TestEngineChunkedPrefillCompetesWithDecode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{PrefillRate: 1000, ChunkTokens: 50, StepTime: LinearStep(10*ms, 0)})
		var first, second seen
		var wg sync.WaitGroup
		wg.Go(func() { first = call(t.Context(), server, ask(20, 6, "")) })
		wg.Go(func() {
			time.Sleep(35 * ms)
			second = call(t.Context(), server, ask(120, 2, ""))
		})
		wg.Wait()
		// The prompt of 120 is taken in at 40 ms and needs three steps: 50, 50 and
		// 20 tokens, each beside one decode.
		require.Equal(t, []float64{20, 30, 40, 100, 160, 190}, first.instants(t))
		require.Equal(t, []float64{155, 165}, second.instants(t), "sent at 35, first token at 190")
	})
}

// One slot and replies of one token under Poisson arrivals are the queue M/D/1:
// with service D and utilisation p the mean wait is pD / 2(1-p), and Little's
// law ties the requests in the system to the time in it.
func TestEngineIsMD1(t *testing.T) {
	const (
		n       = 6000
		service = 10 * ms
	)
	loads := []float64{0.5, 0.8}
	if raceEnabled {
		loads = loads[:1] // the detector takes ten times as long and sees nothing new
	}
	for _, p := range loads {
		synctest.Test(t, func(t *testing.T) {
			server := Start(t, Engine{Slots: 1, PrefillRate: 1000})
			rng := rand.New(rand.NewPCG(5, 6))
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() { call(t.Context(), server, ask(10, 1, "")) })
				time.Sleep(time.Duration(rng.ExpFloat64() / p * float64(service)))
			}
			wg.Wait()
			var inSystem time.Duration
			var met int
			all := server.Requests()
			for _, x := range all {
				inSystem += x.FirstToken - x.Arrived
				met += x.InFlight
			}
			span := all[n-1].Ended - all[0].Arrived
			wait := (inSystem/n - service).Seconds()
			theory := p * service.Seconds() / (2 * (1 - p))
			require.InEpsilon(t, theory, wait, 0.12, "mean wait at utilisation %v", p)
			require.InEpsilon(t, p, server.Engine().Busy.Seconds()/span.Seconds(), 0.04, "utilisation")
			// Arrivals of a Poisson stream meet the mean of the system, and by Little's
			// law that is rate times mean time in it.
			little := float64(n) / span.Seconds() * (inSystem / n).Seconds()
			require.InEpsilon(t, little, float64(met)/n, 0.05, "Little's law")
		})
	}
}

func TestEngineQueueAndSizeLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{Slots: 1, QueueLimit: 2, PrefillRate: 1000, KVTokens: 160})
		all := together(t, server, ask(100, 1, ""), ask(100, 1, ""), ask(100, 1, ""), ask(100, 1, ""))
		var status []int
		for _, got := range all {
			status = append(status, got.status)
		}
		require.Equal(t, []int{200, 200, 503, 503}, status, "what comes at one instant is queued before the first can start")
		require.Equal(t, "1", all[3].header.Get("Retry-After"))
		got := call(t.Context(), server, ask(150, 11, ""))
		require.Equal(t, 400, got.status)
		require.Contains(t, got.body, "longer than the memory")
		require.Equal(t, 3, server.Engine().Refused)
	})
}

// Two requests that both fit at first and not when they have grown: the younger
// gives its memory back, and computes everything again when the older is done.
func TestEnginePreemptsTheYoungest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{PrefillRate: 1000, StepTime: LinearStep(10*ms, 0), KVTokens: 12, BlockTokens: 1})
		all := together(t, server, ask(4, 5, ""), ask(4, 5, ""))
		// 8 ms for both prompts, then steps of 10 ms. Each decode stores one more
		// token: 4+4, 5+5, 6+6 = 12 are full. At 28 ms the older takes a seventh from
		// the younger, which has 3 tokens by then, and ends at 48 ms. Then the younger
		// computes 4+3 tokens in 7 ms, which makes its fourth.
		require.Equal(t, []float64{8, 18, 28, 38, 48}, all[0].instants(t))
		require.Equal(t, []float64{8, 18, 28, 55, 65}, all[1].instants(t))
		stats := server.Engine()
		require.Equal(t, []int{1, 15, 10, 0}, []int{stats.Preempted, stats.PrefillTokens, stats.DecodedTokens, stats.UsedTokens})
	})
}

func TestEnginePrefixCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{PrefillRate: 1000, PrefixCache: true, BlockTokens: 16})
		rows := []struct {
			why    string
			body   string
			ttft   float64
			cached int
		}{
			{"nothing is there yet", ask(64, 17, ""), 64, 0},
			{"whole blocks, but never the last token: 48 of 64", ask(64, 17, ""), 16, 48},
			{"a longer prompt shares what it begins with", ask(100, 1, ""), 36, 64},
			{"another one shares nothing", strings.ReplaceAll(ask(64, 1, ""), "word", "other"), 64, 0},
			{"less than a block shares nothing", ask(15, 1, ""), 15, 0},
		}
		sum := 0
		for _, row := range rows {
			got := call(t.Context(), server, row.body)
			require.Equal(t, row.ttft, got.instants(t)[0], row.why)
			require.NotNil(t, got.usage(t).PromptTokensDetails, row.why)
			require.Equal(t, row.cached, got.usage(t).PromptTokensDetails.CachedTokens, row.why)
			sum += row.cached
		}
		require.Equal(t, []int{64 + 64 + 100 + 64 + 15, sum}, []int{server.Engine().QueriedTokens, server.Engine().HitTokens})
	})
}

// The next turn of a conversation begins with the last prompt and its answer,
// and finds both.
func TestEngineCachesTheAnswerToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{PrefillRate: 1000, PrefixCache: true, BlockTokens: 8})
		answer, _ := call(t.Context(), server, ask(12, 13, "")).content(t)
		prompt := strings.TrimSpace(strings.Repeat("word ", 12))
		next := fmt.Sprintf(`{"stream":true,"max_tokens":1,"messages":[{"content":%q},{"content":%q},{"content":"go on please"}]}`, prompt, answer)
		// 12 + 13 + 3 = 28 tokens. The last of the answer was never stored, so 24 were,
		// which is three blocks of 8; four tokens are left to compute.
		require.Equal(t, []float64{4}, call(t.Context(), server, next).instants(t))
	})
}

// Memory for new blocks is taken from the prefix that was not used for longest.
func TestEngineForgetsTheOldestPrefix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{PrefillRate: 1000, PrefixCache: true, BlockTokens: 1, KVTokens: 30})
		ttft := func(word string) float64 {
			return call(t.Context(), server, strings.ReplaceAll(ask(10, 1, ""), "word", word)).instants(t)[0]
		}
		require.Equal(t, []float64{10, 10, 1}, []float64{ttft("a"), ttft("b"), ttft("a")})
		require.Equal(t, []float64{10, 1}, []float64{ttft("c"), ttft("a")}, "three prompts fit")
		require.Equal(t, []float64{10, 1, 1}, []float64{ttft("d"), ttft("c"), ttft("a")}, "the fourth takes b's place")
		require.Equal(t, 10.0, ttft("b"))
	})
}

// A client that leaves gives its slot and its memory back at the next step.
func TestEngineAbortsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{Slots: 1, PrefillRate: 1000, StepTime: LinearStep(10*ms, 0)})
		ctx, cancel := context.WithTimeout(t.Context(), 55*ms)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() { call(ctx, server, ask(10, 1000, "")) })
		time.Sleep(ms)
		second := call(t.Context(), server, ask(10, 1, ""))
		wg.Wait()
		// Steps of the first end at 10, 20 ... 60; the second is taken in at 60.
		require.Equal(t, []float64{69}, second.instants(t))
		require.Equal(t, 1, server.Engine().Aborted)
		require.Equal(t, 55*ms, server.Requests()[0].Left)
		require.Zero(t, server.Engine().UsedTokens)
	})
}

// Faults work on an engine's replies too, and what ends a reply frees its slot.
func TestEngineWithFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := Engine{Slots: 1, PrefillRate: 1000, StepTime: LinearStep(10*ms, 0)}
		server := Start(t, Cycle(With(engine, ResetAfter(2)), With(engine, Stall(1, time.Second))))
		require.Equal(t, []float64{10, 20}, call(t.Context(), server, ask(10, 1000, "")).instants(t))
		require.Equal(t, []float64{10, 1020, 1030}, call(t.Context(), server, ask(10, 3, "")).instants(t))
		require.Zero(t, server.Engine().Running)
	})
}

// The rest of a write that was split waits for its pause, and not for tokens that
// the engine makes meanwhile.
func TestEngineWithSplitWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{
			PrefillRate: 1000, StepTime: LinearStep(10*ms, 0), Reply: Script{TokensPerChunk: 2, Role: RoleNever, Faults: []Fault{Split(15*ms, 9)}},
		})
		// Two tokens are a chunk: at 20, 40 and 60 ms. The first is held up until 35.
		require.Equal(t, []float64{35, 40, 60}, call(t.Context(), server, ask(10, 6, "")).instants(t))
	})
}

// A reply in one body leaves with its last token.
func TestEngineReplyInOneBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Engine{PrefillRate: 1000, StepTime: LinearStep(10*ms, 0)})
		got := call(t.Context(), server, `{"messages":[{"content":"one two"}],"max_tokens":3}`)
		require.Equal(t, 22*ms, got.end.Sub(got.sent))
	})
}

// Sixteen users whose requests meet at every instant: thirty runs are one.
func TestEngineIsDeterministic(t *testing.T) {
	var stats EngineStats
	run := func() (all []string) {
		synctest.Test(t, func(t *testing.T) {
			server := Start(t, Engine{
				Slots: 6, PrefillRate: 10_000, ChunkTokens: 64, StepTime: LinearStep(5*ms, ms), KVTokens: 176, PrefixCache: true,
			})
			var wg sync.WaitGroup
			for user := range 16 {
				wg.Go(func() {
					for turn := range 4 {
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(500+100*(user%3))*ms)
						callAs(ctx, server, fmt.Sprintf("r%d", turn*16+user), ask(40+10*(user%4), 20+user, ""))
						cancel()
					}
				})
			}
			wg.Wait()
			synctest.Wait()
			for _, x := range server.Requests() {
				all = append(all, fmt.Sprint(x.Number, x.ID, x.Arrived, x.FirstToken, x.LastToken, x.Ended, x.Left, x.Tokens))
			}
			stats = server.Engine()
			all = append(all, fmt.Sprintf("%+v", stats))
		})
		return all
	}
	first := run()
	require.True(t, stats.Preempted > 0 && stats.Aborted > 0 && stats.HitTokens > 0, "the scenario must be a hard one: %+v", stats)
	for i := range 30 {
		require.Equal(t, first, run(), "run %d", i)
	}
}

func TestBadEnginesFailTheTest(t *testing.T) {
	rows := []struct {
		e    Engine
		want string
	}{
		{Engine{Slots: -1}, "mock: engine: Slots is -1, want >= 0"},
		{Engine{PrefillRate: -1}, "mock: engine: PrefillRate is -1, want >= 0"},
		{Engine{StepTime: LinearStep(-ms, 0)}, "mock: engine: StepTime(1) is -1ms, want >= 0"},
		{Engine{KVTokens: 8}, "mock: engine: KVTokens is 8, want at least a block, which is 16"},
		{Engine{Reply: Script{Output: -1}}, "mock: script: Output is -1, want >= 0"},
		{Engine{Reply: Script{TTFT: ms}}, "mock: engine: Reply.TTFT is set, want none: an engine's times come from PrefillRate and StepTime"},
		{Engine{Reply: Script{TTFTPerInputToken: ms}}, "mock: engine: Reply.TTFTPerInputToken is set, want none: an engine's times come from PrefillRate and StepTime"},
		{Engine{Reply: Script{TTFTs: Uniform(0, ms)}}, "mock: engine: Reply.TTFTs is set, want none: an engine's times come from PrefillRate and StepTime"},
		{Engine{Reply: Script{ITL: ms}}, "mock: engine: Reply.ITL is set, want none: an engine's times come from PrefillRate and StepTime"},
		{Engine{Reply: Script{Gaps: []time.Duration{ms}}}, "mock: engine: Reply.Gaps is set, want none: an engine's times come from PrefillRate and StepTime"},
		{Engine{Reply: Script{ITLs: Uniform(0, ms)}}, "mock: engine: Reply.ITLs is set, want none: an engine's times come from PrefillRate and StepTime"},
	}
	for _, row := range rows {
		var st stubT
		require.Nil(t, Start(&st, row.e))
		require.Equal(t, row.want, st.said)
	}
}

// The engine goes by the instants it is given. When the loop is late, a request
// may be in the queue before its time has come: it must not be started at an
// instant before it arrived.
func TestEngineIsCausalWhenTheLoopIsLate(t *testing.T) {
	e := newEngine(Engine{PrefillRate: 1000})
	s := &stream{req: &Request{Arrived: 10 * ms, InputTokens: 5}, reply: Reply{pace: e, paceTokens: 1}, place: -1}
	e.compose, e.due = true, 4*ms // a step ended at 4 ms, and the loop comes to it only now
	e.attach(s)
	e.fire()
	at, ok := e.next()
	require.True(t, ok)
	require.Equal(t, 10*ms+1, at)
	e.fire()
	at, ok = e.next()
	require.True(t, ok)
	require.Equal(t, 15*ms, at)
}
