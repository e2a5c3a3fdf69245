package llmbench_test

import (
	"context"
	"encoding/json"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

const ms = time.Millisecond

// listener keeps what the server was asked.
type listener struct {
	mock.Script
	mu   sync.Mutex
	seen []*mock.Request
}

func (l *listener) Respond(r *mock.Request) mock.Reply {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, r)
	return l.Script.Respond(r)
}

// sent are the send instants of the records in their order.
func sent(r *llmbench.Result) (at []time.Duration) {
	for _, record := range r.Records {
		at = append(at, record.Sent.Or(-1))
	}
	return at
}

func scheduled(r *llmbench.Result) (at []time.Duration) {
	for _, record := range r.Records {
		at = append(at, record.Scheduled.Or(-1))
	}
	return at
}

func TestUsersThinkBetweenReplyAndNextRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), llmbench.Profile{
			Arrivals: llmbench.Closed(1), Requests: 3, Output: llmbench.Tokens(1), Think: llmbench.Wait(400 * ms),
		})
		require.Equal(t, []time.Duration{0, 500 * ms, 1000 * ms}, scheduled(result), "ready when the thinking is over")
		require.Equal(t, scheduled(result), sent(result))
		require.Equal(t, 1100*ms, result.Window.To, "nobody thinks after the last reply and calls it load")
	})
}

func TestUsersJoinAndLeaveWithTheStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 250 * ms}), llmbench.Profile{
			Arrivals: llmbench.Steps(time.Second, llmbench.Closed(1), llmbench.Closed(3), llmbench.Closed(2)), Output: llmbench.Tokens(1),
		})
		perStage := map[time.Duration]int{}
		for _, at := range sent(result) {
			perStage[at/time.Second]++
		}
		require.Equal(t, map[time.Duration]int{0: 4, 1: 12, 2: 8}, perStage, "four replies of 250 ms per user and second")
		require.Equal(t, 24, result.Counts.OK)
		require.Equal(t, 3*time.Second, result.Window.To)
	})
}

// Case 104: the users in flight are those asked for, neither more nor fewer.
func TestClosedLoopHasExactlyItsUsers(t *testing.T) {
	for _, users := range []int{1, 5, 32, 45} {
		synctest.Test(t, func(t *testing.T) {
			result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), llmbench.Profile{
				Arrivals: llmbench.Closed(users), Requests: 4 * users, Output: llmbench.Tokens(1),
			})
			require.Equal(t, float64(users), mean(t, result, llmbench.MaxConcurrency))
			require.InDelta(t, float64(users), mean(t, result, llmbench.MeanConcurrency), 1e-9)
			require.Equal(t, 400*ms, result.Window.Length())
		})
	}
}

// Three turns of 20 words and replies of 5: what the server counts grows by what
// was said, as the mock's words are its tokens.
func TestSessionsCarryTheirHistory(t *testing.T) {
	for _, row := range []struct {
		why     string
		history llmbench.History
		input   []int
	}{
		{"prompts and the model's replies", llmbench.ReplyHistory, []int{20, 45, 70}},
		{"prompts and replies of the length asked for", llmbench.FixedHistory, []int{20, 45, 70}},
		{"each turn alone", llmbench.NoHistory, []int{20, 20, 20}},
	} {
		synctest.Test(t, func(t *testing.T) {
			heard := &listener{Script: mock.Script{TTFT: 100 * ms}}
			result := llmbench.Run(t, mock.Start(t, heard), llmbench.Profile{
				Arrivals: llmbench.Closed(1), Requests: 6, Input: llmbench.Tokens(20), Output: llmbench.Tokens(5),
				Sessions: llmbench.Sessions{Turns: llmbench.Tokens(3), History: row.history, Slots: 2}, Think: llmbench.Wait(time.Second),
			})
			for i, r := range result.Records {
				require.Equal(t, row.input[i%3], r.InputTokens.Or(-1), "%s: request %d", row.why, i)
				require.Equal(t, [2]any{[]string{"s0", "s1"}[i/3], i % 3}, [2]any{r.Session, r.Turn})
				require.Equal(t, time.Duration(i)*1100*ms, r.Scheduled.Or(-1), "a turn is due when its user has thought")
				require.Contains(t, string(heard.seen[i].Body), `"id_slot":`+[]string{"0", "1"}[i/3])
			}
			if row.history == llmbench.ReplyHistory {
				require.True(t, strings.HasPrefix(heard.seen[2].Prompt, heard.seen[1].Prompt), "the next turn begins with all before it")
				require.Contains(t, heard.seen[1].Prompt, "\nthe queue was short and\n", "the reply as the model gave it")
			}
		})
	}
}

