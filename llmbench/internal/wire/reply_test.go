package wire

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// Replies of every API, streamed and not, as testdata/replies holds them.
func TestReplies(t *testing.T) {
	for _, tt := range []struct {
		why, api, file string
		want           string
	}{
		{"one thought under two names counts once; usage in every detail", "openai-chat", "chat-reasoning-twice.sse",
			"ok role reasoning reasoning content finish | text=yes thought=hmok. finish=stop | prompt=9 completion=5 total=14 reasoning=3 cached=4 audio=3 accepted=6 rejected=7 | done"},
		{"content as a list of parts, refusals and audio are output", "openai-chat", "chat-content-parts.sse",
			"ok reasoning content content content finish | text=fine noUklG thought=so finish=stop | done"},
		{"logprobs tell how many tokens a chunk is", "openai-chat", "chat-logprobs.sse",
			"ok content:2 content:1 finish usage | text=two words! finish=stop | prompt=9 completion=3 total=12 | done"},
		{"usage on the last chunk alone is no chunk's count", "openai-chat", "chat-usage-late.sse",
			"ok content content | text=ab finish=stop | prompt=9 completion=2 total=11 | done"},
		{"llama.cpp's own measurements", "openai-chat", "chat-llama-timings.sse",
			"ok content finish | text=a finish=stop | prompt=9 completion=1 total=10 | timings prompt_n=6 predicted_n=1 cached_n=3 prompt=12.5ms predicted=4.25ms total=16.75ms | done"},
		{"llama.cpp's error field, which the standard ignores", "openai-chat", "chat-llama-error-field.sse",
			"error content other | text=a | server=context is full (server_error, 500)"},
		{"an id alone is no output; names and arguments are; the older function_call too", "openai-chat", "chat-tools-legacy.sse",
			"ok role tool tool finish | tools=f,g,h args={}[1] finish=tool_calls | done"},
		{"a whole reply is one chunk at its end, and its usage is that chunk's", "openai-chat", "chat-whole.json",
			"ok content:2 | text=yes thought=hm finish=stop | prompt=9 completion=2 total=11 | whole"},
		{"the last event counts without its blank line", "openai-chat", "chat-no-blank-line-at-end.sse",
			"ok content finish | text=a finish=stop"},
		{"a stream cut inside an event is incomplete, also after the finish reason", "openai-chat", "chat-cut-in-usage.sse",
			"incomplete content | text=a finish=stop | malformed=1"},
		{"an error as the first event", "openai-chat", "chat-error-first.sse", "error other | server=no slot (overloaded, 503) | done"},
		{"vLLM's older error object", "openai-chat", "chat-error-vllm-old.sse", "error other | server=too long (BadRequestError, 400)"},
		{"chunks under a name, foreign names, empty data, and what follows [DONE]", "openai-chat", "chat-named-chunks.sse",
			"ok content finish | text=a finish=stop | done | ignored=3"},
		{"completions, whole", "openai-completions", "completions-whole.json", "ok content:2 | text=alpha finish=length | whole"},
		{"every kind of event of the responses API", "openai-responses", "responses-all.sse",
			"ok other other reasoning role content content other tool tool finish | text=alpha thought=hm tools=f args={} finish=stop | prompt=9 completion=5 total=14 reasoning=1 cached=4 | done"},
		{"a failed response", "openai-responses", "responses-failed.sse", "error other content other | text=al | server=engine stopped (server_error) | done"},
		{"a response, whole", "openai-responses", "responses-whole.json",
			"ok content:5 | text=alpha thought=hm tools=f args={} finish=stop | prompt=9 completion=5 total=14 | done whole"},
		{"Ollama's thinking, tools, blank line and durations", "ollama-chat", "ollama-chat-tools.ndjson",
			`ok reasoning tool role finish | thought=hm tools=f args={"c":"Oslo"} finish=stop | prompt=26 completion=4 | timings prompt_n=26 predicted_n=4 prompt=130ms predicted=40ms total=5s load=1ms | done`},
		{"Ollama's error in the stream", "ollama-chat", "ollama-chat-error.ndjson",
			"error content other | text=a | server=an error was encountered while running the model: CUDA error"},
		{"Ollama, whole; releases without done_reason", "ollama-chat", "ollama-chat-whole.json",
			"ok content:2 | text=alpha finish=stop | prompt=9 completion=2 | done whole"},
		{"generate, without a line end after the last line", "ollama-generate", "ollama-generate.ndjson",
			"ok content content finish | text=alpha finish=stop | prompt=9 completion=2 | done"},
		{"thinking, tools, signatures and unknown events; the cache is part of the prompt; the last usage holds", "anthropic-messages", "anthropic-thinking-tools.sse",
			`ok role other reasoning other tool other tool finish other | thought=hm tools=f args={"c":1} finish=tool_use | prompt=129 completion=7 cached=100 | done | ignored=1`},
		{"Anthropic's error event", "anthropic-messages", "anthropic-overloaded.sse", "error role other | server=Overloaded (overloaded_error) | prompt=9 completion=1"},
		{"a message, whole", "anthropic-messages", "anthropic-whole.json",
			`ok content:5 | text=alpha thought=hm tools=f args={"c":1} finish=end_turn | prompt=9 completion=5 | whole`},
		{"TGI: one token per event, the end token is no text", "tgi", "tgi.sse",
			"ok content:1 content:1 finish | text=alpha finish=eos_token | prompt=9 completion=3 | done"},
		{"TGI, whole", "tgi", "tgi-whole.json", "ok content:2 | text=alpha finish=length | prompt=2 completion=2 | done whole"},
		{"vectors are an answer of no tokens", "openai-embeddings", "embeddings.json", "ok content:0 | prompt=9 total=9 | done whole"},
		{"no vectors are none", "openai-embeddings", "embeddings-none.json", "empty other | done whole"},
		{"a login page", "openai-chat", "page.html", "error | server=Sign in Sign in to continue | whole"},
		{"some other service", "openai-chat", "not-json.txt", "error | server=pong | whole"},
		{"a body without a byte", "openai-chat", "nothing.txt", "incomplete | whole"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reply := replyFrom(t, tt.api, tt.file)
				require.Equal(t, tt.want, summary(reply), "%s; %s", tt.why, reply.Err)
			})
		})
	}
}

