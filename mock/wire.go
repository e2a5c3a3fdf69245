package mock

import "net/http"

// protocol is one API: how its requests are read and its replies written. The
// encoders are written from the public specifications, and share nothing with
// the client they are used to check.
type protocol struct {
	api API
	// parse fills in what the body asks for.
	parse func(r *Request) error
	// stream is the Content-Type of a streamed reply.
	stream string
	// event appends the bytes of one event.
	event func(b []byte, s *stream, e Event) []byte
	// whole appends the body of a reply that is not streamed.
	whole func(b []byte, s *stream) []byte
	// fail appends the error object.
	fail func(b []byte, status int, message string) []byte
}

// Content types of streams.
const (
	sse    = "text/event-stream"
	ndjson = "application/x-ndjson"
)

// protocols are the APIs by path.
var protocols = map[string]*protocol{
	"/v1/chat/completions": &chat,
	"/v1/completions":      &completions,
	"/v1/responses":        &responses,
	"/v1/messages":         &anthropic,
	"/v1/embeddings":       &embeddings,
	"/api/chat":            &ollamaChat,
	"/api/generate":        &ollamaGenerate,
	"/generate_stream":     &tgiStream,
	"/generate":            &tgiWhole,
}

// wireState is what an encoder remembers of a stream.
type wireState struct {
	begun  bool
	number int    // frames sent
	item   int    // index of the block that is open
	open   bool   // a block is
	kind   Kind   // of the block that is open
	tool   int    // index of the call that is open
	name   string // and its name
	text   []byte // of the block that is open
	finish string // the finish reason
	items  []byte // the blocks that are closed
}

// gap is what ends a frame.
func (p *protocol) gap() string {
	if p.stream == sse {
		return "\n\n"
	}
	return "\n"
}

// errorBody is the error object of an API.
func errorBody(api API, status int, message string) []byte {
	for _, p := range protocols {
		if p.api == api {
			return p.fail(nil, status, message)
		}
	}
	return openaiError(nil, status, message)
}

// openaiError is the error object of OpenAI's APIs and of vLLM.
func openaiError(b []byte, status int, message string) []byte {
	b = append(b, `{"error":{"message":`...)
	b = appendString(b, message)
	b = append(b, `,"type":"`...)
	b = append(b, errorType(status)...)
	b = append(b, `","param":null,`...)
	b = appendField(b, "code", status)
	return append(b, "}}"...)
}

// errorType is the name that OpenAI and Anthropic have for a status.
func errorType(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "authentication_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request_error"
}