// Sessions of an open loop begin on schedule; their later turns come when their
// user is ready, whatever the others do.
func TestOpenLoopStartsSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 300 * ms}), llmbench.Profile{
			Arrivals: llmbench.Constant(10), Requests: 5, Output: llmbench.Tokens(1),
			Sessions: llmbench.Sessions{Turns: llmbench.Tokens(2)}, Think: llmbench.Wait(50 * ms),
		})
		require.Equal(t, []time.Duration{0, 350 * ms, 100 * ms, 450 * ms, 200 * ms}, scheduled(result), "five requests are two sessions and a half")
		require.Equal(t, scheduled(result), sent(result))
	})
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 300 * ms}), llmbench.Profile{
			Arrivals: llmbench.Constant(10), Duration: 400 * ms, Output: llmbench.Tokens(1),
			Sessions: llmbench.Sessions{Turns: llmbench.Tokens(3)}, Think: llmbench.Wait(50 * ms),
		})
		require.Equal(t, []time.Duration{0, 350 * ms, 100 * ms, 200 * ms, 300 * ms}, scheduled(result),
			"a turn that would come after the end is not part of the load")
		require.Equal(t, [2]int{5, 0}, [2]int{result.Counts.OK, result.Counts.Unsent})
	})
}

func TestAFailedTurnEndsItsSession(t *testing.T) {
	for _, arrivals := range []llmbench.Arrivals{llmbench.Closed(1), llmbench.Constant(1)} {
		synctest.Test(t, func(t *testing.T) {
			broken := mock.ByNumber(1, mock.With(mock.Script{}, mock.Refuse(500, "broken")), mock.Script{TTFT: 100 * ms})
			result := llmbench.Run(t, mock.Start(t, broken), llmbench.Profile{
				Arrivals: arrivals, Requests: 6, Output: llmbench.Tokens(1), Sessions: llmbench.Sessions{Turns: llmbench.Tokens(3)},
			})
			c := result.Counts
			require.Equal(t, [4]int{4, 1, 1, 6}, [4]int{c.OK, c.Error, c.Unsent, c.Planned}, "%v", arrivals)
			lost := result.Records[2]
			require.Equal(t, "the turn before it in its session failed", lost.Error)
			require.False(t, lost.Scheduled.Ok(), "it was never due")
		})
	}
}

// A prefill slot is free again at the first content: four arrive together, each
// is prefilled for 100 ms and goes on for 4 s.
func TestPrefillCapFreesAtTheFirstContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms, ITL: time.Second}), llmbench.Profile{
			Arrivals: llmbench.Constant(1000), Requests: 4, Output: llmbench.Tokens(5), MaxPrefill: 1,
		})
		require.Equal(t, []time.Duration{0, 100 * ms, 200 * ms, 300 * ms}, sent(result))
		require.Equal(t, 3, result.Generator.CapFull)
		require.Equal(t, 4.0, mean(t, result, llmbench.MaxConcurrency), "decoding is not bounded")
		require.Equal(t, time.Duration(0), result.Generator.DelayMax.Or(-1), "the wait for a slot is no fault of the harness")
	})
	synctest.Test(t, func(t *testing.T) {
		refused := mock.With(mock.Script{TTFT: 100 * ms}, mock.Refuse(500, "no"))
		result := llmbench.Run(t, mock.Start(t, refused), llmbench.Profile{
			Arrivals: llmbench.Constant(1000), Requests: 4, Output: llmbench.Tokens(5), MaxPrefill: 1,
		})
		require.Equal(t, 4, result.Counts.Error, "a request without content gives its slot back too")
	})
}

