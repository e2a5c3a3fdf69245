package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"

	"github.com/llmbench/go/llmbench/internal/http1"
)

// NewTransport is TransportOptions{PerHost: perHost}.New().
func NewTransport(perHost int) *http.Transport { return TransportOptions{PerHost: perHost}.New() }

// TransportOptions says how connections to a server are made. The zero value is
// plain HTTP/1.1, one connection per request in flight.
type TransportOptions struct {
	// PerHost is the most requests that are in flight to one host at once. That
	// many idle connections are kept (net/http's own default is 2, and then
	// connections are closed and opened all the time), and over HTTP/1.1 no more
	// are opened: net/http else dials again for whoever comes while a dial for
	// another is under way, so that k users had a few more than k connections. A
	// request beyond PerHost waits. 0 means no bound, with 1024 kept.
	PerHost int
	// HTTP2 speaks HTTP/2: over TLS where the server agrees, over plain
	// connections with prior knowledge (h2c). All requests then share few
	// connections, and one lost packet delays them all: it measures another
	// thing.
	HTTP2 bool
	// RootCAs are the authorities that sign the server's certificate. Nil means
	// the machine's own.
	RootCAs *x509.CertPool
	// UnixSocket is the path of a socket that all connections go to, whatever
	// the URL's host. Empty means TCP.
	UnixSocket string
}

// Time limits that cut no live stream: they end before the first byte of a
// reply, or begin after its last.
const (
	dialTimeout      = 30 * time.Second
	handshakeTimeout = 30 * time.Second
	// idleTimeout is below the 5 s after which uvicorn, and so vLLM and most
	// Python servers, close an idle connection. A request that is written just
	// as they do fails, and it is our connection that was too old, not their
	// server.
	idleTimeout = 4 * time.Second
)

// New makes the transport. It offers no compression, since a compressed stream
// arrives when the compressor likes; it uses the proxy of the environment but
// never for loopback; it has no limit on the time that a reply takes. The
// caller closes its idle connections.
func (o TransportOptions) New() *http.Transport {
	dialer := newDialer()
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // leaves out localhost, 127.0.0.0/8 and ::1 by itself
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: handshakeTimeout,
		DisableCompression:  true,
		MaxIdleConnsPerHost: o.PerHost,
		IdleConnTimeout:     idleTimeout,
		// Once per stream: 16 KiB each made half of what a stream costs in memory.
		// A larger body read goes past them.
		ReadBufferSize:  2 << 10,
		WriteBufferSize: 1 << 10,
		Protocols:       new(http.Protocols),
	}
	if o.PerHost <= 0 {
		t.MaxIdleConnsPerHost = 1024
	}
	if o.HTTP2 {
		t.Protocols.SetHTTP2(true)
		t.Protocols.SetUnencryptedHTTP2(true)
	} else {
		t.Protocols.SetHTTP1(true)
		t.MaxConnsPerHost = max(0, o.PerHost)
	}
	if o.RootCAs != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: o.RootCAs}
	}
	if o.UnixSocket != "" {
		t.Proxy = nil
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", o.UnixSocket)
		}
	}
	return t
}

func newDialer() *net.Dialer {
	return &net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}
}

// Direct makes the client for what needs no more than plain HTTP/1.1, see package
// http1; nil where these options need more, or the system has none.
func (o TransportOptions) Direct() *http1.Client {
	if o.HTTP2 {
		return nil
	}
	return http1.New(http1.Options{
		PerHost: o.PerHost, UnixSocket: o.UnixSocket, Idle: idleTimeout, Dialer: newDialer(),
	})
}
