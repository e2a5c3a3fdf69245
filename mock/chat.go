package mock

import "strconv"

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
		b = s.chatOpen(b, e.Choice)
		b = append(b, `{"content":`...)
		b = appendString(b, e.Text)
		return chatClose(append(b, '}'), "")
	case Reasoning:
		b = s.chatOpen(b, e.Choice)
		b = append(b, `{"reasoning_content":`...)
		b = appendString(b, e.Text)
		return chatClose(append(b, '}'), "")
	case Finish:
		return s.chatDelta(b, e.Choice, `{}`, e.Text)
	case UsageTail:
		b = s.chatHead(b)
		b = append(b, `"choices":[],"usage":`...)
		b = s.reply.Usage.appendChat(b)
		return append(b, "}\n\n"...)
	case Done:
		return append(b, "data: [DONE]\n\n"...)
	case Comment:
		return appendComment(b, e.Text)
	}
	return b
}

// chatHead opens a frame up to its choices. It is the same for all frames of a
// stream, and copied.
func (s *stream) chatHead(b []byte) []byte {
	if s.head == nil {
		h := append(make([]byte, 0, 160), `data: {"id":"chatcmpl-`...)
		h = strconv.AppendInt(h, int64(s.req.Number), 10)
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
func chatClose(b []byte, reason string) []byte {
	b = append(b, `,"finish_reason":`...)
	if reason == "" {
		b = append(b, "null"...)
	} else {
		b = appendString(b, reason)
	}
	return append(b, "}]}\n\n"...)
}

func (s *stream) chatDelta(b []byte, choice int, delta, reason string) []byte {
	return chatClose(append(s.chatOpen(b, choice), delta...), reason)
}

func chatWhole(b []byte, s *stream) []byte {
	b = append(b, `{"id":"chatcmpl-`...)
	b = strconv.AppendInt(b, int64(s.req.Number), 10)
	b = append(b, `","object":"chat.completion","created":`...)
	b = strconv.AppendInt(b, s.created, 10)
	b = append(b, `,"model":`...)
	b = appendString(b, s.model())
	b = append(b, `,"choices":[`...)
	for i, c := range s.gather() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = appendField(b, "index", i)
		b = append(b, `,"message":{"role":"assistant","content":`...)
		b = appendString(b, c.content)
		if c.reasoning != "" {
			b = append(b, `,"reasoning_content":`...)
			b = appendString(b, c.reasoning)
		}
		b = chatFinish(append(b, '}'), c.finish)
	}
	b = append(b, `],"usage":`...)
	b = s.reply.Usage.appendChat(b)
	return append(b, "}\n"...)
}

func chatFinish(b []byte, reason string) []byte {
	b = append(b, `,"finish_reason":`...)
	b = appendString(b, reason)
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
