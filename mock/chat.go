package mock

import "errors"

// chat is OpenAI's chat completions API, with the fields that vLLM adds.
var chat = protocol{
	api: Chat, parse: parseChat, stream: sse, event: chatEvent, whole: chatWhole, fail: openaiError,
}

var errNoMessages = errors.New("messages: want at least one")

// parseChat counts the words of all messages, whoever said them: templates of
// real models add some, the mock adds none.
func parseChat(r *Request) error {
	var body openaiBody
	if err := decode(r.Body, &body); err != nil {
		return err
	}
	if len(body.Messages) == 0 {
		return errNoMessages
	}
	r.Prompt = string(joined(body.Messages...))
	return body.fill(r)
}

// chatEvent names thinking reasoning_content, as vLLM, SGLang and DeepSeek do;
// OpenAI itself does not show it.
func chatEvent(b []byte, s *stream, e Event) []byte {
	switch e.Kind {
	case Role:
		return s.appendDelta(b, e.Choice, `{"role":"assistant","content":""}`, "")
	case Content:
		return s.appendChatText(b, e, "content")
	case Reasoning:
		return s.appendChatText(b, e, "reasoning_content")
	case Tool:
		b = append(s.appendChoice(b, e.Choice), `"delta":`...)
		return s.closeFrame(s.appendToolDelta(b, e), "")
	case Finish:
		return s.appendDelta(b, e.Choice, `{}`, e.Text)
	}
	return openaiEvent(b, s, e)
}

// appendDelta appends a frame whose delta is known.
func (s *stream) appendDelta(b []byte, choice int, delta, reason string) []byte {
	b = append(s.appendChoice(b, choice), `"delta":`...)
	return s.closeFrame(append(b, delta...), reason)
}

// appendChatText appends a frame with text under the field.
func (s *stream) appendChatText(b []byte, e Event, field string) []byte {
	b = append(s.appendChoice(b, e.Choice), `"delta":{`...)
	b = appendText(b, field, e.Text)
	return s.closeFrame(append(b, '}'), "")
}

// appendToolDelta appends a piece of a tool call; the first piece carries the
// call's id and name.
func (s *stream) appendToolDelta(b []byte, e Event) []byte {
	b = append(b, `{"tool_calls":[{`...)
	b = appendField(b, "index", e.Tool.Index)
	if e.Tool.Name != "" {
		b = append(b, `,"id":"`...)
		b = s.appendCallID(b, e.Tool.Index)
		b = append(b, `","type":"function","function":{`...)
		b = append(appendText(b, "name", e.Tool.Name), ',')
	} else {
		b = append(b, `,"function":{`...)
	}
	b = appendText(b, "arguments", e.Text)
	return append(b, "}}]}"...)
}

// appendCallID appends the id of a tool call: the reply's and the call's number.
func (s *stream) appendCallID(b []byte, call int) []byte {
	b = append(b, "call_"...)
	b = s.appendID(b)
	return append(b, '_', byte('0'+call%10))
}

// chatWhole has content even where there are only tool calls: the field is
// required, and an empty text is what vLLM sends.
func chatWhole(b []byte, s *stream) []byte {
	return s.appendWhole(b, "chatcmpl-", "chat.completion", func(b []byte, c choice) []byte {
		b = append(b, `"message":{"role":"assistant",`...)
		b = appendText(b, "content", c.content)
		if c.reasoning != "" {
			b = append(b, ',')
			b = appendText(b, "reasoning_content", c.reasoning)
		}
		return append(s.appendCalls(b, c.tools), '}')
	})
}

// appendCalls appends whole tool calls.
func (s *stream) appendCalls(b []byte, calls []ToolCall) []byte {
	for i, call := range calls {
		b = append(b, [2]string{`,"tool_calls":[`, `,`}[min(i, 1)]...)
		b = append(b, `{"id":"`...)
		b = s.appendCallID(b, i)
		b = append(b, `","type":"function","function":{`...)
		b = append(appendText(b, "name", call.Name), ',')
		b = append(appendText(b, "arguments", call.Arguments), "}}"...)
	}
	if len(calls) > 0 {
		b = append(b, ']')
	}
	return b
}
