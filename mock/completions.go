package mock

import "errors"

// completions is OpenAI's older completions API, with the fields that vLLM adds.
// A list of prompts counts as one prompt.
var completions = protocol{
	api: Completions, parse: parseCompletions, stream: sse, event: completionsEvent, whole: completionsWhole, fail: openaiError,
}

// parseCompletions takes texts and token numbers, as the API does; a number is a
// word.
func parseCompletions(r *Request) error {
	var body openaiBody
	if err := decode(r.Body, &body); err != nil {
		return err
	}
	if body.Prompt == "" {
		return errors.New("prompt: want a text or a list")
	}
	r.Prompt = string(body.Prompt)
	return body.fill(r)
}

// completionsEvent: this API knows neither roles nor thinking nor calls; what the
// model generates is text.
func completionsEvent(b []byte, s *stream, e Event) []byte {
	switch {
	case e.Kind.generated():
		b = appendText(s.appendChoice(b, e.Choice), "text", s.plain(e))
		return s.closeFrame(append(b, `,"logprobs":null`...), "")
	case e.Kind == Finish:
		b = appendText(s.appendChoice(b, e.Choice), "text", "")
		return s.closeFrame(append(b, `,"logprobs":null`...), e.Text)
	}
	return openaiEvent(b, s, e)
}

// completionsWhole has one text per choice, thinking and calls included.
func completionsWhole(b []byte, s *stream) []byte {
	return s.appendWhole(b, "cmpl-", "text_completion", func(b []byte, c choice) []byte {
		b = appendText(b, "text", c.all)
		return append(b, `,"logprobs":null`...)
	})
}