func TestAShareIsCancelledOnPurpose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * ms, ITL: 20 * ms})
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Constant(10), Requests: 400, Output: llmbench.Tokens(50), Seed: 7,
			Cancel: llmbench.CancelPart{Share: 0.25, After: llmbench.Wait(350 * ms)},
		})
		require.InDelta(t, 100, result.Counts.Cancelled, 35, "four standard deviations")
		require.Equal(t, 400, result.Counts.OK+result.Counts.Cancelled)
		require.Zero(t, result.Counts.Failed(), "no failures of the server")
		for i, r := range result.Records {
			cut := result.Schedule.Requests[i].Cancel.Ok()
			require.Equal(t, cut, r.Outcome == llmbench.Cancelled, "the schedule says who: %s", r.ID)
			if cut {
				require.Equal(t, 350*ms, r.End.Or(0)-r.Sent.Or(0))
				require.Len(t, r.Chunks, 14, "the role and 13 tokens at 100, 120, ... 340 ms are kept")
				require.Equal(t, "given up on purpose by Profile.Cancel: cancelled by the caller, with 13 content chunks", r.Error)
			}
		}
		synctest.Wait()
		require.Zero(t, server.InFlight())
	})
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), llmbench.Profile{
			Arrivals: llmbench.Closed(1), Requests: 4, Output: llmbench.Tokens(1), Cancel: llmbench.CancelPart{Share: 1, After: llmbench.Wait(time.Second)},
		})
		require.Equal(t, 4, result.Counts.OK, "who is faster than the patience is not cancelled")
	})
}

// A closed loop against a server that answers at once with failures would spin
// for all of Duration; against one that is not there too.
func TestRunEndsEarlyWhenEverythingFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, err := llmbench.Do(t.Context(), mock.Start(t, mock.With(mock.Script{}, mock.Refuse(500, "out of memory"))), llmbench.Profile{
			Arrivals: llmbench.Closed(4), Duration: time.Hour,
		})
		require.ErrorContains(t, err, "100 of the last 100 requests failed and FailureLimit is 1, the last one: ")
		require.ErrorContains(t, err, "out of memory")
		require.Contains(t, result.Stopped, "100 of the last 100 requests failed")
		require.Less(t, len(result.Records), 110)
		require.GreaterOrEqual(t, result.Counts.Error, 100)
	})
	synctest.Test(t, func(t *testing.T) {
		half := mock.Cycle(mock.Script{}, mock.With(mock.Script{}, mock.Refuse(500, "odd")))
		profile := llmbench.Profile{Arrivals: llmbench.Constant(100), Requests: 400, FailureLimit: 0.5}
		result, err := llmbench.Do(t.Context(), mock.Start(t, half), profile)
		require.ErrorContains(t, err, "50 of the last 100 requests failed and FailureLimit is 0.5")
		require.Equal(t, 100, result.Counts.Sent)
		profile.FailureLimit = 0
		result, err = llmbench.Do(t.Context(), mock.Start(t, half), profile)
		require.NoError(t, err, "a server that answers half of them is not dead")
		require.Equal(t, 200, result.Counts.Error)
	})
	synctest.Test(t, func(t *testing.T) {
		refused := mock.With(mock.Script{}, mock.Refuse(429, "slow down"))
		result := llmbench.Run(t, mock.Start(t, refused), llmbench.Profile{
			Arrivals: llmbench.Constant(100), Requests: 400, FailureLimit: llmbench.NoFailureLimit,
		})
		require.Equal(t, 400, result.Counts.Rejected, "who asks for failures gets them")
	})
}

func TestADeadServerDoesNotSpin(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	result, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: "http://" + address}, llmbench.Profile{
		Arrivals: llmbench.Closed(4), Duration: time.Minute,
	})
	require.ErrorContains(t, err, "connection refused")
	require.Less(t, len(result.Records), 110)
}

