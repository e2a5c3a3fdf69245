package http1

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"
)

// Options say how a client makes its connections.
type Options struct {
	PerHost    int           // the most connections to one host, 0 for no bound; a request beyond it waits
	UnixSocket string        // path of a socket that all connections go to; empty: TCP
	Idle       time.Duration // an idle connection that is older is not used again; 0: any is
	Dialer     *net.Dialer   // for all that is not near: a socket, a name, or an address beyond loopback
}

// A Client sends requests and reads their replies. It may be used by many
// goroutines at once. The zero value is not usable, see New.
type Client struct {
	options Options
	pool    pool
	pollers []*poller
}

// New returns nil on a system that has no poller here.
func New(o Options) *Client {
	if o.Dialer == nil {
		o.Dialer = new(net.Dialer)
	}
	pollers := newPollers()
	if pollers == nil {
		return nil
	}
	return &Client{options: o, pool: pool{perHost: o.PerHost, idle: o.Idle}, pollers: pollers}
}

// Takes reports whether Send can reach u: over plain HTTP, without a proxy, a
// name and password, or a host name that wants encoding.
func (c *Client) Takes(u *url.URL) bool {
	if c == nil || u.Scheme != "http" || u.User != nil || u.Host == "" || !ascii(u.Host) {
		return false
	}
	if c.options.UnixSocket != "" {
		return true
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u})
	return proxy == nil && err == nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Send sends the request and gives what comes back to the sink. It returns when
// the reply has ended: nil at the end that its framing says, io.EOF where the
// connection ended before a byte of it, io.ErrUnexpectedEOF where it ended within
// it, the sink's error, the context's, or the connection's. It calls the hooks of
// the context's httptrace that net/http would, but those for a pool's put, a
// 100-continue and TLS; GotConnInfo.Conn is nil.
func (c *Client) Send(request *http.Request, sink Sink) error {
	var whole bytes.Buffer
	if err := request.Write(&whole); err != nil {
		return err
	}
	x := &exchange{request: request, sink: sink, trace: hooks(request.Context()), done: make(chan error, 1)}
	conn, err := c.connect(x)
	if err != nil {
		return err
	}
	err = c.exchange(conn, x, whole.Bytes())
	if err == nil && x.reusable() {
		c.pool.put(conn)
		return nil
	}
	conn.close()
	return err
}

// hooks are those of the context, none for nil.
func hooks(ctx context.Context) *httptrace.ClientTrace {
	if trace := httptrace.ContextClientTrace(ctx); trace != nil {
		return trace
	}
	return new(httptrace.ClientTrace)
}

// exchange writes the request and waits for the reply. Where writing fails the
// server may have said why before it closed: what it said is given a moment.
func (c *Client) exchange(conn *conn, x *exchange, whole []byte) error {
	defer conn.leave()
	ctx := x.request.Context()
	err := conn.write(ctx, x, whole)
	if x.trace.WroteRequest != nil {
		x.trace.WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
	var giveUp <-chan time.Time
	if err != nil && err != errAnswered && ctx.Err() == nil {
		giveUp = time.After(lastWords)
	}
	select {
	case ended := <-x.done:
		x.enough = x.enough || err != nil // half a request is on the connection
		if ended != nil && err != nil && err != errAnswered {
			return err
		}
		return ended
	case <-giveUp:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lastWords is how long a server that closed its end while the request was being
// written may take to be heard. net/http waits as long.
const lastWords = 50 * time.Millisecond

// connect puts the exchange on a connection, an idle one if there is.
func (c *Client) connect(x *exchange) (*conn, error) {
	network, address := "tcp", address(x.request.URL)
	if c.options.UnixSocket != "" {
		network, address = "unix", c.options.UnixSocket
	}
	ctx, host := x.request.Context(), c.pool.host(address)
	if x.trace.GetConn != nil {
		x.trace.GetConn(address)
	}
	for {
		conn, err := host.take(ctx)
		if err != nil {
			return nil, err
		}
		reused := conn != nil
		if !reused {
			if conn, err = c.dial(x, network, address); err != nil {
				host.freed()
				return nil, err
			}
			conn.host = host
		}
		if !conn.begin(x) { // the server closed it a moment ago
			continue
		}
		if x.trace.GotConn != nil {
			x.trace.GotConn(httptrace.GotConnInfo{Reused: reused, WasIdle: reused, IdleTime: conn.idle()})
		}
		if !reused {
			err = conn.socket.watch(conn)
		}
		if err != nil {
			conn.leave()
			conn.close()
			return nil, err
		}
		return conn, nil
	}
}

// dial makes a connection that the poller with the fewest will read.
func (c *Client) dial(x *exchange, network, address string) (*conn, error) {
	socket, err := c.open(x, network, address)
	if err != nil {
		return nil, err
	}
	socket.poller = c.poller()
	return &conn{socket: socket}, nil
}

// open lets package net find the way where it is not near, with its look-ups, its
// race of addresses and its hooks, and then takes the socket out of the runtime's
// poller.
func (c *Client) open(x *exchange, network, address string) (socket, error) {
	ctx := x.request.Context()
	if s, ok := near(ctx, network, address, x.trace); ok {
		return s, nil
	}
	dialled, err := c.options.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return socket{}, err
	}
	defer dialled.Close()
	return taken(dialled)
}

// poller is the one with the fewest connections.
func (c *Client) poller() *poller {
	best := c.pollers[0]
	for _, p := range c.pollers[1:] {
		if p.size() < best.size() {
			best = p
		}
	}
	return best
}

// address is what to dial for a URL.
func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// CloseIdle closes the connections that no request is on. Without any the client
// holds no goroutine and no descriptor.
func (c *Client) CloseIdle() {
	if c != nil {
		c.pool.closeIdle()
	}
}
