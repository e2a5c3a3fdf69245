package mock

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// Request is one request as the server received it. A Responder reads it and
// must not change it.
type Request struct {
	// Number counts the requests of a server from 0, in order of arrival;
	// requests of one instant are ordered by ID, then by body, so that a run in
	// virtual time gives the same numbers every time.
	Number int
	// ID is the X-Request-Id header, "" when the client sent none.
	ID string
	// Nth counts the requests with the same ID and body from 0.
	Nth int
	// Arrived is when the whole request had been read, since the server started.
	Arrived time.Duration
	// Time is the same instant on the wall clock.
	Time time.Time
	// InFlight is how many replies were unfinished when the request arrived.
	InFlight int

	API    API
	Method string
	Path   string
	Header http.Header
	Body   []byte

	Model string
	// Prompt is the text of all messages, joined by blanks.
	Prompt string
	// InputTokens is the number of words of Prompt: one word is one token here.
	InputTokens int
	// Stream tells whether the reply was asked for as a stream.
	Stream bool
	// MaxTokens is the limit the request states, -1 when it states none.
	MaxTokens int
	// MinTokens is the least length asked for, 0 when none.
	MinTokens int
	// IgnoreEOS asks for exactly MaxTokens tokens.
	IgnoreEOS bool
	// IncludeUsage asks for a usage tail in a stream.
	IncludeUsage bool
	// Choices is n, at least 1.
	Choices int

	sum uint64 // of hash, once it was asked for
}

// API names the protocol of a request.
type API string

// The protocols the server speaks, each at its usual path.
const (
	Chat           API = "chat"            // POST /v1/chat/completions
	Completions    API = "completions"     // POST /v1/completions
	Responses      API = "responses"       // POST /v1/responses
	Anthropic      API = "anthropic"       // POST /v1/messages
	Embeddings     API = "embeddings"      // POST /v1/embeddings
	OllamaChat     API = "ollama-chat"     // POST /api/chat
	OllamaGenerate API = "ollama-generate" // POST /api/generate
	TGI            API = "tgi"             // POST /generate_stream, /generate
)

// Rand returns a source of random numbers that depends on the seed, on the
// request's ID and body, and on Nth, but not on when the request arrived: two
// requests that change places keep their numbers.
func (r *Request) Rand(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, r.hash()+uint64(r.Nth)))
}

// hash tells requests apart by ID and body.
func (r *Request) hash() uint64 {
	if r.sum != 0 {
		return r.sum
	}
	h := fnv.New64a()
	h.Write([]byte(r.ID))
	h.Write([]byte{0})
	h.Write(r.Body)
	r.sum = h.Sum64()
	return r.sum
}

// outputTokens applies the request's wishes to the length at which the reply
// would end by itself; natural 0 means it never would. It returns the length
// and whether it was cut there.
func (r *Request) outputTokens(natural int) (n int, cut bool) {
	limited := r.MaxTokens >= 0
	if limited && (r.IgnoreEOS || natural == 0) {
		return r.MaxTokens, true
	}
	if natural == 0 {
		natural = DefaultOutput
	}
	natural = max(natural, r.MinTokens)
	if limited && natural > r.MaxTokens {
		return r.MaxTokens, true
	}
	return natural, false
}

// What a request may ask for, so that a slip does not take all memory: the length
// is the longest context that models offer, the choices are OpenAI's limit.
const (
	maxOutput  = 1 << 20
	maxChoices = 128
)

// bounded refuses what no server would generate.
func (r *Request) bounded() error {
	switch {
	case r.MaxTokens > maxOutput || r.MinTokens > maxOutput:
		return fmt.Errorf("the limit of output tokens is %d, want at most %d", max(r.MaxTokens, r.MinTokens), maxOutput)
	case r.Choices > maxChoices || r.Choices < 0:
		return fmt.Errorf("n is %d, want 1 to %d", r.Choices, maxChoices)
	}
	return nil
}

// countWords is the mock's tokenizer.
func countWords(text string) int {
	n := 0
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}

// compare orders requests of one instant: by ID, the shorter first so that r9
// stands before r10, then by body.
func (r *Request) compare(other *Request) int {
	return cmp.Or(
		cmp.Compare(len(r.ID), len(other.ID)),
		cmp.Compare(r.ID, other.ID),
		bytes.Compare(r.Body, other.Body),
	)
}
