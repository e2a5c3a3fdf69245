package wire

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/llmbench/go/llmbench/internal/http1"
)

// Call is how exchanges with one endpoint are made. It may be used by many
// goroutines at once.
type Call struct {
	// Client carries the exchange; its Timeout is not used, since it would cut
	// a live stream: put a deadline on the context. Nil means
	// http.DefaultClient, which keeps only two idle connections per host; see
	// NewTransport.
	Client *http.Client
	// Direct carries the requests that it takes, in place of Client. Nil takes
	// none.
	Direct *http1.Client
	// URL is the whole endpoint; JoinURL makes it from a base and
	// Protocol.Path.
	URL string
	// Header goes with the request and wins over the headers that Do sets
	// itself. Its keys appear in no text of the reply.
	Header   http.Header
	Protocol Protocol // nil means OpenAIChat
	// Now is the run's clock, which must be monotonic; the transport's
	// goroutines call it too. Nil means a clock that starts with the call.
	Now func() time.Duration
	// IdleTimeout is the longest time without a byte, from the headers to the
	// end of the body. 0 means none.
	IdleTimeout time.Duration
	// MaxLine bounds one line, one event and one JSON body, in bytes. 0 means
	// 64 MiB.
	MaxLine int
	// KeepText is how many bytes of generated text Reply.Choices keep per
	// choice and channel. 0 keeps none.
	KeepText int
	// OnContent is called once, from the goroutine that reads, when the first
	// generated output has been read; it must not wait. Nil is not called.
	OnContent func()
	// Capture is how many bytes of the body Reply.Capture keeps, with the
	// instants of their Reads. 0 means no capture.
	Capture int
}

// Limits of what is read beyond a reply's last event, so that its connection
// can be used again. A server that holds the connection open for longer gets a
// new one next time.
const (
	drainBytes = 256 << 10
	drainTime  = time.Second
)

// pageBytes is how much of an error page is read.
const pageBytes = 64 << 10

// Do performs one exchange, and never tries again but where a kept connection had
// been closed before a byte of the reply. It returns when the reply has ended,
// failed or was cancelled, and leaves no goroutine behind. The context's deadline
// gives the outcome timeout, its cancellation the outcome cancelled.
func (c Call) Do(ctx context.Context, req Request) Reply {
	return *c.Exchange(ctx, &req)
}

// Exchange is Do without copies, whose space on the stack would be kept for as
// long as the reply lasts.
func (c *Call) Exchange(ctx context.Context, req *Request) *Reply {
	x := newExchange(ctx, *c, *req)
	x.run()
	x.close()
	return x.reply
}

// client is the caller's without what would change the exchange unseen: a
// timeout that cuts streams, and redirects.
func (c Call) client() *http.Client {
	client := http.Client{}
	if c.Client != nil {
		client = *c.Client
	}
	client.Timeout = 0
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// request builds the HTTP request. Accept-Encoding is set even where the
// transport would offer nothing: a transport of the caller's might offer gzip.
func (c Call) request(ctx context.Context, stream bool, body []byte, trace *httptrace.ClientTrace) (*http.Request, error) {
	address := c.URL
	if d, ok := c.Protocol.(divider); ok {
		address = d.endpoint(address, stream)
	}
	r, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	h := r.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if stream {
		h.Set("Accept", "text/event-stream, application/x-ndjson, application/json")
	}
	h.Set("Accept-Encoding", "identity")
	h.Set("User-Agent", "llmbench")
	// Present without a value, this header is not sent. It lets net/http itself use
	// a new connection where it sees that the server closed the idle one, an error
	// that it does not export; what it gives up on, exchange.run repeats. Without
	// it examples/realserver fails on llama.cpp, in 1 of 6 to 3 of 48 requests.
	h["Idempotency-Key"] = nil
	if s, ok := c.Protocol.(headerSetter); ok {
		s.setHeader(h)
	}
	for name, values := range c.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	if host := h.Get("Host"); host != "" {
		r.Host = host
	}
	return r, nil
}
