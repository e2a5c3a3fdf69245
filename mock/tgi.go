package mock

import "errors"

// Hugging Face's text-generation-inference: one event per token, without a blank
// after "data:", and everything about the whole in the event of the last token.
var (
	tgiStream = protocol{
		api: TGI, parse: func(r *Request) error { return parseTGI(r, true) },
		stream: sse, event: tgiEvent, whole: tgiReply, fail: tgiError,
	}
	tgiWhole = protocol{
		api: TGI, parse: func(r *Request) error { return parseTGI(r, false) },
		stream: sse, event: tgiEvent, whole: tgiReply, fail: tgiError,
	}
)

// parseTGI: the path says whether the reply is a stream.
func parseTGI(r *Request, stream bool) (err error) {
	var body struct {
		Inputs     string `json:"inputs"`
		Parameters struct {
			MaxNewTokens *int `json:"max_new_tokens"`
		} `json:"parameters"`
	}
	if err := decode(r.Body, &body); err != nil {
		return err
	}
	if body.Inputs == "" {
		return errors.New("inputs: want a text")
	}
	r.Prompt, r.Stream = body.Inputs, stream
	r.MaxTokens, err = limit(body.Parameters.MaxNewTokens)
	return err
}

// tgiEvent: one event per token, also of a chunk of several; roles, usage and end
// mark do not exist.
func tgiEvent(b []byte, s *stream, e Event) []byte {
	switch {
	case e.Kind.generated() && e.Choice == 0:
		words := tokens(s.plain(e))
		for i, word := range words {
			b = s.tgiToken(b, word, i == len(words)-1 && s.lastToken())
		}
	case e.Kind == Comment:
		return appendComment(b, e.Text)
	case e.Kind == Error:
		b = append(b, "data:"...)
		return append(tgiError(b, 500, e.Text), "\n\n"...)
	}
	return b
}

// lastToken reports whether no more tokens follow what is being sent.
func (s *stream) lastToken() bool {
	return s.next < len(s.reply.Timeline) && s.reply.Timeline[s.next].Kind == Finish
}

// tgiToken counts from 1, and the log probability is any.
func (s *stream) tgiToken(b []byte, word string, last bool) []byte {
	s.state.number++
	b = append(b, "data:{"...)
	b = appendField(b, "index", s.state.number)
	b = append(b, `,"token":{`...)
	b = appendField(b, "id", tokenID(word))
	b = append(b, ',')
	b = appendText(b, "text", word)
	b = append(b, `,"logprob":-0.5,"special":false},"generated_text":`...)
	if !last {
		return append(b, `null,"details":null}`+"\n\n"...)
	}
	b = appendString(b, s.answer())
	b = s.tgiDetails(b, s.reply.Timeline[s.next].Text)
	return append(b, "}\n\n"...)
}

// tgiDetails: an end by itself is eos_token here.
func (s *stream) tgiDetails(b []byte, reason string) []byte {
	if s.reply.NoUsage {
		return append(b, `,"details":null`...)
	}
	if reason == "stop" {
		reason = "eos_token"
	}
	b = append(b, `,"details":{`...)
	b = appendText(b, "finish_reason", reason)
	b = append(b, ',')
	b = appendField(b, "generated_tokens", s.reply.Usage.OutputTokens)
	b = append(b, ',')
	b = appendField(b, "input_length", s.reply.Usage.InputTokens)
	return append(b, `,"seed":null}`...)
}

func tgiReply(b []byte, s *stream) []byte {
	b = append(b, '{')
	b = appendText(b, "generated_text", s.answer())
	b = s.tgiDetails(b, s.gather()[0].finish)
	return append(b, "}\n"...)
}

// tgiError has a type for clients to switch on.
func tgiError(b []byte, status int, message string) []byte {
	kind := "validation"
	switch {
	case status == 429 || status == 503:
		kind = "overloaded"
	case status >= 500:
		kind = "generation"
	}
	b = append(b, '{')
	b = appendText(b, "error", message)
	b = append(b, ',')
	return append(appendText(b, "error_type", kind), '}')
}
