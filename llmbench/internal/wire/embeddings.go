package wire

import "net/http"

type openAIEmbeddings struct{}

// OpenAIEmbeddings is POST /v1/embeddings, one input per message. It never
// streams. A reply with vectors is ok and has one chunk of kind content with 0
// tokens, so that it has a latency and no output length.
func OpenAIEmbeddings() Protocol { return openAIEmbeddings{} }

func (openAIEmbeddings) Name() string                        { return "openai-embeddings" }
func (openAIEmbeddings) Path() string                        { return "v1/embeddings" }
func (openAIEmbeddings) Authorize(h http.Header, key string) { bearer(h, key) }
func (openAIEmbeddings) framing() framing                    { return framingWhole }
func (openAIEmbeddings) models() listing                     { return openAIModels }

// Encode always sends a list, so that the reply has one vector per message
// also where there is one. Lengths, sampling and stream mean nothing here, and
// strict servers refuse them.
func (openAIEmbeddings) Encode(r Request) ([]byte, error) {
	inputs := []string{}
	for _, m := range r.Messages {
		inputs = append(inputs, m.Content)
	}
	return fields{"input": inputs}.text("model", r.Model).body(r.Extra)
}

func (openAIEmbeddings) decode(_, data []byte, ev *event) error {
	root, err := object(data)
	if err != nil {
		return err
	}
	if ev.failure = failure(root); ev.failure != nil {
		return nil
	}
	openAIUsage(root.object("usage"), ev)
	ev.usage.Completion = Opt[int64]{} // some servers report 0 here, and no output is not an output of no tokens
	ev.done = true
	for _, entry := range root.list("data") {
		switch vector := asObject(entry)["embedding"].(type) {
		case []any:
			ev.vectors = ev.vectors || len(vector) > 0
		case string: // base64, where encoding_format asked for it
			ev.vectors = ev.vectors || vector != ""
		}
	}
	return nil
}
