package llmbench

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/llmbench/go/llmbench/internal/http1"
	"github.com/llmbench/go/llmbench/internal/wire"
)

// A Target is a server under test. It speaks standard-library types, so a mock
// or a fixture satisfies it without importing this package.
//
// Client returns the HTTP client to use, or nil for one of the harness's own.
// Where the server is, a target says by a method URL() string: the API base,
// "http://host:8000/v1". An [Endpoint] says it by its field of that name, which
// is why the method is not part of the interface. Optional methods say more:
//
//	Model() string        // the model to ask for
//	API() string          // the protocol, "openai-chat" if absent
//	Header() http.Header  // sent with every request
//	CountTokens(string) int // see Endpoint.CountTokens
//	Unwrap() Target       // the target inside, which says all of the above
//
// A target that is a [Watcher] too has its server's own metrics read meanwhile.
type Target interface {
	Client() *http.Client
}

// An Endpoint is a server that runs already.
type Endpoint struct {
	// URL is the API base: "http://host:8000/v1". Its path and query are kept; a
	// trailing slash is dropped and a missing /v1 added, and the result says so.
	URL string
	// Model is the model to ask for; empty takes the first that the server
	// lists, and the result says so.
	Model string
	// API is the protocol; empty is "openai-chat".
	API string
	// Header is sent with every request.
	Header http.Header
	// KeyFrom names the environment variable that holds the API key, sent where
	// the API wants it. The key itself is never printed or stored.
	KeyFrom string
	// CountTokens is a tokenizer, for a server that reports no usage or whose
	// usage is to be checked: it is called with each ok reply's text once the run
	// is over (and with the prompt's where the server did not count it, without
	// its chat template), and returns below 0 where it cannot tell.
	// [ServerTokenizer] makes one of an engine's own. Nil counts nothing.
	CountTokens func(text string) int
	// HTTP is the client to use; nil is the harness's own, which is meant for
	// load: enough idle connections, no compression, no timeout that cuts a
	// stream which still delivers.
	HTTP *http.Client

	// HTTP2 speaks HTTP/2, over plain connections with prior knowledge (h2c).
	// Requests then share connections: it measures another thing.
	HTTP2 bool
	// RootCAs sign the server's certificate; nil is the machine's own.
	RootCAs *x509.CertPool
	// UnixSocket is the path of a socket that all connections go to, whatever
	// the URL's host; empty is TCP. The three have no effect beside HTTP.
	UnixSocket string

	kept *connections // of several runs against this endpoint; nil: each has its own
}

// connections are the harness's own: one client for what needs no more than plain
// HTTP/1.1, one for everything else.
type connections struct {
	direct *http1.Client // nil: there is none for this endpoint
	http   *http.Transport
}

// connect makes them, so many at most; 0 is no bound.
func (e Endpoint) connect(most int) *connections {
	makeRoom(most)
	o := wire.TransportOptions{
		PerHost: most, HTTP2: e.HTTP2, RootCAs: e.RootCAs, UnixSocket: e.UnixSocket,
	}
	return &connections{direct: o.Direct(), http: o.New()}
}

func (c *connections) client() *http.Client { return &http.Client{Transport: c.http} }

func (c *connections) close() {
	c.direct.CloseIdle()
	c.http.CloseIdleConnections()
}

// Client returns the endpoint's own client, or nil.
func (e Endpoint) Client() *http.Client { return e.HTTP }

// resolve asks a target for all it says of itself.
func resolve(target Target) (Endpoint, error) {
	var e Endpoint
	switch t := target.(type) {
	case nil:
		return e, fmt.Errorf("llmbench: target is nil, want a server such as llmbench.Endpoint{URL: ...}")
	case Endpoint:
		e = t
	case *Endpoint:
		e = *t
	case interface{ Unwrap() Target }: // a target around another, as scrape.Target is
		return resolve(t.Unwrap())
	default:
		var err error
		if e, err = described(target); err != nil {
			return e, err
		}
	}
	return e, checkURL(e.URL)
}

// described asks a target of another package through its optional methods.
func described(target Target) (Endpoint, error) {
	located, ok := target.(interface{ URL() string })
	if !ok {
		return Endpoint{}, fmt.Errorf("llmbench: target: %T has no method URL() string, want one, or an llmbench.Endpoint{URL: ...}", target)
	}
	e := Endpoint{URL: located.URL(), HTTP: target.Client()}
	if t, ok := target.(interface{ Model() string }); ok {
		e.Model = t.Model()
	}
	if t, ok := target.(interface{ API() string }); ok {
		e.API = t.API()
	}
	if t, ok := target.(interface{ Header() http.Header }); ok {
		e.Header = t.Header()
	}
	if t, ok := target.(interface{ CountTokens(text string) int }); ok {
		e.CountTokens = t.CountTokens
	}
	return e, nil
}

func checkURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return fmt.Errorf("llmbench: target: URL is empty, want the API base such as http://host:8000/v1")
	case err != nil:
		return fmt.Errorf("llmbench: target: URL cannot be read, want the API base such as http://host:8000/v1")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return fmt.Errorf("llmbench: target: URL is %q, want http:// or https:// and a host", redacted(address))
	}
	return nil
}

// header is what every request carries: the endpoint's own and its key, in a
// copy, as the caller's map stays the caller's.
func (e Endpoint) header(protocol wire.Protocol) (http.Header, error) {
	header := e.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if e.KeyFrom == "" {
		return header, nil
	}
	key := os.Getenv(e.KeyFrom)
	if key == "" {
		return nil, fmt.Errorf("llmbench: target: KeyFrom names %s, which is not set in the environment", e.KeyFrom)
	}
	protocol.Authorize(header, key)
	return header, nil
}

// redacted is an address for people: without user, password or query, as each
// can hold a key.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(unreadable URL)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
