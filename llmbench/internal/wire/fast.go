package wire

import "unicode/utf8"

// The fast path: one walk over a chat or completions chunk of the usual shape,
// which builds no tree and allocates nothing. It knows role, content,
// reasoning, text, finish reason, index and plain usage, which is nearly every
// chunk of nearly every stream; for all else it returns false, and decodeOpenAI
// takes the slow path. What it accepts it must read as the slow path does:
// FuzzFastPath holds that.

// fastOpenAI reads a chunk into ev, which has been reset; false leaves ev in
// any state.
func fastOpenAI(name, data []byte, ev *event) bool {
	if string(name) == "error" {
		return false
	}
	s := scanner{b: data}
	s.eat('{')
	choices, usage := false, false
	for first := true; ; first = false {
		key, more := s.member(first)
		if !more {
			break
		}
		switch string(key) {
		case "choices":
			s.once(&choices)
			s.choices(ev)
		case "usage":
			s.once(&usage)
			s.usage(ev)
		case "error", "timings":
			s.onlyNull()
		case "object", "type":
			s.notError()
		default:
			s.skip(0)
		}
	}
	return s.ended() && choices
}

// once gives up on a key that comes twice: the last one counts, and this walk
// has read the first.
func (s *scanner) once(seen *bool) {
	if *seen {
		s.give()
	}
	*seen = true
}

// onlyNull passes over a field that matters only when it holds something.
func (s *scanner) onlyNull() {
	if !s.null() {
		s.give()
	}
}

// notError looks at the two fields whose value makes the whole object an error
// report.
func (s *scanner) notError() {
	if s.peek() != '"' {
		s.skip(0)
		return
	}
	if word, escaped := s.text(); escaped || string(word) == "error" {
		s.give()
	}
}

func (s *scanner) choices(ev *event) {
	s.eat('[')
	place := 0
	for first := true; s.item(first, ']'); first = false {
		s.choice(place, ev)
		place++
	}
}

// optional is a text that may be null or missing.
type optional struct {
	text          []byte
	seen, escaped bool
}

// read takes the text. What is neither text nor null gives up; so does one that
// is not UTF-8, which encoding/json repairs.
func (o *optional) read(s *scanner) {
	s.once(&o.seen)
	if s.null() {
		return
	}
	if o.text, o.escaped = s.text(); !utf8.Valid(o.text) {
		s.give()
	}
}

// addOptional notes a piece, with its escapes undone.
func (e *event) addOptional(choice int, kind Kind, o optional) {
	if o.escaped {
		start := len(e.scratch)
		e.scratch = unescape(e.scratch, o.text)
		o.text = e.scratch[start:]
	}
	e.add(choice, kind, o.text)
}

// delta is what the fast path knows of a choice.
type delta struct {
	index                       int64
	indexed                     bool
	role, content, text, finish optional
	reasoning                   [4]optional // by the order of reasoningFields
	opened                      bool
}

// choice reads one choice to its end before it notes a piece: the keys come in
// any order, and the pieces must not.
func (s *scanner) choice(place int, ev *event) {
	d := delta{index: int64(place)}
	s.eat('{')
	for first := true; ; first = false {
		key, more := s.member(first)
		if !more {
			break
		}
		switch string(key) {
		case "index":
			s.once(&d.indexed)
			d.index = s.count()
		case "delta":
			s.once(&d.opened)
			s.delta(&d)
		case "text":
			d.text.read(s)
		case "finish_reason":
			d.finish.read(s)
		case "logprobs", "message":
			s.onlyNull()
		default:
			s.skip(0)
		}
	}
	if d.finish.escaped || d.role.escaped {
		s.give()
	}
	if !s.bad {
		d.fold(ev)
	}
}

// fold notes the pieces in the slow path's order: thought, content, text.
func (d *delta) fold(ev *event) {
	choice := int(min(d.index, maxChoice))
	ev.role = ev.role || len(d.role.text) > 0
	for _, r := range d.reasoning {
		if len(r.text) > 0 {
			ev.addOptional(choice, KindReasoning, r)
			break
		}
	}
	ev.addOptional(choice, KindContent, d.content)
	ev.addOptional(choice, KindContent, d.text)
	if len(d.finish.text) > 0 {
		ev.finish = finishWord(d.finish.text)
	}
}

// delta reads the texts. A tool call's delta gives up: its pieces are nested,
// and a stream of them is short.
func (s *scanner) delta(d *delta) {
	if s.null() {
		return
	}
	s.eat('{')
	for first := true; ; first = false {
		key, more := s.member(first)
		if !more {
			break
		}
		switch string(key) {
		case "role":
			d.role.read(s)
		case "content":
			d.content.read(s)
		case "reasoning_content":
			d.reasoning[0].read(s)
		case "reasoning":
			d.reasoning[1].read(s)
		case "thinking":
			d.reasoning[2].read(s)
		case "reasoning_text":
			d.reasoning[3].read(s)
		case "refusal", "audio", "function_call", "reasoning_details", "tool_calls":
			s.onlyNull()
		default:
			s.skip(0)
		}
	}
}

// usage takes the plain counts. The details come on a stream's last chunk,
// which may be slow.
func (s *scanner) usage(ev *event) {
	if s.null() {
		return
	}
	s.eat('{')
	u := &ev.usage
	for first := true; ; first = false {
		key, more := s.member(first)
		if !more {
			break
		}
		switch string(key) {
		case "prompt_tokens":
			s.tokens(&u.Prompt)
		case "completion_tokens":
			s.tokens(&u.Completion)
		case "total_tokens":
			s.tokens(&u.Total)
		case "reasoning_tokens":
			s.tokens(&u.Reasoning)
		case "prompt_cache_hit_tokens":
			s.tokens(&u.Cached)
		case "prompt_tokens_details", "completion_tokens_details":
			s.onlyNull()
		default:
			s.skip(0)
		}
	}
	ev.reported = true
}

// tokens takes a count. A null could be the second of two, which takes the
// first away: give up.
func (s *scanner) tokens(o *Opt[int64]) {
	if o.Known {
		s.give()
	}
	*o = Some(s.count())
}

// finishWord keeps the usual words from being allocated once per stream.
func finishWord(word []byte) string {
	switch string(word) {
	case "stop":
		return "stop"
	case "length":
		return "length"
	case "tool_calls":
		return "tool_calls"
	}
	return string(word)
}