var mediaTypes = map[string]string{
	".sse": "text/event-stream", ".ndjson": "application/x-ndjson", ".json": "application/json", ".html": "text/html", ".txt": "text/plain",
}

func replyFrom(t *testing.T, api, file string) Reply {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata/replies", file))
	require.NoError(t, err)
	protocol, err := ByName(api)
	require.NoError(t, err)
	client, _ := serve(t, whole(mediaTypes[filepath.Ext(file)], string(body)).play)
	call := Call{Client: client, URL: "http://mock/" + protocol.Path(), Protocol: protocol, Now: clock(), KeepText: 1 << 10}
	ext := filepath.Ext(file)
	return call.Do(context.Background(), Request{Stream: ext == ".sse" || ext == ".ndjson"})
}

// summary is a reply in one line: outcome and kinds, then each part that is
// there.
func summary(r Reply) string {
	head := r.Outcome.String()
	for _, c := range r.Chunks {
		head += " " + c.Kind.String()
		if c.Counted {
			head += fmt.Sprintf(":%d", c.Tokens)
		}
	}
	parts := []string{head}
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	add(textSummary(r))
	if r.Server.Message != "" {
		add("server=" + r.Server.words())
	}
	if r.Usage != nil {
		add(usageSummary(*r.Usage))
	}
	if r.Timings != nil {
		add("timings " + timingSummary(*r.Timings))
	}
	add(endSummary(r))
	if r.Malformed > 0 {
		add(fmt.Sprintf("malformed=%d", r.Malformed))
	}
	if r.Ignored > 0 {
		add(fmt.Sprintf("ignored=%d", r.Ignored))
	}
	return strings.Join(parts, " | ")
}

func textSummary(r Reply) string {
	out := ""
	for _, c := range r.Choices {
		for _, f := range [][2]string{
			{"text", c.Text}, {"thought", c.Reasoning}, {"tools", strings.ReplaceAll(c.ToolNames, "\n", ",")}, {"args", c.ToolArguments},
		} {
			if f[1] != "" {
				out += " " + f[0] + "=" + f[1]
			}
		}
	}
	if r.FinishReason != "" {
		out += " finish=" + r.FinishReason
	}
	return out
}

func usageSummary(u Usage) string {
	return counts([]string{"prompt", "completion", "total", "reasoning", "cached", "audio", "accepted", "rejected"},
		u.Prompt, u.Completion, u.Total, u.Reasoning, u.Cached, u.Audio, u.AcceptedPrediction, u.RejectedPrediction)
}

func timingSummary(m Timings) string {
	return counts([]string{"prompt_n", "predicted_n", "cached_n"}, m.PromptN, m.PredictedN, m.CachedN) + " " +
		counts([]string{"prompt", "predicted", "total", "load", "queue"}, m.Prompt, m.Predicted, m.Total, m.Load, m.Queue)
}

func counts[T any](names []string, values ...Opt[T]) string {
	var out []string
	for i, v := range values {
		if v.Known {
			out = append(out, fmt.Sprintf("%s=%v", names[i], v.V))
		}
	}
	return strings.Join(out, " ")
}

func endSummary(r Reply) string {
	out := ""
	if r.DoneSeen {
		out += " done"
	}
	if r.Status == http.StatusOK && !r.Streamed {
		out += " whole"
	}
	return out
}
