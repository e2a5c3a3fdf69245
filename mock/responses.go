package mock

import (
	"errors"
	"strconv"
)

// responses is OpenAI's responses API: named events with a running number, and
// items of thinking, of text and of function calls that open and close.
var responses = protocol{
	api: Responses, parse: parseResponses, stream: sse, event: responsesEvent, whole: responsesWhole, fail: openaiError,
}

// parseResponses takes a text or a list of items, of which all text counts.
func parseResponses(r *Request) (err error) {
	var body struct {
		Model           string `json:"model"`
		Instructions    text   `json:"instructions"`
		Input           text   `json:"input"`
		Stream          bool   `json:"stream"`
		MaxOutputTokens *int   `json:"max_output_tokens"`
	}
	if err := decode(r.Body, &body); err != nil {
		return err
	}
	if body.Input == "" {
		return errors.New("input: want a text or a list")
	}
	r.Model, r.Stream = body.Model, body.Stream
	r.Prompt = string(joined(body.Instructions, body.Input))
	r.MaxTokens, err = limit(body.MaxOutputTokens)
	return err
}

// responsesEvent: there is no [DONE] in this API; the last event carries the
// response as a whole, so the items are collected as they close.
func responsesEvent(b []byte, s *stream, e Event) []byte {
	if e.Kind != Comment && e.Kind != Error && !s.state.begun {
		s.state.begun = true
		for _, name := range []string{"response.created", "response.in_progress"} {
			b = append(s.responsesFrame(b, name), `"response":`...)
			b = append(s.responsesObject(b, "in_progress", nil), "}\n\n"...)
		}
	}
	switch e.Kind {
	case Content, Reasoning, Tool:
		return s.responsesDelta(b, e)
	case Finish:
		s.state.finish = e.Text
		return s.responsesClose(b)
	case Done:
		name, status := responsesStatus(s.state.finish)
		b = append(s.responsesFrame(b, name), `"response":`...)
		return append(s.responsesObject(b, status, s.state.items), "}\n\n"...)
	case Comment:
		return appendComment(b, e.Text)
	case Error:
		b = s.responsesFrame(b, "error")
		b = append(b, `"code":"server_error",`...)
		b = append(appendText(b, "message", e.Text), `,"param":null}`...)
		return append(b, "\n\n"...)
	}
	return b
}

// responsesStatus is the last event and the status for a finish reason.
func responsesStatus(finish string) (event, status string) {
	if finish == "length" || finish == "content_filter" {
		return "response.incomplete", "incomplete"
	}
	return "response.completed", "completed"
}

// responsesFrame opens an event with its name and number.
func (s *stream) responsesFrame(b []byte, name string) []byte {
	b = append(b, "event: "...)
	b = append(b, name...)
	b = append(b, "\ndata: {\"type\":\""...)
	b = append(b, name...)
	b = append(b, `",`...)
	b = appendField(b, "sequence_number", s.state.number)
	s.state.number++
	return append(b, ',')
}

