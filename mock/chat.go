package mock

import (
	"net/http"
	"strconv"
)

// chat is OpenAI's chat completions API.
var chat = protocol{api: Chat, parse: parseChat, stream: sse, event: chatEvent, whole: chatWhole}

const sse = "text/event-stream"

// openaiBody has the fields of a request that the mock looks at.
type openaiBody struct {
	Model    string `json:"model"`
	Messages []struct {
		Content text `json:"content"`
	} `json:"messages"`
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxCompletionTokens *int `json:"max_completion_tokens"`
	MaxTokens           *int `json:"max_tokens"`
	MinTokens           int  `json:"min_tokens"`
	IgnoreEOS           bool `json:"ignore_eos"`
	N                   int  `json:"n"`
}

func parseChat(r *Request) (err error) {
	var body openaiBody
	if err := decode(r.Body, &body); err != nil {
		return err
	}
	if len(body.Messages) == 0 {
		return errNoMessages
	}
	var prompt text
	for _, m := range body.Messages {
		prompt.join(m.Content)
	}
	r.Prompt = string(prompt)
	r.Model, r.Stream, r.IncludeUsage = body.Model, body.Stream, body.StreamOptions.IncludeUsage
	r.MinTokens, r.IgnoreEOS, r.Choices = body.MinTokens, body.IgnoreEOS, body.N
	r.MaxTokens, err = limit(body.MaxCompletionTokens, body.MaxTokens)
	return err
}

func chatEvent(b []byte, s *stream, e Event) []byte {
	switch e.Kind {
	case Role:
		return s.chatDelta(b, e.Choice, `{"role":"assistant","content":""}`, "")
	case Content:
		return s.chatText(b, e, `{"content":`)
	case Reasoning:
		return s.chatText(b, e, `{"reasoning_content":`)
	case Tool:
		return s.chatClose(appendToolDelta(s.chatOpen(b, e.Choice), s, e), "")
	case Finish:
		return s.chatDelta(b, e.Choice, `{}`, e.Text)
	case UsageTail:
		b = append(s.chatHead(b), `"choices":[],"usage":`...)
		b = s.reply.Usage.appendChat(b)
		return append(b, "}\n\n"...)
	}
	return openaiEvent(b, s, e)
}

// openaiEvent appends the events that all of OpenAI's streams share.
func openaiEvent(b []byte, s *stream, e Event) []byte {
	switch e.Kind {
	case Done:
		return append(b, "data: [DONE]\n\n"...)
	case Comment:
		return appendComment(b, e.Text)
	case Error:
		b = append(b, "data: "...)
		b = appendError(b, s.req.API, http.StatusInternalServerError, e.Text)
		return append(b, "\n\n"...)
	}
	return b
}

func (s *stream) chatText(b []byte, e Event, open string) []byte {
	b = append(s.chatOpen(b, e.Choice), open...)
	b = appendString(b, e.Text)
	return s.chatClose(append(b, '}'), "")
}

// appendToolDelta appends a piece of a tool call; the first piece carries the
// call's id and name.
func appendToolDelta(b []byte, s *stream, e Event) []byte {
	b = append(b, `{"tool_calls":[{`...)
	b = appendField(b, "index", e.Tool.Index)
	if e.Tool.Name != "" {
		b = append(b, `,"id":"`...)
		b = s.appendCallID(b, e.Tool.Index)
		b = append(b, `","type":"function","function":{"name":`...)
		b = appendString(b, e.Tool.Name)
		b = append(b, `,"arguments":`...)
	} else {
		b = append(b, `,"function":{"arguments":`...)
	}
	b = appendString(b, e.Text)
	return append(b, "}}]}"...)
}

// appendCallID appends the id of a tool call: the reply's id and the
// call's number.
func (s *stream) appendCallID(b []byte, call int) []byte {
	b = append(b, "call_"...)
	b = s.appendID(b)
	b = append(b, '_')
	return strconv.AppendInt(b, int64(call), 10)
}

// chatHead opens a frame up to its choices. It is the same for all frames of a
// stream, and copied.
func (s *stream) chatHead(b []byte) []byte {
	if s.head == nil {
		h := append(make([]byte, 0, 160), `data: {"id":"chatcmpl-`...)
		h = s.appendID(h)
		h = append(h, `","object":"chat.completion.chunk","created":`...)
		h = strconv.AppendInt(h, s.created, 10)
		h = append(h, `,"model":`...)
		h = appendString(h, s.model())
		s.head = append(h, ',')
	}
	return append(b, s.head...)
}

