package mock

import "strings"

// choice is one whole answer.
type choice struct {
	content, reasoning, finish string
	all                        string // as one text
	tools                      []ToolCall
}

// gather puts the events of a timeline together, for a reply in one body.
func (s *stream) gather() []choice {
	type parts struct {
		content, reasoning, all strings.Builder
		last                    wireState
	}
	texts := make([]parts, s.req.Choices)
	out := make([]choice, s.req.Choices)
	for _, e := range s.reply.Timeline {
		if e.Choice >= len(out) {
			continue
		}
		c, t := &out[e.Choice], &texts[e.Choice]
		switch e.Kind {
		case Content, Malformed:
			t.content.WriteString(e.Text)
		case Reasoning:
			t.reasoning.WriteString(e.Text)
		case Tool:
			c.call(e)
		case Finish:
			c.finish = e.Text
		}
		if e.Kind.generated() {
			t.all.WriteString(t.last.plain(e))
		}
	}
	for i := range out {
		t := &texts[i]
		out[i].content, out[i].reasoning, out[i].all = t.content.String(), t.reasoning.String(), t.all.String()
	}
	return out
}

// call adds a piece of a tool call.
func (c *choice) call(e Event) {
	if e.Tool.Name != "" {
		c.tools = append(c.tools, ToolCall{Name: e.Tool.Name})
	}
	if n := len(c.tools); n > 0 {
		c.tools[n-1].Arguments += e.Text
	}
}

// answer is the text of the first choice as the model generated it, thinking and
// calls included.
func (s *stream) answer() string { return s.gather()[0].all }

// plain is the text of an event where thinking, answer and calls stand in one
// text: a blank parts them, so that a word is still a token.
func (w *wireState) plain(e Event) string {
	text := e.Text
	if e.Kind == Tool && e.Tool.Name != "" {
		text = e.Tool.Name + " " + e.Text
	}
	text = strings.TrimSuffix(text, " ")
	if w.begun && (w.kind != e.Kind || e.Kind == Tool) && !strings.HasPrefix(text, " ") {
		text = " " + text
	}
	w.begun, w.kind = true, e.Kind
	return text
}

func (s *stream) plain(e Event) string { return s.state.plain(e) }
