package mock

import "strings"

// choice is one whole answer.
type choice struct {
	content, reasoning, finish string
	tools                      []ToolCall
}

// gather puts the events of a timeline together, for a reply in one body.
func (s *stream) gather() []choice {
	texts := make([]struct{ content, reasoning strings.Builder }, s.req.Choices)
	all := make([]choice, s.req.Choices)
	for _, e := range s.reply.Timeline {
		if e.Choice >= len(all) {
			continue
		}
		switch e.Kind {
		case Content, Malformed:
			texts[e.Choice].content.WriteString(e.Text)
		case Reasoning:
			texts[e.Choice].reasoning.WriteString(e.Text)
		case Tool:
			all[e.Choice].call(e)
		case Finish:
			all[e.Choice].finish = e.Text
		}
	}
	for i := range all {
		all[i].content, all[i].reasoning = texts[i].content.String(), texts[i].reasoning.String()
	}
	return all
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

// answer is the text of the first choice as the model generated it.
func (s *stream) answer() string {
	var b strings.Builder
	for _, e := range s.reply.Timeline {
		if e.Choice == 0 && (e.Kind == Content || e.Kind == Reasoning) {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}