func TestReplayPlaysTheTrace(t *testing.T) {
	trace := &llmbench.Trace{Name: "x", Timed: true, BlockTokens: 8, Rows: []llmbench.TraceRow{
		{At: 0, Input: 20, Output: 3, Blocks: []uint64{1, 2, 3}},
		{At: 10 * ms, Input: 9, Failed: true},
		{At: 20 * ms, Input: 24, Output: 4, Blocks: []uint64{1, 2, 4}, Label: "api"},
		{At: 20 * ms, Input: 7, Output: 5, Session: "41", Turn: 2},
		{At: 90 * ms, Prompt: "say it again", Output: 2, Images: 1},
	}}
	synctest.Test(t, func(t *testing.T) {
		heard := &listener{Script: mock.Script{TTFT: 100 * ms}}
		result := llmbench.Run(t, mock.Start(t, heard), llmbench.Profile{Arrivals: llmbench.Replay(trace)})
		require.Equal(t, []time.Duration{0, 20 * ms, 20 * ms, 90 * ms}, sent(result), "the failure is left out")
		var input, output []int
		for _, r := range result.Records {
			input, output = append(input, r.InputTokens.Or(-1)), append(output, r.OutputTokens.Or(-1))
		}
		require.Equal(t, []int{20, 24, 7, 3}, input)
		require.Equal(t, []int{3, 4, 5, 2}, output)
		require.Equal(t, "api", result.Records[1].Label)
		require.Equal(t, [2]any{"41", 2}, [2]any{result.Records[2].Session, result.Records[2].Turn})
		prompts := map[string]*mock.Request{}
		for _, r := range heard.seen {
			prompts[r.ID] = r
		}
		one, two := strings.Fields(prompts["r0"].Prompt), strings.Fields(prompts["r1"].Prompt)
		require.Equal(t, one[:16], two[:16], "two blocks are shared")
		require.NotEqual(t, one[16:], two[16:20])
		require.Equal(t, "say it again", prompts["r3"].Prompt)
		require.Contains(t, string(prompts["r3"].Body), `"url":"data:image/png;base64,`)
		require.Equal(t, llmbench.Blocks{Hit: 2, Total: 6}, result.Schedule.Blocks())
		require.InDelta(t, 100.0/3, mean(t, result, llmbench.TheoreticalPrefixCacheHit), 1e-9)
		require.Zero(t, result.Generator.InputError.Or(-1), "prompts have the planned length to the token")
	})
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{}), llmbench.Profile{
			Arrivals: llmbench.Replay(trace), Requests: 2, Output: llmbench.Tokens(1), Warmup: llmbench.WarmupPart{Requests: 1},
		})
		require.Equal(t, [2]int{2, 1}, [2]int{result.Counts.OK, result.Counts.Warmup})
		require.Equal(t, 1, result.Records[1].OutputTokens.Or(-1), "Profile.Output takes the trace's place")
	})
}

func TestDatasetGivesTheRequestsOfAnyLoop(t *testing.T) {
	data := &llmbench.Trace{Name: "talks", Rows: []llmbench.TraceRow{
		{Session: "a", Prompt: "one", Output: 3}, {Session: "b", Turn: 0, Prompt: "alone here", Output: 1}, {Session: "a", Turn: 1, Prompt: "two", Output: 2},
	}}
	synctest.Test(t, func(t *testing.T) {
		heard := &listener{Script: mock.Script{TTFT: 100 * ms}}
		result := llmbench.Run(t, mock.Start(t, heard), llmbench.Profile{Arrivals: llmbench.Closed(1), Requests: 6, Dataset: data})
		prompts := map[string]int{}
		for _, r := range heard.seen {
			prompts[r.Prompt]++
		}
		require.Equal(t, map[string]int{"one": 2, "one\nthe queue was\ntwo": 2, "alone here": 2}, prompts, "twice through, with what the model said")
		require.Equal(t, 6, result.Counts.OK)
	})
}

func TestPromptsShareWhatTheProfileSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard := &listener{}
		result := llmbench.Run(t, mock.Start(t, heard), llmbench.Profile{
			Arrivals: llmbench.Constant(10), Requests: 60, Input: llmbench.Tokens(10), Output: llmbench.Tokens(1), Seed: 7,
			Prompt: llmbench.PromptPart{Shared: 30, Prefixes: 3, PrefixTokens: 12},
			Body:   llmbench.Body{Tools: []map[string]any{{"type": "function", "function": map[string]any{"name": "weather"}}}},
		})
		prefixes, own := map[string]int{}, map[string]int{}
		for i, r := range heard.seen {
			words := strings.Fields(r.Prompt)
			require.Len(t, words, 52)
			require.Equal(t, strings.Fields(heard.seen[0].Prompt)[:30], words[:30], "the system prompt")
			prefixes[strings.Join(words[30:42], " ")]++
			own[strings.Join(words[42:], " ")]++
			require.Equal(t, 52, result.Records[i].InputTokens.Or(-1))
			require.Contains(t, string(r.Body), `"tools":[{"function":{"name":"weather"},"type":"function"}]`)
		}
		require.Len(t, prefixes, 3)
		require.Len(t, own, 60, "warm-up cannot warm what is each request's own")
	})
}

func TestClassesMixTheirRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{}), llmbench.Profile{
			Arrivals: llmbench.Poisson(50), Requests: 400, Input: llmbench.Tokens(10), Output: llmbench.Tokens(1), Seed: 7,
			Classes: []llmbench.Class{{Label: "chat", Share: 3}, {Label: "code", Share: 1, Input: llmbench.Tokens(90), Output: llmbench.Tokens(4)}},
		})
		count := map[string]int{}
		for _, r := range result.Records {
			count[r.Label]++
			want := map[string][2]int{"chat": {10, 1}, "code": {90, 4}}[r.Label]
			require.Equal(t, want, [2]int{r.InputTokens.Or(-1), r.OutputTokens.Or(-1)})
		}
		require.InDelta(t, 300, count["chat"], 35, "four standard deviations")
		require.Equal(t, 400, count["chat"]+count["code"])
	})
}

// Case 115: what comes before the first send takes nothing from the time.
func TestClockStartsWithTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 10 * ms})
		time.Sleep(800 * ms) // a set-up
		result := llmbench.Run(t, server, llmbench.Profile{Arrivals: llmbench.Constant(20), Duration: time.Second, Output: llmbench.Tokens(1)})
		require.Equal(t, 20, result.Counts.OK)
		require.Equal(t, time.Duration(0), sent(result)[0])
	})
}

// Case 100: the last request ends the run, not one more gap.
func TestRunEndsWithItsLastReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{})
		start := time.Now()
		result := llmbench.Run(t, server, llmbench.Profile{Arrivals: llmbench.Constant(1), Requests: 2})
		require.Equal(t, time.Second, time.Since(start))
		require.Equal(t, []time.Duration{0, time.Second}, sent(result))
	})
}

// Case 113: after 300 ms in which nothing could leave, what came meanwhile
// leaves at once, in order, and each says how late it was. Nothing is dropped.
func TestAfterAStallTheSendingCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, stall{at: 50, ttft: 0, stalled: 300 * ms})
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Constant(100), Duration: time.Second, MaxInFlight: 1, Output: llmbench.Tokens(1),
		})
		require.Equal(t, [3]int{100, 100, 0}, [3]int{result.Counts.Planned, result.Counts.Sent, result.Counts.Unsent})
		for i, r := range result.Records {
			want := r.Scheduled.Or(-1)
			if i > 50 {
				want = max(want, 800*ms)
			}
			require.InDelta(t, want, r.Sent.Or(-1), 1000, "request %d: within 1 µs", i)
		}
		require.Equal(t, 29, result.Generator.Late, "those due from 510 to 790 ms; the one of 800 is on time")
	})
}

// Case 106, under the race detector: users of many speeds at the end.
func TestManyUsersAtTheEndAreCountedOnce(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			server := mock.Start(t, mock.Mix(7, mock.Share{Weight: 1, Responder: mock.Script{TTFT: 200 * ms}}, mock.Share{Weight: 1, Responder: mock.Script{TTFT: 400 * ms}}))
			result := llmbench.Run(t, server, llmbench.Profile{
				Arrivals: llmbench.Closed(500), Duration: 500 * ms, Grace: 100 * ms, Output: llmbench.Tokens(1),
			})
			c := result.Counts
			require.Equal(t, c.Sent, c.OK+c.Error+c.Cancelled)
			require.Zero(t, c.Duplicates)
			require.Positive(t, c.Cancelled)
			require.LessOrEqual(t, result.Window.To, 600*ms)
		})
	}
}

