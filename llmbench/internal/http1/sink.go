package http1

import "net/http"

// A Sink takes a reply as it comes. Its methods are called one after another from
// the goroutine that reads all connections: they must not wait, and each should
// look at the clock first. None is called once Send has returned.
type Sink interface {
	// Head takes the status and the headers; the response's Body is not to be
	// used. An error ends the exchange with it.
	Head(response *http.Response) error
	// Body takes the bytes that one read brought, without their framing. They are
	// valid during the call. An error ends the exchange with it; [Enough] is none.
	Body(p []byte) error
	// End is called when the body has ended as its framing says.
	End()
}

// Enough is what Body returns to have no more of a reply. The connection is then
// closed and Send returns nil.
var Enough error = enough{}

type enough struct{}

func (enough) Error() string { return "enough was read" }