func (s *stream) chatOpen(b []byte, choice int) []byte {
	b = s.chatHead(b)
	b = append(b, `"choices":[{"index":`...)
	b = strconv.AppendInt(b, int64(choice), 10)
	return append(b, `,"delta":`...)
}

// chatClose ends a frame; reason "" is null.
func (s *stream) chatClose(b []byte, reason string) []byte {
	b = append(b, `,"finish_reason":`...)
	if reason == "" {
		b = append(b, "null"...)
	} else {
		b = appendString(b, reason)
	}
	b = append(b, "}]"...)
	if s.reply.UsageEvery {
		b = append(b, `,"usage":`...)
		b = s.soFar().appendChat(b)
	}
	return append(b, "}\n\n"...)
}

// soFar is the usage of what has been sent.
func (s *stream) soFar() Usage {
	u := s.reply.Usage
	u.OutputTokens = min(u.OutputTokens, s.said)
	u.ReasoningTokens = min(u.ReasoningTokens, s.said)
	return u
}

func (s *stream) chatDelta(b []byte, choice int, delta, reason string) []byte {
	return s.chatClose(append(s.chatOpen(b, choice), delta...), reason)
}

func chatWhole(b []byte, s *stream) []byte {
	b = s.appendIdentity(b, "chatcmpl-", "chat.completion")
	for i, c := range s.gather() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = appendField(b, "index", i)
		b = append(b, `,"message":`...)
		b = c.appendMessage(b, s)
		b = append(b, `,"finish_reason":`...)
		b = append(appendString(b, c.finish), '}')
	}
	return s.appendTail(b)
}

// appendIdentity opens a reply in one body, up to its choices.
func (s *stream) appendIdentity(b []byte, prefix, object string) []byte {
	b = append(b, `{"id":"`...)
	b = s.appendID(append(b, prefix...))
	b = append(b, `","object":"`...)
	b = append(b, object...)
	b = append(b, `","created":`...)
	b = strconv.AppendInt(b, s.created, 10)
	b = append(b, `,"model":`...)
	b = appendString(b, s.model())
	return append(b, `,"choices":[`...)
}

// appendTail closes it.
func (s *stream) appendTail(b []byte) []byte {
	b = append(b, ']')
	if !s.reply.NoUsage {
		b = append(b, `,"usage":`...)
		b = s.reply.Usage.appendChat(b)
	}
	return append(b, "}\n"...)
}

func (c choice) appendMessage(b []byte, s *stream) []byte {
	b = append(b, `{"role":"assistant","content":`...)
	b = appendString(b, c.content)
	if c.reasoning != "" {
		b = append(b, `,"reasoning_content":`...)
		b = appendString(b, c.reasoning)
	}
	for i, call := range c.tools {
		b = append(b, [2]string{`,"tool_calls":[`, `,`}[min(i, 1)]...)
		b = append(b, `{"id":"`...)
		b = s.appendCallID(b, i)
		b = append(b, `","type":"function","function":{"name":`...)
		b = appendString(b, call.Name)
		b = append(b, `,"arguments":`...)
		b = append(appendString(b, call.Arguments), "}}"...)
	}
	if len(c.tools) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendChat appends the usage object of completions and chat completions.
func (u Usage) appendChat(b []byte) []byte {
	b = append(b, '{')
	b = appendField(b, "prompt_tokens", u.InputTokens)
	b = append(b, ',')
	b = appendField(b, "completion_tokens", u.OutputTokens)
	b = append(b, ',')
	b = appendField(b, "total_tokens", u.InputTokens+u.OutputTokens)
	if u.CachedTokens != 0 {
		b = append(b, `,"prompt_tokens_details":{`...)
		b = appendField(b, "cached_tokens", max(u.CachedTokens, 0))
		b = append(b, '}')
	}
	if u.ReasoningTokens != 0 {
		b = append(b, `,"completion_tokens_details":{`...)
		b = appendField(b, "reasoning_tokens", u.ReasoningTokens)
		b = append(b, '}')
	}
	return append(b, '}')
}
