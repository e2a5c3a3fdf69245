package mock

import (
	"errors"
	"hash/fnv"
	"strconv"
)

// embeddings is OpenAI's embeddings API. The reply leaves at TTFT; its numbers
// depend on the text alone and mean nothing.
var embeddings = protocol{
	api: Embeddings, parse: parseEmbeddings, whole: embeddingsWhole, fail: openaiError,
	stream: sse, event: func(b []byte, _ *stream, _ Event) []byte { return b },
}

// embeddingSize is the length of a vector: enough to be recognised as one.
const embeddingSize = 8

// parseEmbeddings asks for a reply of no tokens, which leaves at TTFT; an Engine
// computes the prompt first.
func parseEmbeddings(r *Request) error {
	var body openaiBody
	if err := decode(r.Body, &body); err != nil {
		return err
	}
	if body.Input == "" {
		return errors.New("input: want a text or a list")
	}
	r.Prompt, r.Model = string(body.Input), body.Model
	r.MaxTokens, r.IgnoreEOS = 0, true // nothing is generated
	return nil
}

// embeddingsWhole sends one vector, also for a list of inputs.
func embeddingsWhole(b []byte, s *stream) []byte {
	b = append(b, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[`...)
	h := fnv.New64a()
	h.Write([]byte(s.req.Prompt))
	for i := range embeddingSize {
		if i > 0 {
			b = append(b, ',')
		}
		h.Write([]byte{byte(i)})
		b = strconv.AppendFloat(b, float64(int64(h.Sum64()))/(1<<63), 'g', 6, 64)
	}
	b = append(b, `]}],`...)
	b = appendText(b, "model", s.model())
	b = append(b, `,"usage":{`...)
	b = appendField(b, "prompt_tokens", s.reply.Usage.InputTokens)
	b = append(b, ',')
	b = appendField(b, "total_tokens", s.reply.Usage.InputTokens)
	return append(b, "}}\n"...)
}
