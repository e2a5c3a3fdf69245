package mock

import (
	"net/http"
	"time"
)

// A Responder decides what the server does with a request. Script, Engine and
// the combinations of them are Responders, and so is any function of yours
// through ResponderFunc.
//
// Respond is called once per request, never by two goroutines at a time, in the
// order of Request.Number. It must not wait: when things happen is said by the
// times in the Reply.
type Responder interface {
	Respond(*Request) Reply
}

// ResponderFunc makes a function a Responder.
type ResponderFunc func(*Request) Reply

// Respond calls f.
func (f ResponderFunc) Respond(r *Request) Reply { return f(r) }

// Reply is all that will happen to one request: a status, headers, and a
// timeline. It is data; whoever has a Reply may change it before returning it.
type Reply struct {
	// Status is the HTTP status, 200 when it is 0.
	Status int
	// Header is added to the headers the protocol asks for.
	Header http.Header
	// HeaderAt is when the headers leave, counted from the arrival. An event
	// before it waits for it.
	HeaderAt time.Duration
	// Body, when not empty, is sent as it is with a Content-Length, and the
	// timeline is not used.
	Body []byte
	// Timeline is what is sent after the headers, in order. To a request that
	// did not ask for a stream it is sent as one body at the time of its last
	// event.
	Timeline []Event
	// Model is the name the reply carries, the server's when "".
	Model string
	// Usage is what the reply's usage says.
	Usage Usage
}

// Usage is what a reply says about its tokens.
type Usage struct {
	InputTokens     int
	OutputTokens    int
	ReasoningTokens int // part of OutputTokens; left out of the reply when 0
	CachedTokens    int // part of InputTokens; left out of the reply when 0, said as 0 when NoneCached
}

// NoneCached makes a reply say that none of the prompt's tokens were cached; a
// plain 0 says nothing about the cache.
const NoneCached = -1

// An Event is one thing that happens in a reply.
type Event struct {
	// At is when, counted from the arrival of the request. An event never
	// overtakes the one before it.
	At time.Duration
	// Kind says what.
	Kind Kind
	// Text is the text of Content, Reasoning, Tool, Comment and Error, the
	// reason of Finish, and the bytes of Raw.
	Text string
	// Tokens is how many tokens Text holds.
	Tokens int
	// Choice is the index of the choice, with n > 1.
	Choice int
}

// Kind is what an Event does.
type Kind int

// The kinds of events. Content to Raw send bytes; the last four end the reply.
const (
	Content   Kind = iota // a chunk of the answer
	Reasoning             // a chunk of thinking
	Role                  // the frame that opens a stream, without content
	Finish                // the finish reason
	Done                  // what ends the stream in the protocol: [DONE], message_stop ...
	UsageTail             // the frame with the usage and no content
	Comment               // an SSE comment: keep-alive
	Raw                   // Text as it is, into the body
	End                   // the body ends here and is well formed for HTTP; the end of a Timeline means the same
	Drop                  // the connection is closed in the middle of the body
	Reset                 // the connection is reset
	Hang                  // nothing more is sent, and the connection stays open
)
