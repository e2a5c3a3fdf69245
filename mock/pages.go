package mock

import (
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
)

// page answers at once, without a Responder: what servers say about themselves.
type page func(s *Server, r *Request) (status int, kind string, body []byte)

var pages = map[string]page{
	"GET /v1/models": modelsPage,
	"GET /api/tags":  tagsPage,
	"GET /info":      infoPage,
	"GET /health":    healthPage,
	"GET /metrics":   metricsPage,
	"POST /tokenize": tokenizePage,
}

const jsonType = "application/json"

// modelsPage lists the one model that is served, whatever requests ask for.
func modelsPage(s *Server, _ *Request) (int, string, []byte) {
	b := append([]byte(`{"object":"list","data":[{`), appendText(nil, "id", s.model)...)
	b = append(b, `,"object":"model","created":`...)
	b = strconv.AppendInt(b, s.loop.start.Unix(), 10)
	return http.StatusOK, jsonType, append(b, `,"owned_by":"mock"}]}`+"\n"...)
}

// tagsPage is Ollama's list of models.
func tagsPage(s *Server, _ *Request) (int, string, []byte) {
	b := append([]byte(`{"models":[{`), appendText(nil, "name", s.model)...)
	b = append(b, ',')
	return http.StatusOK, jsonType, append(appendText(b, "model", s.model), "}]}\n"...)
}

// infoPage is text-generation-inference's.
func infoPage(s *Server, _ *Request) (int, string, []byte) {
	return http.StatusOK, jsonType, append(appendText([]byte{'{'}, "model_id", s.model), "}\n"...)
}

// healthPage has no body, as vLLM's has none.
func healthPage(s *Server, _ *Request) (int, string, []byte) {
	return int(s.health.Load()), "text/plain", nil
}

// tokenizePage counts words, as vLLM's page counts tokens.
func tokenizePage(_ *Server, r *Request) (int, string, []byte) {
	var body struct {
		Prompt   text   `json:"prompt"`
		Content  text   `json:"content"` // llama.cpp's name for it
		Messages []text `json:"messages"`
	}
	if err := decode(r.Body, &body); err != nil {
		return http.StatusBadRequest, jsonType, openaiError(nil, http.StatusBadRequest, err.Error())
	}
	b := []byte(`{"tokens":[`)
	n := 0
	for word := range strings.FieldsSeq(string(joined(append(body.Messages, body.Prompt, body.Content)...))) {
		if n > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(tokenID(word)), 10)
		n++
	}
	b = append(b, "],"...)
	return http.StatusOK, jsonType, append(appendField(b, "count", n), "}\n"...)
}

// tokenID is the number of a word: the same for the same word, else without
// meaning.
func tokenID(word string) int {
	h := fnv.New32a()
	h.Write([]byte(strings.TrimSpace(word)))
	return int(h.Sum32() % 32000)
}
