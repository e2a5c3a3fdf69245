package wire

import (
	"net/http"
	"strings"
)

type anthropicMessages struct{}

// AnthropicMessages is POST /v1/messages. The API wants max_tokens on every
// request and answers 400 without it.
func AnthropicMessages() Protocol { return anthropicMessages{} }

func (anthropicMessages) Name() string     { return "anthropic-messages" }
func (anthropicMessages) Path() string     { return "v1/messages" }
func (anthropicMessages) framing() framing { return framingSSE }
func (anthropicMessages) models() listing  { return openAIModels }

func (anthropicMessages) Authorize(h http.Header, key string) {
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

// setHeader names the one version of the API that there is; a header of the
// caller's wins.
func (anthropicMessages) setHeader(h http.Header) { h.Set("Anthropic-Version", "2023-06-01") }

// Encode puts the system messages, which have no place among the turns here,
// into their own field. The API has no seed and no n.
func (anthropicMessages) Encode(r Request) ([]byte, error) {
	f := fields{}.text("model", r.Model).count("max_tokens", r.MaxTokens).count("min_tokens", r.MinTokens)
	f.flag("ignore_eos", r.IgnoreEOS).flag("stream", r.Stream).number("temperature", r.Temperature)
	var system []string
	messages := []any{}
	for _, m := range r.Messages {
		if m.Role == "system" {
			system = append(system, m.Content)
			continue
		}
		messages = append(messages, anthropicMessage(m))
	}
	f.text("system", strings.Join(system, "\n"))["messages"] = messages
	return f.body(r.Extra)
}

// anthropicMessage puts images before the text: the API's guide says that
// models read them better so.
func anthropicMessage(m Message) fields {
	f := fields{"role": m.role(), "content": m.Content}
	if len(m.Images) > 0 {
		parts := []any{}
		for _, url := range m.Images {
			parts = append(parts, fields{"type": "image", "source": anthropicImage(url)})
		}
		if m.Content != "" {
			parts = append(parts, fields{"type": "text", "text": m.Content})
		}
		f["content"] = parts
	}
	return f.merged(m.Extra)
}

// anthropicImage names the two sources apart; a data URL is no URL to this
// API.
func anthropicImage(url string) fields {
	head, data, ok := strings.Cut(url, ";base64,")
	media, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData {
		return fields{"type": "url", "url": url}
	}
	return fields{"type": "base64", "media_type": media, "data": data}
}

// decode reads one typed event, or a whole message.
func (anthropicMessages) decode(name, data []byte, ev *event) error {
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
	switch kind {
	case "message_start":
		ev.role = true
		anthropicUsage(root.object("message").object("usage"), ev)
	case "content_block_start":
		anthropicBlock(root.object("content_block"), ev)
	case "content_block_delta":
		anthropicBlock(root.object("delta"), ev)
	case "message_delta":
		ev.finish = root.object("delta").text("stop_reason")
		anthropicUsage(root.object("usage"), ev)
	case "message_stop":
		ev.done = true
	case "ping", "content_block_stop":
	case "message":
		for _, block := range root.list("content") {
			anthropicBlock(asObject(block), ev)
		}
		ev.finish = root.text("stop_reason")
		anthropicUsage(root.object("usage"), ev)
	case "error":
		ev.failure = eventFailure(root, data)
	default:
		ev.ignored = true
	}
	return nil
}

// anthropicBlock reads a content block or a delta of one: both name what they
// hold alike. A tool's input is text in deltas and an object in a whole
// message; a signature is no output.
func anthropicBlock(b tree, ev *event) {
	ev.addString(0, KindReasoning, b.text("thinking"))
	ev.addString(0, KindContent, b.text("text"))
	ev.addTool(0, b.text("name"), b.text("partial_json"))
	if input := b.object("input"); len(input) > 0 {
		ev.addTool(0, "", jsonText(map[string]any(input)))
	}
}

// anthropicUsage reads totals: message_start's output count is a first report,
// not one to add. input_tokens leaves out what came from the cache; a prompt's
// length here has it, as everywhere else.
func anthropicUsage(u tree, ev *event) {
	if u == nil {
		return
	}
	cached := u.count("cache_read_input_tokens")
	in := u.count("input_tokens")
	if in.Known {
		in = sum(in, sum(cached, u.count("cache_creation_input_tokens")))
	}
	ev.reported = true
	ev.usage = Usage{Prompt: in, Completion: u.count("output_tokens"), Cached: cached}
}
