package mock

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// trace writes a chat stream as a reader sees it: one line per frame, with the
// instant in ms and what the frame carries.
func (g seen) trace(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	for _, l := range g.lines {
		fmt.Fprintf(&b, "%g ", float64(l.at)/1e6)
		if l.text == "[DONE]" {
			b.WriteString("done\n")
			continue
		}
		var c struct {
			Choices []struct {
				Index int
				Delta struct {
					Role, Content, Reasoning_content string
					Tool_calls                       []struct {
						Index    int
						Function struct{ Name, Arguments string }
					}
				}
				Finish_reason string
			}
			Usage *struct{ Completion_tokens int }
			Error *struct{ Message string }
		}
		if err := json.Unmarshal([]byte(l.text), &c); err != nil {
			b.WriteString("malformed\n")
			continue
		}
		for _, ch := range c.Choices {
			if ch.Index > 0 {
				fmt.Fprintf(&b, "#%d ", ch.Index)
			}
			d := ch.Delta
			switch {
			case d.Role != "":
				b.WriteString("role")
			case d.Content != "":
				fmt.Fprintf(&b, "content %q", d.Content)
			case d.Reasoning_content != "":
				fmt.Fprintf(&b, "reasoning %q", d.Reasoning_content)
			case len(d.Tool_calls) > 0:
				fmt.Fprintf(&b, "tool %d %s%q", d.Tool_calls[0].Index, d.Tool_calls[0].Function.Name, d.Tool_calls[0].Function.Arguments)
			case ch.Finish_reason != "":
				b.WriteString("finish " + ch.Finish_reason)
			}
		}
		if c.Usage != nil {
			fmt.Fprintf(&b, " usage %d", c.Usage.Completion_tokens)
		}
		if c.Error != nil {
			b.WriteString("error " + c.Error.Message)
		}
		b.WriteByte('\n')
	}
	if g.err != nil {
		b.WriteString("broken off\n")
	}
	return b.String()
}

const bare = `{"messages":[{"content":"one two three"}],"stream":true}`

func TestScriptTimelines(t *testing.T) {
	rows := []struct {
		why    string
		script Script
		body   string
		want   string
	}{
		{"case 142: the role goes out at once, the first content at TTFT", Script{TTFT: 100 * ms, Output: 2, ITL: 5 * ms}, bare,
			"0 role\n100 content \"the\"\n105 content \" queue\"\n105 finish stop\n105 done\n"},
		{"the role can wait for the first content", Script{TTFT: 100 * ms, Output: 1, Role: RoleWithFirst}, bare,
			"100 role\n100 content \"the\"\n100 finish stop\n100 done\n"},
		{"or be left out", Script{Output: 1, Role: RoleNever}, bare,
			"0 content \"the\"\n0 finish stop\n0 done\n"},
		{"a TTFT for each token of the prompt", Script{TTFT: 10 * ms, TTFTPerInputToken: ms, Output: 1}, bare,
			"0 role\n13 content \"the\"\n13 finish stop\n13 done\n"},
		{"slow headers hold everything back that is due before", Script{TTFT: 5 * ms, ITL: 5 * ms, HeaderDelay: 7 * ms, Output: 2}, bare,
			"7 role\n7 content \"the\"\n10 content \" queue\"\n10 finish stop\n10 done\n"},
		{"a list of gaps begins again after its end", Script{Gaps: []time.Duration{ms, 2 * ms}, Output: 4, Role: RoleNever}, bare,
			"0 content \"the\"\n1 content \" queue\"\n3 content \" was\"\n4 content \" short\"\n4 finish stop\n4 done\n"},
		{"thinking comes first and is part of the length", Script{ITL: ms, Output: 3, Reasoning: 2, Role: RoleNever}, bare,
			"0 reasoning \"the\"\n1 reasoning \" queue\"\n2 content \"the\"\n2 finish stop\n2 done\n"},
		{"a chunk never mixes thinking with the answer", Script{ITL: ms, Output: 5, Reasoning: 3, TokensPerChunk: 2, Role: RoleNever}, bare,
			"0 reasoning \"the queue\"\n2 reasoning \" was\"\n3 content \"the queue\"\n3 finish stop\n3 done\n"},
		{"a text of one's own ends by itself", Script{Text: "Hello,  big world\n", Role: RoleNever}, bare,
			"0 content \"Hello,\"\n0 content \"  big\"\n0 content \" world\\n\"\n0 finish stop\n0 done\n"},
		{"and is cut by the request", Script{Text: "Hello, big world", Role: RoleNever}, ask(1, 2, ""),
			"0 content \"Hello,\"\n0 content \" big\"\n0 finish length\n0  usage 2\n0 done\n"},
		{"tool calls alone", Script{ITL: ms, Role: RoleNever, Tools: []ToolCall{{"get", `{"a": 1}`}, {"put", "{}"}}}, bare,
			"0 tool 0 get\"\"\n1 tool 0 \"{\\\"a\\\":\"\n2 tool 0 \" 1}\"\n3 tool 1 put\"\"\n4 tool 1 \"{}\"\n4 finish tool_calls\n4 done\n"},
		{"text before a tool call", Script{Output: 1, Role: RoleNever, TokensPerChunk: 9, Tools: []ToolCall{{"get", "{}"}}}, bare,
			"0 content \"the\"\n0 tool 0 get\"{}\"\n0 finish tool_calls\n0 done\n"},
		{"a limit cuts a tool call short", Script{Output: 1, Role: RoleNever, Tools: []ToolCall{{"get", "{}"}}}, ask(1, 2, ""),
			"0 content \"the\"\n0 tool 0 get\"\"\n0 finish length\n0  usage 2\n0 done\n"},
		{"usage although nobody asked", Script{Output: 1, Role: RoleNever, Usage: UsageAlways}, bare,
			"0 content \"the\"\n0 finish stop\n0  usage 1\n0 done\n"},
		{"no usage although asked", Script{Output: 1, Role: RoleNever, Usage: UsageNever}, ask(1, 9, ""),
			"0 content \"the\"\n0 finish stop\n0 done\n"},
		{"running usage in every frame", Script{Output: 2, Role: RoleNever, Usage: UsageEvery}, bare,
			"0 content \"the\" usage 1\n0 content \" queue\" usage 2\n0 finish stop usage 2\n0  usage 2\n0 done\n"},
		{"a usage that is wrong", Script{Output: 1, Role: RoleNever, UsageError: 9}, ask(1, 9, ""),
			"0 content \"the\"\n0 finish stop\n0  usage 10\n0 done\n"},
		{"a finish reason of one's own", Script{Output: 1, Role: RoleNever, Finish: "content_filter"}, bare,
			"0 content \"the\"\n0 finish content_filter\n0 done\n"},
		{"two choices take turns", Script{Output: 2, ITL: ms}, `{"messages":[{"content":"x"}],"stream":true,"n":2}`,
			"0 role\n0 content \"the\"\n0 #1 content \"the\"\n1 content \" queue\"\n1 #1 content \" queue\"\n1 finish stop\n1 #1 finish stop\n1 done\n"},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			got := call(t.Context(), Start(t, row.script), row.body)
			require.Equal(t, row.want, got.trace(t), row.why)
		})
	}
}

