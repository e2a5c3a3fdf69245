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
	// NoUsage leaves usage out of a reply in one body; in a stream it is an event.
	NoUsage bool
	// UsageEvery puts the running usage into every frame, as some servers do on
	// request (continuous usage).
	UsageEvery bool
	// Splits are offsets into the streamed body, counted without HTTP's chunk
	// sizes, where the writing pauses for SplitPause. They must rise.
	Splits     []int
	SplitPause time.Duration
	// Window, when above 0, is how many bytes the client may leave unread before
	// the reply pauses until it has read them, as a server does that waits for
	// its socket. What is due meanwhile comes later by the pause. Over TCP the
	// system rounds it up, to some kilobytes.
	Window int

	pace       *engine // where the times come from, when they are not in the timeline
	paceTokens int     // how many tokens it is to generate
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
	// At is when, counted from the arrival of the request; in a reply of an
	// Engine, how much later than the engine has it. An event never overtakes
	// the one before it.
	At time.Duration
	// Kind says what.
	Kind Kind
	// Text is the text of Content, Reasoning, Comment and Error, a piece of the
	// arguments of Tool, the reason of Finish, and the bytes of Raw.
	Text string
	// Tokens is how many tokens Text holds.
	Tokens int
	// Choice is the index of the choice, with n > 1.
	Choice int
	// Tool tells which call a Tool event belongs to.
	Tool ToolPiece
}

// ToolPiece places a Tool event: the first piece of a call has its name.
type ToolPiece struct {
	Index int
	Name  string
}

// Kind is what an Event does.
type Kind int

// The kinds of events. Content to Raw send bytes; the last four end the reply.
const (
	Content   Kind = iota // a chunk of the answer
	Reasoning             // a chunk of thinking
	Tool                  // a piece of a tool call
	Role                  // the frame that opens a stream, without content
	Finish                // the finish reason
	UsageTail             // the frame with the usage and no content
	Done                  // what ends the stream in the protocol: [DONE], message_stop ...
	Comment               // an SSE comment: keep-alive
	Error                 // an error object in the stream, as the protocol has it
	Malformed             // a chunk of the answer of which half is missing
	Raw                   // Text as it is, into the body
	End                   // the body ends here and is well formed for HTTP; the end of a Timeline means the same
	Drop                  // the connection is closed in the middle of the body
	Reset                 // the connection is reset
	Hang                  // nothing more is sent, and the connection stays open
)

// generated reports whether the kind carries tokens of the model.
func (k Kind) generated() bool { return k <= Tool }

// ends reports whether the kind is the last of a reply.
func (k Kind) ends() bool { return k >= End }
