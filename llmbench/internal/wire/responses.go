package wire

import (
	"net/http"
	"strings"
)

type openAIResponses struct{}

// OpenAIResponses is POST /v1/responses.
func OpenAIResponses() Protocol { return openAIResponses{} }

func (openAIResponses) Name() string                        { return "openai-responses" }
func (openAIResponses) Path() string                        { return "v1/responses" }
func (openAIResponses) Authorize(h http.Header, key string) { bearer(h, key) }
func (openAIResponses) framing() framing                    { return framingSSE }
func (openAIResponses) models() listing                     { return openAIModels }

// Encode sends min_tokens and ignore_eos where they are asked for: vLLM takes
// them on this API too.
func (openAIResponses) Encode(r Request) ([]byte, error) {
	f := fields{}.text("model", r.Model).count("max_output_tokens", r.MaxTokens).count("min_tokens", r.MinTokens)
	f.flag("ignore_eos", r.IgnoreEOS).flag("stream", r.Stream).number("temperature", r.Temperature).seed(r.Seed)
	input := []any{}
	for _, m := range r.Messages {
		input = append(input, responsesMessage(m))
	}
	f["input"] = input
	return f.body(r.Extra)
}

func responsesMessage(m Message) fields {
	f := fields{"role": m.role(), "content": m.Content}
	if len(m.Images) > 0 {
		parts := []any{}
		if m.Content != "" {
			parts = append(parts, fields{"type": "input_text", "text": m.Content})
		}
		for _, url := range m.Images {
			parts = append(parts, fields{"type": "input_image", "image_url": url})
		}
		f["content"] = parts
	}
	return f.merged(m.Extra)
}

// decode reads one typed event, or a whole response object.
func (openAIResponses) decode(name, data []byte, ev *event) error {
	root, err := object(data)
	if err != nil {
		return err
	}
	kind := root.text("type")
	if kind == "" {
		kind = string(name)
	}
	if ev.failure = failure(root); ev.failure != nil {
		return nil
	}
	switch {
	case kind == "error":
		ev.failure = eventFailure(root, data)
	case root.text("object") == "response":
		responsesOutput(root, ev)
		responsesEnd(root, ev)
	case strings.HasPrefix(kind, "response."):
		responsesEvent(kind, root, ev)
	default:
		ev.ignored = true
	}
	return nil
}

// responsesEvent reads what matters of the API's many events. Deltas are the
// output; the events that end in "done" repeat it.
func responsesEvent(kind string, root tree, ev *event) {
	switch kind {
	case "response.output_text.delta", "response.refusal.delta", "response.audio.delta", "response.audio.transcript.delta",
		"response.output_audio.delta":
		ev.addString(0, KindContent, root.text("delta"))
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta", "response.reasoning.delta":
		ev.addString(0, KindReasoning, root.text("delta"))
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta", "response.mcp_call_arguments.delta",
		"response.code_interpreter_call_code.delta":
		ev.addTool(0, "", root.text("delta"))
	case "response.output_item.added":
		item := root.object("item")
		ev.role = item.text("type") == "message"
		ev.addTool(0, item.text("name"), "")
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		responsesEnd(root.object("response"), ev)
	}
}

// responsesEnd reads a response object's status: an incomplete one is finished
// too, for the reason that it gives.
func responsesEnd(response tree, ev *event) {
	openAIUsage(responsesUsage(response.object("usage")), ev)
	switch response.text("status") {
	case "completed":
		ev.finish, ev.done = "stop", true
	case "incomplete":
		ev.finish, ev.done = response.object("incomplete_details").text("reason"), true
		if ev.finish == "" {
			ev.finish = "incomplete"
		}
	case "failed", "cancelled":
		ev.done = true
		if ev.failure = failure(response); ev.failure == nil {
			ev.failure = &ServerError{Message: "the response has the status " + response.text("status")}
		}
	}
}

// responsesUsage gives the API's usage the names of the chat API.
func responsesUsage(u tree) tree {
	if u == nil {
		return nil
	}
	return tree{
		"prompt_tokens": u["input_tokens"], "completion_tokens": u["output_tokens"], "total_tokens": u["total_tokens"],
		"prompt_tokens_details": u["input_tokens_details"], "completion_tokens_details": u["output_tokens_details"],
	}
}

// responsesOutput reads the items of a response that was not streamed.
func responsesOutput(response tree, ev *event) {
	for _, o := range response.list("output") {
		item := asObject(o)
		for _, s := range item.list("summary") {
			ev.addString(0, KindReasoning, asObject(s).text("text"))
		}
		kind := KindContent
		if item.text("type") == "reasoning" {
			kind = KindReasoning
		}
		for _, c := range item.list("content") {
			ev.addString(0, kind, asObject(c).first("text", "refusal"))
		}
		ev.addTool(0, item.text("name"), item.first("arguments", "input"))
	}
}