func TestKeepAliveComments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := call(t.Context(), Start(t, Script{TTFT: 25 * ms, KeepAlive: 10 * ms, Output: 1}), bare)
		require.Equal(t, 2, strings.Count(got.body, ": keep-alive\n\n"), "at 10 and 20 ms, not at the first content or after")
		text, at := got.content(t)
		require.Equal(t, "the", text)
		require.Equal(t, []time.Duration{25 * ms}, at)
	})
}

// A function is a distribution, and what it draws below 0 counts as 0.
func TestTimesFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := TimesFunc(func(*rand.Rand) time.Duration { return 7 * ms })
		gap := TimesFunc(func(*rand.Rand) time.Duration { return -ms })
		got := call(t.Context(), Start(t, Script{TTFTs: first, ITL: 2 * ms, ITLs: gap}), ask(1, 3, ""))
		text, at := got.content(t)
		require.Equal(t, "the queue was", text)
		require.Equal(t, []time.Duration{7 * ms, 9 * ms, 11 * ms}, at)
	})
}

// The random parts of a script belong to the request, not to its place: the same
// requests in any order get the same replies.
func TestRandomPartsDoNotDependOnTheOrder(t *testing.T) {
	script := Script{
		TTFT: ms, TTFTs: LogNormal(50*ms, 0.5), ITLs: Normal(10*ms, 3*ms), Output: 20, OutputSpread: 10, Seed: 7,
	}
	run := func(order []int) (all [8]string) {
		synctest.Test(t, func(t *testing.T) {
			server := Start(t, script)
			for _, i := range order {
				all[i] = call(t.Context(), server, ask(1+i, 1000, "")).trace(t)
			}
		})
		return all
	}
	first := run([]int{0, 1, 2, 3, 4, 5, 6, 7})
	require.Equal(t, first, run(rand.Perm(8)))
	for i := 1; i < len(first); i++ {
		require.NotEqual(t, first[0], first[i], "two requests got one reply")
	}
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, script)
		require.NotEqual(t, call(t.Context(), server, bare).trace(t), call(t.Context(), server, bare).trace(t),
			"the same request again is another draw")
	})
	script.Seed++
	require.NotEqual(t, first, run([]int{0, 1, 2, 3, 4, 5, 6, 7}), "the seed changes nothing")
}

func TestTimesHaveTheirMeans(t *testing.T) {
	rows := []struct {
		name string
		d    Times
		mean time.Duration
	}{
		{"uniform", Uniform(10*ms, 30*ms), 20 * ms},
		{"normal", Normal(20*ms, 5*ms), 20 * ms},
		{"exponential", Exponential(20 * ms), 20 * ms},
		{"log-normal, median times exp(sigma^2/2)", LogNormal(20*ms, 0.5), 22663 * time.Microsecond},
	}
	for _, row := range rows {
		rng := rand.New(rand.NewPCG(1, 2))
		var sum time.Duration
		const n = 100_000
		for range n {
			sum += row.d.Draw(rng)
		}
		require.InEpsilon(t, row.mean, sum/n, 0.02, row.name) // 5 standard errors of the widest
	}
}