// Case 108: one connection per user, used again and again.
func TestUsersKeepTheirConnections(t *testing.T) {
	server := mock.Listen(t, mock.Script{})
	result := llmbench.Run(t, llmbench.Endpoint{URL: server.URL()}, llmbench.Profile{
		Arrivals: llmbench.Closed(20), Requests: 1000, Output: llmbench.Tokens(3),
	})
	opened := 0
	for _, r := range result.Records {
		if !r.HTTP.Reused {
			opened++
		}
	}
	require.Equal(t, 1000, result.Counts.OK)
	require.LessOrEqual(t, opened, 20)
}

func TestProfileSaysInFilesWhatItIs(t *testing.T) {
	data, err := json.Marshal(llmbench.Profile{
		Arrivals: llmbench.Poisson(4), Requests: 10, Think: llmbench.WaitAbout(time.Second), Pace: llmbench.Precise,
		Sessions: llmbench.Sessions{Turns: llmbench.Uniform(2, 5), History: llmbench.FixedHistory},
		Classes:  []llmbench.Class{{Label: "chat", Share: 3, Input: llmbench.Tokens(9)}},
		Cancel:   llmbench.CancelPart{Share: 0.5, After: llmbench.WaitBetween(time.Second, 2*time.Second)},
	})
	require.NoError(t, err)
	require.JSONEq(t, `{"arrivals":"Poisson 4 req/s","requests":10,"input":"128 tokens","think":"about 1s","turns":"2 to 5 turns",
		"history":"fixed","classes":["chat 3, input 9 tokens"],"seed":0,"timeout_ns":300000000000,"grace_ns":30000000000,
		"cancel_share":0.5,"cancel_after":"1s to 2s","pace":"precise","body":{}}`, string(data))
}

// deadlined is a test whose time is nearly up.
type deadlined struct {
	*testing.T
	at     time.Time
	failed string
}

func (d *deadlined) Deadline() (time.Time, bool) { return d.at, true }
func (d *deadlined) Errorf(format string, args ...any) {
	d.failed = strings.TrimSpace(format)
	if len(args) == 1 {
		d.failed = args[0].(error).Error()
	}
}
func (d *deadlined) Context() context.Context { return context.Background() }

func TestARunEndsBeforeItsTestIsKilled(t *testing.T) {
	near := &deadlined{T: t, at: time.Now().Add(2500 * ms)}
	result := llmbench.Run(near, mock.Listen(t, mock.Script{TTFT: 50 * ms}), llmbench.Profile{
		Arrivals: llmbench.Closed(1), Requests: 1000, Output: llmbench.Tokens(1),
	})
	require.Contains(t, near.failed, "the test's deadline is 1s away; raise go test -timeout or make the run shorter")
	require.Positive(t, result.Counts.Sent)
	require.Less(t, result.Counts.Sent, 100, "what was measured is there, and it is partial")
	require.Contains(t, result.Stopped, "the test's deadline")
}

// The cool-down keeps the load up after the measured part, and is no part of it.
func TestCooldownGoesOnAfterTheMeasuredPart(t *testing.T) {
	for _, row := range []struct {
		why            string
		profile        llmbench.Profile
		measured, more int
		end            time.Duration
	}{
		{"after so many: due at 500, 600, ... 900 ms", llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 5, Cooldown: 500 * ms}, 5, 5, 500 * ms},
		{"after so long: due at 500, 600, 700 ms", llmbench.Profile{Arrivals: llmbench.Constant(10), Duration: 500 * ms, Cooldown: 300 * ms}, 5, 3, 500 * ms},
		{"from the end on, not from the first request after it: due at 500 and 600, until 690 ms", llmbench.Profile{Arrivals: llmbench.Constant(10), Duration: 450 * ms, Cooldown: 240 * ms}, 5, 2, 500 * ms},
		{"users go on: two each at 200, 300, 400 ms", llmbench.Profile{Arrivals: llmbench.Closed(2), Requests: 4, Cooldown: 250 * ms}, 4, 6, 200 * ms},
		{"users go on until the time is over", llmbench.Profile{Arrivals: llmbench.Closed(2), Duration: 200 * ms, Cooldown: 250 * ms}, 4, 6, 200 * ms},
		{"after warm-up too", llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 5, Warmup: llmbench.WarmupPart{Requests: 2}, Cooldown: 200 * ms}, 5, 2, 700 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			row.profile.Output = llmbench.Tokens(1)
			result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), row.profile)
			require.Equal(t, [2]int{row.measured, row.more}, [2]int{result.Counts.OK, result.Counts.Cooldown}, row.why)
			require.Equal(t, row.end, result.Window.To, row.why)
			last := result.Records[len(result.Records)-1]
			require.Equal(t, llmbench.Cooldown, last.Phase, row.why)
			require.Equal(t, llmbench.OK, last.Outcome, row.why)
		})
	}
}

