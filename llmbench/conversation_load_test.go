package llmbench_test

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

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
		require.Equal(t, llmbench.Blocks{Hit: 2, Total: 6}, result.Schedule.PrefixBlocks())
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
