package mock

import (
	"net/http"
	"strconv"
)

// openaiBody has the fields of a request for chat completions, completions and
// embeddings that the mock looks at.
type openaiBody struct {
	Model         string `json:"model"`
	Messages      []text `json:"messages"`
	Prompt        text   `json:"prompt"`
	Input         text   `json:"input"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxCompletionTokens *int `json:"max_completion_tokens"`
	MaxTokens           *int `json:"max_tokens"`
	MinTokens           int  `json:"min_tokens"`
	IgnoreEOS           bool `json:"ignore_eos"`
	N                   int  `json:"n"`
}

// fill copies what the two kinds of completions have in common.
func (body *openaiBody) fill(r *Request) (err error) {
	r.Model, r.Stream, r.IncludeUsage = body.Model, body.Stream, body.StreamOptions.IncludeUsage
	r.MinTokens, r.IgnoreEOS, r.Choices = body.MinTokens, body.IgnoreEOS, body.N
	r.MaxTokens, err = limit(body.MaxCompletionTokens, body.MaxTokens)
	return err
}

// openaiEvent appends the events that both kinds of streams share.
func openaiEvent(b []byte, s *stream, e Event) []byte {
	switch e.Kind {
	case UsageTail:
		b = append(s.appendFrameHead(b), `"choices":[],"usage":`...)
		b = s.reply.Usage.appendOpenAI(b)
		return append(b, "}\n\n"...)
	case Done:
		return append(b, "data: [DONE]\n\n"...)
	case Comment:
		return appendComment(b, e.Text)
	case Error:
		b = append(b, "data: "...)
		b = openaiError(b, http.StatusInternalServerError, e.Text)
		return append(b, "\n\n"...)
	}
	return b
}

// appendFrameHead opens a frame up to its choices. It is the same for all frames
// of a stream, and copied.
func (s *stream) appendFrameHead(b []byte) []byte {
	if s.head == nil {
		prefix, object := "chatcmpl-", "chat.completion.chunk"
		if s.wire.api == Completions {
			prefix, object = "cmpl-", "text_completion"
		}
		h := append(make([]byte, 0, 160), "data: "...)
		s.head = s.appendIdentity(h, prefix, object)
	}
	return append(b, s.head...)
}

// appendIdentity opens an object of OpenAI's API with what all of them have.
func (s *stream) appendIdentity(b []byte, prefix, object string) []byte {
	b = append(b, `{"id":"`...)
	b = s.appendID(append(b, prefix...))
	b = append(b, `","object":"`...)
	b = append(b, object...)
	b = append(b, `","created":`...)
	b = strconv.AppendInt(b, s.created, 10)
	b = append(b, ',')
	b = appendText(b, "model", s.model())
	return append(b, ',')
}

// appendChoice opens the only choice of a frame.
func (s *stream) appendChoice(b []byte, choice int) []byte {
	b = append(s.appendFrameHead(b), `"choices":[{`...)
	b = appendField(b, "index", choice)
	return append(b, ',')
}

// closeFrame ends a frame; reason "" is null.
func (s *stream) closeFrame(b []byte, reason string) []byte {
	b = append(b, `,"finish_reason":`...)
	if reason == "" {
		b = append(b, "null"...)
	} else {
		b = appendString(b, reason)
	}
	b = append(b, "}]"...)
	if s.reply.UsageEvery {
		b = append(b, `,"usage":`...)
		b = s.soFar().appendOpenAI(b)
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

// appendWhole appends a reply in one body; each choice is written by one.
func (s *stream) appendWhole(b []byte, prefix, object string, one func(b []byte, c choice) []byte) []byte {
	b = s.appendIdentity(b, prefix, object)
	b = append(b, `"choices":[`...)
	for i, c := range s.gather() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = appendField(b, "index", i)
		b = one(append(b, ','), c)
		b = append(b, ',')
		b = append(appendText(b, "finish_reason", c.finish), '}')
	}
	b = append(b, ']')
	if !s.reply.NoUsage {
		b = append(b, `,"usage":`...)
		b = s.reply.Usage.appendOpenAI(b)
	}
	return append(b, "}\n"...)
}

// appendOpenAI appends the usage object of completions and chat completions.
func (u Usage) appendOpenAI(b []byte) []byte {
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
