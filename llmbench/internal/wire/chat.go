package wire

import "net/http"

type openAIChat struct{}

// OpenAIChat is POST /v1/chat/completions.
func OpenAIChat() Protocol { return openAIChat{} }

func (openAIChat) Name() string                        { return "openai-chat" }
func (openAIChat) Path() string                        { return "v1/chat/completions" }
func (openAIChat) Authorize(h http.Header, key string) { bearer(h, key) }
func (openAIChat) framing() framing                    { return framingSSE }
func (openAIChat) models() listing                     { return openAIModels }

// Encode sends the limit under the name that OpenAI's newer models ask for,
// since they refuse the older one; servers that know only the older one pay no
// heed to it and generate without a limit, hence MaxTokensField.
func (openAIChat) Encode(r Request) ([]byte, error) {
	f := openAIFields(r)
	messages := []any{}
	for _, m := range r.Messages {
		messages = append(messages, chatMessage(m))
	}
	f["messages"] = messages
	if r.MaxTokensField != "max_tokens" {
		f.count("max_completion_tokens", r.MaxTokens)
	}
	if r.MaxTokensField == "max_tokens" || r.MaxTokensField == "both" {
		f.count("max_tokens", r.MaxTokens)
	}
	return f.body(r.Extra)
}

func (openAIChat) decode(name, data []byte, ev *event) error { return decodeOpenAI(name, data, ev) }

// openAIFields are the fields that chat and completions name alike. min_tokens
// and ignore_eos are vLLM's and SGLang's; they are sent only where they are
// asked for.
func openAIFields(r Request) fields {
	f := fields{}.text("model", r.Model).count("min_tokens", r.MinTokens).flag("ignore_eos", r.IgnoreEOS)
	f.flag("stream", r.Stream).count("n", r.N).number("temperature", r.Temperature).seed(r.Seed)
	if r.Stream && !r.OmitUsage {
		f["stream_options"] = map[string]any{"include_usage": true}
	}
	return f
}

// chatMessage keeps content a plain string where it can: some servers do not
// take a list of parts.
func chatMessage(m Message) fields {
	f := fields{"role": m.role(), "content": m.Content}
	if len(m.Images) > 0 {
		parts := []any{}
		if m.Content != "" {
			parts = append(parts, fields{"type": "text", "text": m.Content})
		}
		for _, url := range m.Images {
			parts = append(parts, fields{"type": "image_url", "image_url": fields{"url": url}})
		}
		f["content"] = parts
	}
	return f.merged(m.Extra)
}
