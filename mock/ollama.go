package mock

import (
	"encoding/json"
	"errors"
	"time"
)

// Ollama's native APIs: one JSON object per line, and a stream unless the
// request says otherwise.
var (
	ollamaChat = protocol{
		api: OllamaChat, parse: parseOllama, stream: ndjson, event: ollamaEvent, whole: ollamaWhole, fail: ollamaError,
	}
	ollamaGenerate = protocol{
		api: OllamaGenerate, parse: parseOllama, stream: ndjson, event: ollamaEvent, whole: ollamaWhole, fail: ollamaError,
	}
)

// parseOllama: a stream is the default of this API, and a negative num_predict is
// no limit (-1) or the context's (-2).
func parseOllama(r *Request) error {
	var body struct {
		Model    string `json:"model"`
		Messages []text `json:"messages"`
		System   text   `json:"system"`
		Prompt   text   `json:"prompt"`
		Stream   *bool  `json:"stream"`
		Options  struct {
			NumPredict *int `json:"num_predict"`
		} `json:"options"`
	}
	if err := decode(r.Body, &body); err != nil {
		return err
	}
	r.Prompt = string(joined(append(body.Messages, body.System, body.Prompt)...))
	if r.Prompt == "" {
		return errors.New("want a prompt or messages")
	}
	r.Model = body.Model
	r.Stream = body.Stream == nil || *body.Stream
	if n := body.Options.NumPredict; n != nil && *n > 0 { // -1 and -2 are no limit
		r.MaxTokens = *n
	}
	return nil
}

// ollamaEvent: finish reason, counts and times are in the last line, which is the
// end mark too.
func ollamaEvent(b []byte, s *stream, e Event) []byte {
	switch e.Kind {
	case Content, Reasoning:
		b = s.ollamaCall(b)
		return append(s.ollamaLine(b, e.Kind, e.Text), `,"done":false}`+"\n"...)
	case Tool:
		if s.wire.api == OllamaGenerate { // knows no calls: the model writes them out
			return append(s.ollamaLine(b, Content, s.plain(e)), `,"done":false}`+"\n"...)
		}
		if e.Tool.Name != "" {
			b = s.ollamaCall(b)
			s.state.name = e.Tool.Name
		}
		s.state.text = append(s.state.text, e.Text...)
	case Finish:
		b = s.ollamaCall(b)
		s.state.finish = e.Text
	case Done:
		b = s.ollamaLine(b, Content, "")
		return append(s.ollamaTail(b, s.state.finish), '\n')
	case Error:
		return append(ollamaError(b, 0, e.Text), '\n')
	}
	return b
}

// ollamaLine opens an object with a piece of text.
func (s *stream) ollamaLine(b []byte, kind Kind, piece string) []byte {
	b = s.ollamaHead(b)
	if s.wire.api == OllamaGenerate {
		if kind == Reasoning {
			b = append(b, `"response":"",`...)
			return appendText(b, "thinking", piece)
		}
		return appendText(b, "response", piece)
	}
	b = append(b, `"message":{"role":"assistant",`...)
	if kind == Reasoning {
		b = append(b, `"content":"",`...)
		b = appendText(b, "thinking", piece)
	} else {
		b = appendText(b, "content", piece)
	}
	return append(b, '}')
}

// ollamaHead opens a line with its own time.
func (s *stream) ollamaHead(b []byte) []byte {
	b = append(b, '{')
	b = appendText(b, "model", s.model())
	b = append(b, `,"created_at":"`...)
	b = s.wallTime().AppendFormat(b, time.RFC3339Nano)
	return append(b, `",`...)
}

// wallTime is the instant of what is sent, not of when it could be sent.
func (s *stream) wallTime() time.Time {
	return s.req.Time.Add(s.due - s.req.Arrived).UTC()
}

// ollamaCall sends the tool call that is complete: this API does not cut them.
func (s *stream) ollamaCall(b []byte) []byte {
	if s.state.name == "" {
		return b
	}
	b = s.ollamaHead(b)
	b = append(b, `"message":{"role":"assistant","content":"",`...)
	b = appendOllamaCalls(b, []ToolCall{{s.state.name, string(s.state.text)}})
	s.state.name, s.state.text = "", nil
	return append(b, `},"done":false}`+"\n"...)
}

// appendOllamaCalls: arguments are an object here; what is no JSON stays a text.
func appendOllamaCalls(b []byte, calls []ToolCall) []byte {
	b = append(b, `"tool_calls":[`...)
	for i, call := range calls {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"function":{`...)
		b = appendText(b, "name", call.Name)
		b = append(b, `,"arguments":`...)
		if json.Valid([]byte(call.Arguments)) {
			b = append(b, call.Arguments...)
		} else {
			b = appendString(b, call.Arguments)
		}
		b = append(b, "}}"...)
	}
	return append(b, ']')
}

// ollamaTail closes the last object with counts and the server's own times.
func (s *stream) ollamaTail(b []byte, reason string) []byte {
	b = append(b, `,"done":true`...)
	if reason == "tool_calls" {
		reason = "stop"
	}
	if reason != "" {
		b = append(b, ',')
		b = appendText(b, "done_reason", reason)
	}
	if s.reply.NoUsage {
		return append(b, '}')
	}
	first, last := s.tokenSpan()
	for _, f := range []struct {
		name  string
		value int
	}{
		{"total_duration", int(s.due - s.req.Arrived)},
		{"load_duration", 0},
		{"prompt_eval_count", s.reply.Usage.InputTokens},
		{"prompt_eval_duration", int(first)},
		{"eval_count", s.reply.Usage.OutputTokens},
		{"eval_duration", int(last - first)},
	} {
		b = append(b, ',')
		b = appendField(b, f.name, f.value)
	}
	return append(b, '}')
}

// tokenSpan is when the first and the last token were due, since the arrival.
func (s *stream) tokenSpan() (first, last time.Duration) {
	found := false
	for i, e := range s.reply.Timeline {
		if at, ok := s.eventAt(i); ok && e.Kind.generated() {
			last = max(last, at-s.req.Arrived)
			if !found {
				first, found = last, true
			}
		}
	}
	return first, last
}

// ollamaWhole is the last line with all the text in it.
func ollamaWhole(b []byte, s *stream) []byte {
	c := s.gather()[0]
	b = s.ollamaHead(b)
	if s.wire.api == OllamaGenerate {
		b = appendText(b, "response", c.content)
	} else {
		b = append(b, `"message":{"role":"assistant",`...)
		b = appendText(b, "content", c.content)
	}
	if c.reasoning != "" {
		b = append(b, ',')
		b = appendText(b, "thinking", c.reasoning)
	}
	if len(c.tools) > 0 && s.wire.api == OllamaChat {
		b = append(b, ',')
		b = appendOllamaCalls(b, c.tools)
	}
	if s.wire.api == OllamaChat {
		b = append(b, '}')
	}
	return append(s.ollamaTail(b, c.finish), '\n')
}

// ollamaError is a bare text, before the stream and in it.
func ollamaError(b []byte, _ int, message string) []byte {
	b = append(b, '{')
	return append(appendText(b, "error", message), '}')
}