// responsesObject is the response as a whole, so far.
func (s *stream) responsesObject(b []byte, status string, items []byte) []byte {
	b = append(b, `{"id":"resp_`...)
	b = s.appendID(b)
	b = append(b, `","object":"response",`...)
	b = append(appendField(b, "created_at", int(s.created)), ',')
	b = append(appendText(b, "status", status), ',')
	b = append(appendText(b, "model", s.model()), `,"output":[`...)
	b = append(b, items...)
	b = append(b, `],"incomplete_details":`...)
	if status == "incomplete" {
		reason := s.state.finish
		if reason == "length" {
			reason = "max_output_tokens"
		}
		b = append(appendText(append(b, '{'), "reason", reason), '}')
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"usage":`...)
	if status == "in_progress" || s.reply.NoUsage {
		return append(b, "null}"...)
	}
	return append(s.reply.Usage.appendResponses(b), '}')
}

// appendResponses has both details always: the fields are required here.
func (u Usage) appendResponses(b []byte) []byte {
	b = append(b, '{')
	b = append(appendField(b, "input_tokens", u.InputTokens), `,"input_tokens_details":{`...)
	b = append(appendField(b, "cached_tokens", max(u.CachedTokens, 0)), "},"...)
	b = append(appendField(b, "output_tokens", u.OutputTokens), `,"output_tokens_details":{`...)
	b = append(appendField(b, "reasoning_tokens", u.ReasoningTokens), "},"...)
	return append(appendField(b, "total_tokens", u.InputTokens+u.OutputTokens), '}')
}

// responsesDelta appends a piece, and opens an item for it when the one before
// is of another kind. Only the first choice exists in this API.
func (s *stream) responsesDelta(b []byte, e Event) []byte {
	if e.Choice > 0 {
		return b
	}
	st := &s.state
	if !st.open || st.kind != e.Kind || e.Kind == Tool && st.tool != e.Tool.Index {
		b = s.responsesClose(b)
		st.open, st.kind, st.tool, st.name = true, e.Kind, e.Tool.Index, e.Tool.Name
		b = s.responsesOpen(b)
	}
	if e.Text == "" {
		return b
	}
	st.text = append(st.text, e.Text...)
	name := map[Kind]string{
		Content: "response.output_text.delta", Reasoning: "response.reasoning_text.delta", Tool: "response.function_call_arguments.delta",
	}[e.Kind]
	b = s.responsesPart(s.responsesFrame(b, name))
	return append(appendText(b, "delta", e.Text), "}\n\n"...)
}

// responsesPart names the item, and the part in it where items have parts.
func (s *stream) responsesPart(b []byte) []byte {
	b = append(b, `"item_id":"`...)
	b = append(s.responsesItemID(b), `",`...)
	b = append(appendField(b, "output_index", s.state.item), ',')
	if s.state.kind != Tool {
		b = append(b, `"content_index":0,`...)
	}
	return b
}

// responsesItemID has the prefix of the item's type, as the real service has.
func (s *stream) responsesItemID(b []byte) []byte {
	b = append(b, map[Kind]string{Content: "msg_", Reasoning: "rs_", Tool: "fc_"}[s.state.kind]...)
	b = s.appendID(b)
	b = append(b, '_')
	return strconv.AppendInt(b, int64(s.state.item), 10)
}

// responsesItem is the item that is open, with the text it has so far.
func (s *stream) responsesItem(b []byte, status string) []byte {
	b = append(b, `{"id":"`...)
	b = append(s.responsesItemID(b), `","type":`...)
	switch s.state.kind {
	case Tool:
		b = append(b, `"function_call","call_id":"`...)
		b = append(s.appendCallID(b, s.state.tool), `",`...)
		b = append(appendText(b, "name", s.state.name), ',')
		b = appendText(b, "arguments", string(s.state.text))
	case Reasoning:
		b = append(b, `"reasoning","summary":[],"content":[`...)
		b = append(s.responsesText(b), ']')
	default:
		b = append(b, `"message","role":"assistant","content":[`...)
		b = append(s.responsesText(b), ']')
	}
	b = append(b, ',')
	return append(appendText(b, "status", status), '}')
}

// responsesText is the part of an item, nothing while it is empty.
func (s *stream) responsesText(b []byte) []byte {
	if len(s.state.text) == 0 {
		return b
	}
	return s.responsesContent(b)
}

func (s *stream) responsesContent(b []byte) []byte {
	if s.state.kind == Reasoning {
		b = append(b, `{"type":"reasoning_text",`...)
		return append(appendText(b, "text", string(s.state.text)), '}')
	}
	b = append(b, `{"type":"output_text",`...)
	return append(appendText(b, "text", string(s.state.text)), `,"annotations":[]}`...)
}

// responsesOpen: only a message has parts that are announced.
func (s *stream) responsesOpen(b []byte) []byte {
	b = s.responsesFrame(b, "response.output_item.added")
	b = append(appendField(b, "output_index", s.state.item), `,"item":`...)
	b = append(s.responsesItem(b, "in_progress"), "}\n\n"...)
	if s.state.kind == Content {
		b = s.responsesPart(s.responsesFrame(b, "response.content_part.added"))
		b = append(b, `"part":`...)
		b = append(s.responsesContent(b), "}\n\n"...)
	}
	return b
}

// responsesClose ends the item that is open.
func (s *stream) responsesClose(b []byte) []byte {
	st := &s.state
	if !st.open {
		return b
	}
	done, field := "response.output_text.done", "text"
	switch st.kind {
	case Reasoning:
		done = "response.reasoning_text.done"
	case Tool:
		done, field = "response.function_call_arguments.done", "arguments"
	}
	b = s.responsesPart(s.responsesFrame(b, done))
	b = append(appendText(b, field, string(st.text)), "}\n\n"...)
	if st.kind == Content {
		b = s.responsesPart(s.responsesFrame(b, "response.content_part.done"))
		b = append(b, `"part":`...)
		b = append(s.responsesContent(b), "}\n\n"...)
	}
	b = s.responsesFrame(b, "response.output_item.done")
	b = append(appendField(b, "output_index", st.item), `,"item":`...)
	b = append(s.responsesItem(b, "completed"), "}\n\n"...)
	if len(st.items) > 0 {
		st.items = append(st.items, ',')
	}
	st.items = s.responsesItem(st.items, "completed")
	st.open, st.text = false, nil
	st.item++
	return b
}

// responsesWhole is what the stream's last event says, by the same way.
func responsesWhole(b []byte, s *stream) []byte {
	for _, e := range s.reply.Timeline {
		if e.Kind.generated() || e.Kind == Finish {
			responsesEvent(nil, s, e)
		}
	}
	_, status := responsesStatus(s.state.finish)
	return append(s.responsesObject(b, status, s.state.items), '\n')
}
