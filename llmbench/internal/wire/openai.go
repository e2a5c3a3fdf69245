package wire

import "time"

// What OpenAI's chat and completions share, and the many servers that copy
// them: choices with a delta, a message or a text; usage; llama.cpp's timings.
// One decoder reads all four shapes, so a server that answers in its
// neighbour's is understood.

// decodeOpenAI reads a chunk or a whole reply.
func decodeOpenAI(name, data []byte, ev *event) error {
	if fastOpenAI(name, data, ev) {
		return nil
	}
	ev.reset()
	return slowOpenAI(name, data, ev)
}

// slowOpenAI reads any chunk. The order matters: an event that is an error by
// its name is one whatever is in it, a foreign event may hold anything, and
// only then is bad JSON a fault.
func slowOpenAI(name, data []byte, ev *event) error {
	root, err := object(data)
	_, chunk := root["choices"]
	foreign := len(name) > 0 && string(name) != "message"
	switch {
	case string(name) == "error":
		ev.failure = eventFailure(root, data)
		return nil
	case err != nil && foreign:
		ev.ignored = true
		return nil
	case err != nil:
		return err
	}
	if ev.failure = failure(root); ev.failure != nil {
		return nil
	}
	ev.ignored = foreign && !chunk
	for i, c := range root.list("choices") {
		openAIChoice(i, asObject(c), ev)
	}
	openAIUsage(root.object("usage"), ev)
	llamaTimings(root.object("timings"), ev)
	return nil
}

// eventFailure reads the data of an event that is an error by its name,
// whatever its shape.
func eventFailure(root tree, data []byte) *ServerError {
	if f := failure(root); f != nil {
		return f
	}
	if root != nil {
		return serverError(root, nil)
	}
	return &ServerError{Message: printable(string(data), textBound)}
}

// openAIChoice reads delta, message and text alike, whichever the server
// sends. A missing index is the place in the list.
func openAIChoice(place int, c tree, ev *event) {
	choice := place
	if index := c.count("index"); index.Known {
		choice = int(min(index.V, maxChoice))
	}
	for _, name := range []string{"delta", "message"} {
		openAIDelta(choice, c.object(name), ev)
	}
	ev.addString(choice, KindContent, c.text("text"))
	if finish := c.text("finish_reason"); finish != "" {
		ev.finish = finish
	}
	logprobs := c.object("logprobs")
	for _, name := range []string{"content", "tokens"} {
		if l, ok := logprobs[name].([]any); ok {
			ev.tokens = sum(ev.tokens, Some(int64(len(l))))
		}
	}
}

// maxChoice bounds the index of a choice; a server's index must not size our
// memory.
const maxChoice = 127

// reasoningFields are the names under which servers send thinking, most common
// first. Some send the same text under two of them, so only the first that is
// there counts.
var reasoningFields = []string{"reasoning_content", "reasoning", "thinking", "reasoning_text"}

// openAIDelta reads every field that holds output. A refusal and speech are
// output too: tokens were generated for them.
func openAIDelta(choice int, d tree, ev *event) {
	if d == nil {
		return
	}
	ev.role = ev.role || d.text("role") != ""
	if reasoning := d.first(reasoningFields...); reasoning != "" {
		ev.addString(choice, KindReasoning, reasoning)
	} else {
		for _, part := range d.list("reasoning_details") {
			ev.addString(choice, KindReasoning, asObject(part).first("text", "summary"))
		}
	}
	ev.addString(choice, KindContent, d.text("content"))
	contentParts(choice, d.list("content"), ev)
	ev.addString(choice, KindContent, d.text("refusal"))
	ev.addString(choice, KindContent, d.object("audio").first("transcript", "data"))
	for _, call := range d.list("tool_calls") {
		toolCall(choice, asObject(call), ev)
	}
	function := d.object("function_call")
	ev.addTool(choice, function.text("name"), function.text("arguments"))
}

// contentParts reads content that comes as a list of typed parts (Mistral's
// thinking models, some gateways).
func contentParts(choice int, parts []any, ev *event) {
	for _, p := range parts {
		part := asObject(p)
		if part.text("type") != "thinking" {
			ev.addString(choice, KindContent, part.text("text"))
			continue
		}
		ev.addString(choice, KindReasoning, part.text("thinking"))
		for _, t := range part.list("thinking") {
			ev.addString(choice, KindReasoning, asObject(t).text("text"))
		}
	}
}

// toolCall reads a function's call or a custom tool's.
func toolCall(choice int, call tree, ev *event) {
	function := call.object("function")
	ev.addTool(choice, function.text("name"), function.text("arguments"))
	custom := call.object("custom")
	ev.addTool(choice, custom.text("name"), custom.text("input"))
}

// addTool notes the two texts of a tool call that a model generates. An id is
// the server's invention.
func (e *event) addTool(choice int, name, arguments string) {
	if name != "" {
		e.pieces = append(e.pieces, piece{choice: choice, kind: KindTool, text: []byte(name), name: true})
	}
	e.addString(choice, KindTool, arguments)
}

// openAIUsage reads usage under OpenAI's names and those that other servers
// added: DeepSeek's prompt_cache_hit_tokens, SGLang's reasoning_tokens beside
// the details.
func openAIUsage(u tree, ev *event) {
	if u == nil {
		return
	}
	in, out := u.object("prompt_tokens_details"), u.object("completion_tokens_details")
	ev.reported = true
	ev.usage = Usage{
		Prompt: u.count("prompt_tokens"), Completion: u.count("completion_tokens"), Total: u.count("total_tokens"),
		Reasoning:          out.count("reasoning_tokens").or(u.count("reasoning_tokens")),
		Cached:             in.count("cached_tokens").or(u.count("prompt_cache_hit_tokens")),
		Audio:              sum(in.count("audio_tokens"), out.count("audio_tokens")),
		AcceptedPrediction: out.count("accepted_prediction_tokens"),
		RejectedPrediction: out.count("rejected_prediction_tokens"),
	}
}

// llamaTimings reads the object that llama.cpp's server adds to its last chunk,
// or to every one with timings_per_token.
func llamaTimings(t tree, ev *event) {
	if t == nil {
		return
	}
	ev.timed = true
	ev.timings = Timings{
		PromptN: t.count("prompt_n"), PredictedN: t.count("predicted_n"), CachedN: t.count("cache_n"),
		Prompt: milliseconds(t.float("prompt_ms")), Predicted: milliseconds(t.float("predicted_ms")),
	}
	if p, q := ev.timings.Prompt, ev.timings.Predicted; p.Known && q.Known {
		ev.timings.Total = Some(time.Duration(p.V + q.V))
	}
}
