package mock

import (
	"errors"
	"net/http"
	"strings"
)

// anthropic is Anthropic's messages API: named events, and blocks of text, of
// thinking and of tool use that open and close.
var anthropic = protocol{
	api: Anthropic, parse: parseAnthropic, stream: sse, event: anthropicEvent, whole: anthropicWhole, fail: anthropicError,
}

// parseAnthropic: max_tokens is required here, as nowhere else, and the system
// prompt stands beside the messages.
func parseAnthropic(r *Request) (err error) {
	var body struct {
		Model     string `json:"model"`
		System    text   `json:"system"`
		Messages  []text `json:"messages"`
		Stream    bool   `json:"stream"`
		MaxTokens *int   `json:"max_tokens"`
	}
	if err := decode(r.Body, &body); err != nil {
		return err
	}
	if len(body.Messages) == 0 {
		return errNoMessages
	}
	if body.MaxTokens == nil {
		return errors.New("max_tokens: Field required")
	}
	r.Model, r.Stream = body.Model, body.Stream
	r.Prompt = string(joined(append([]text{body.System}, body.Messages...)...))
	r.MaxTokens, err = limit(body.MaxTokens)
	return err
}

// anthropicEvent: message_start has to come first whatever does, since it carries
// the input tokens, so an answer without a role frame opens by itself.
func anthropicEvent(b []byte, s *stream, e Event) []byte {
	if e.Kind != Comment && e.Kind != Error && !s.state.begun {
		s.state.begun = true
		b = append(b, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":"...)
		b = s.anthropicHead(b)
		b = append(b, `,"content":[],"stop_reason":null,"stop_sequence":null`...)
		b = append(s.anthropicUsage(b, 0), "}}\n\n"...)
	}
	switch e.Kind {
	case Content, Reasoning, Tool:
		return s.anthropicDelta(b, e)
	case Finish:
		b = s.anthropicStop(b)
		b = append(b, "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{"...)
		b = append(appendText(b, "stop_reason", stopReason(e.Text)), `,"stop_sequence":null}`...)
		if !s.reply.NoUsage {
			b = append(b, `,"usage":{`...)
			b = append(appendField(b, "output_tokens", s.reply.Usage.OutputTokens), '}')
		}
		return append(b, "}\n\n"...)
	case Done:
		return append(b, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
	case Comment:
		return append(b, "event: ping\ndata: {\"type\":\"ping\"}\n\n"...)
	case Error:
		b = append(b, "event: error\ndata: "...)
		return append(anthropicError(b, http.StatusInternalServerError, e.Text), "\n\n"...)
	}
	return b
}

// stopReason is this API's word for a finish reason.
func stopReason(reason string) string {
	switch reason {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	case "tool_calls":
		return "tool_use"
	}
	return reason
}

// anthropicHead opens a message.
func (s *stream) anthropicHead(b []byte) []byte {
	b = append(b, `{"id":"msg_`...)
	b = s.appendID(b)
	b = append(b, `","type":"message","role":"assistant",`...)
	return appendText(b, "model", s.model())
}

// anthropicUsage appends the usage; input tokens are those that were not read
// from the cache.
func (s *stream) anthropicUsage(b []byte, output int) []byte {
	if s.reply.NoUsage {
		return b
	}
	u := s.reply.Usage
	b = append(b, `,"usage":{`...)
	b = appendField(b, "input_tokens", u.InputTokens-max(u.CachedTokens, 0))
	if u.CachedTokens != 0 {
		b = append(b, `,"cache_creation_input_tokens":0,`...)
		b = appendField(b, "cache_read_input_tokens", max(u.CachedTokens, 0))
	}
	b = append(b, ',')
	return append(appendField(b, "output_tokens", output), '}')
}

// anthropicDelta appends a piece, and opens a block for it when the one before
// is of another kind. Only the first choice exists in this API.
func (s *stream) anthropicDelta(b []byte, e Event) []byte {
	if e.Choice > 0 {
		return b
	}
	st := &s.state
	if !st.open || st.kind != e.Kind || e.Kind == Tool && st.tool != e.Tool.Index {
		b = s.anthropicStop(b)
		st.open, st.kind, st.tool = true, e.Kind, e.Tool.Index
		b = s.blockFrame(b, "content_block_start", `"content_block":`)
		b = append(s.anthropicBlock(b, e), "}\n\n"...)
		if e.Kind == Tool {
			st.name = e.Tool.Name
		}
	}
	if e.Kind == Tool && e.Text == "" {
		return b
	}
	b = s.blockFrame(b, "content_block_delta", `"delta":`)
	kind, field := "text_delta", "text"
	switch e.Kind {
	case Reasoning:
		kind, field = "thinking_delta", "thinking"
	case Tool:
		kind, field = "input_json_delta", "partial_json"
	}
	b = append(appendText(append(b, '{'), "type", kind), ',')
	return append(appendText(b, field, e.Text), "}}\n\n"...)
}

// blockFrame opens an event about the current block.
func (s *stream) blockFrame(b []byte, name, rest string) []byte {
	b = append(b, "event: "...)
	b = append(b, name...)
	b = append(b, "\ndata: {\"type\":\""...)
	b = append(b, name...)
	b = append(b, `",`...)
	b = appendField(b, "index", s.state.item)
	b = append(b, ',')
	return append(b, rest...)
}

// anthropicBlock is an empty block of the kind.
func (s *stream) anthropicBlock(b []byte, e Event) []byte {
	switch e.Kind {
	case Reasoning:
		return append(b, `{"type":"thinking","thinking":"","signature":""}`...)
	case Tool:
		return append(s.anthropicTool(b, e.Tool.Index, e.Tool.Name), `{}}`...)
	}
	return append(b, `{"type":"text","text":""}`...)
}

// anthropicTool opens a block of tool use up to its input, which is an object
// here and not a string as in OpenAI's API.
func (s *stream) anthropicTool(b []byte, index int, name string) []byte {
	b = append(b, `{"type":"tool_use","id":"toolu_`...)
	b = s.appendID(b)
	b = append(b, '_', byte('0'+index%10), '"', ',')
	b = appendText(b, "name", name)
	return append(b, `,"input":`...)
}

// anthropicStop closes the block that is open, if one is: the index counts closed
// blocks.
func (s *stream) anthropicStop(b []byte) []byte {
	if !s.state.open {
		return b
	}
	b = append(b, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\","...)
	b = append(appendField(b, "index", s.state.item), "}\n\n"...)
	s.state.open = false
	s.state.item++
	return b
}

// anthropicWhole lists the blocks a stream would have opened, in that order.
func anthropicWhole(b []byte, s *stream) []byte {
	c := s.gather()[0]
	b = append(s.anthropicHead(b), `,"content":[`...)
	n := len(b)
	if c.reasoning != "" {
		b = append(b, `{"type":"thinking",`...)
		b = append(appendText(b, "thinking", c.reasoning), `,"signature":""},`...)
	}
	if c.content != "" {
		b = append(b, `{"type":"text",`...)
		b = append(appendText(b, "text", c.content), "},"...)
	}
	for i, call := range c.tools {
		b = append(s.anthropicTool(b, i, call.Name), call.Arguments...)
		b = append(b, "},"...)
	}
	if len(b) > n {
		b = b[:len(b)-1]
	}
	b = append(b, "],"...)
	b = append(appendText(b, "stop_reason", stopReason(c.finish)), `,"stop_sequence":null`...)
	return append(s.anthropicUsage(b, s.reply.Usage.OutputTokens), "}\n"...)
}

// anthropicError: overloaded_error is this API's own, and comes with status 529
// from the real service and with 503 from gateways.
func anthropicError(b []byte, status int, message string) []byte {
	kind := errorType(status)
	switch {
	case status == http.StatusServiceUnavailable || status == 529:
		kind = "overloaded_error"
	case strings.HasPrefix(kind, "server"):
		kind = "api_error"
	}
	b = append(b, `{"type":"error","error":{`...)
	b = append(appendText(b, "type", kind), ',')
	return append(appendText(b, "message", message), "}}"...)
}
