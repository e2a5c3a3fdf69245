package wire

import "net/http"

type openAICompletions struct{}

// OpenAICompletions is POST /v1/completions: one prompt, no roles. Several
// messages are joined by LF.
func OpenAICompletions() Protocol { return openAICompletions{} }

func (openAICompletions) Name() string                        { return "openai-completions" }
func (openAICompletions) Path() string                        { return "v1/completions" }
func (openAICompletions) Authorize(h http.Header, key string) { bearer(h, key) }
func (openAICompletions) framing() framing                    { return framingSSE }
func (openAICompletions) models() listing                     { return openAIModels }

func (openAICompletions) Encode(r Request) ([]byte, error) {
	f := openAIFields(r).count("max_tokens", r.MaxTokens)
	f["prompt"] = prompt(r.Messages)
	return f.body(r.Extra)
}

// decode is the chat API's: chunks differ only in where the text stands.
func (openAICompletions) decode(name, data []byte, ev *event) error {
	return decodeOpenAI(name, data, ev)
}