// Slots are given back once: a second crowd, after the first is through, finds
// one slot again and not more.
func TestPrefillCapIsTheSameForTheSecondCrowd(t *testing.T) {
	rows := []llmbench.TraceRow{{At: 0}, {At: 0}, {At: 0}, {At: 20 * time.Second}, {At: 20 * time.Second}, {At: 20 * time.Second}}
	for i := range rows {
		rows[i].Input, rows[i].Output = 5, 5
	}
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms, ITL: time.Second}), llmbench.Profile{
			Arrivals: llmbench.Replay(&llmbench.Trace{Name: "crowds", Timed: true, Rows: rows}), MaxPrefill: 1,
		})
		require.Equal(t, []time.Duration{0, 100 * ms, 200 * ms, 20000 * ms, 20100 * ms, 20200 * ms}, sent(result))
	})
}

// Precise pace spins, which would stop the clock of a bubble for ever; there
// timers are exact. In real time it serves slots and the end while it waits.
func TestPrecisePaceIsForTheRealClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{}), llmbench.Profile{
			Arrivals: llmbench.Constant(10), Requests: 5, Pace: llmbench.Precise,
		})
		require.Equal(t, scheduled(result), sent(result))
		require.Equal(t, 400*ms, sent(result)[4])
	})
	result := llmbench.Run(t, mock.Listen(t, mock.Script{TTFT: 20 * ms}), llmbench.Profile{
		Arrivals: llmbench.Constant(200), Duration: 300 * ms, Output: llmbench.Tokens(1), Pace: llmbench.Precise,
		MaxInFlight: 2, Grace: 5 * time.Second,
	})
	require.Equal(t, 60, result.Counts.Planned)
	require.Equal(t, 60, result.Counts.OK+result.Counts.Unsent)
	require.Positive(t, result.Counts.Unsent, "two slots of 20 ms carry half of 200 req/s")
	for _, r := range result.Records {
		if r.Sent.Ok() {
			require.GreaterOrEqual(t, r.Sent.Or(0), r.Scheduled.Or(0), "never early")
		}
	}
}

func TestASessionStopsAtTheEndOfDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), llmbench.Profile{
			Arrivals: llmbench.Closed(1), Duration: 250 * ms, Output: llmbench.Tokens(1), Sessions: llmbench.Sessions{Turns: llmbench.Tokens(9)},
		})
		require.Equal(t, []time.Duration{0, 100 * ms, 200 * ms}, sent(result), "the turn of 300 ms would come after it")
		require.Equal(t, [2]int{3, 0}, [2]int{result.Counts.OK, result.Counts.Unsent})
	})
}

// Case 103: an infinite rate sends all at once; of three that come together and
// one slot, two find it taken.
func TestTogetherThreeNeedThreeSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, mock.Script{TTFT: 100 * ms}), llmbench.Profile{
			Arrivals: llmbench.Constant(llmbench.Rate(math.Inf(1))), Requests: 3, MaxInFlight: 1, Output: llmbench.Tokens(1),
		})
		require.Equal(t, []time.Duration{0, 0, 0}, scheduled(result))
		require.Equal(t, []time.Duration{0, 100 * ms, 200 * ms}, sent(result))
		require.Equal(t, 2, result.Generator.CapFull)
	})
}
