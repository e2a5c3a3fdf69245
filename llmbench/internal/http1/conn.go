package http1

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// maxHead bounds a reply's status line and headers; net/http's own is ten times
// that.
const maxHead = 1 << 20

var errHead = fmt.Errorf("the reply's headers are longer than %d bytes", maxHead)

// conn is one connection: idle in its pool, or with one exchange on it.
type conn struct {
	mu     sync.Mutex // the poller reads, Send begins and leaves
	closed bool
	x      *exchange // nil: idle
	socket socket

	host  *host
	since time.Time // idle since then; the pool's
}

// exchange is a request under way and what has come of its reply.
type exchange struct {
	request  *http.Request
	trace    *httptrace.ClientTrace
	sink     Sink
	seen     bool   // a byte of the reply came
	head     []byte // what came of it before it was complete
	response *http.Response
	body     framing
	rest     bool // bytes came after the end
	enough   bool
	done     chan error // holds one
}

// begin puts an exchange on the connection; false where it was closed meanwhile.
func (c *conn) begin(x *exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.x = x
	return true
}

// leave takes the exchange off: its sink is not called any more.
func (c *conn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x = nil
}

// close may be called more than once. Whoever closes tells the host: of the
// poller and a Send that come to it at once only one does.
func (c *conn) close() {
	c.mu.Lock()
	did := c.shut()
	c.mu.Unlock()
	if did {
		c.host.freed()
	}
}

func (c *conn) shut() bool {
	if c.closed {
		return false
	}
	c.closed = true
	c.socket.close()
	return true
}

// ready is called by the poller when there is something to read.
func (c *conn) ready(space []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	n, err := c.socket.read(space)
	switch {
	case err == errAgain:
	case c.x == nil: // the server closes an idle connection, or speaks unasked
		c.shut()
		c.host.forget(c)
		c.host.freed()
	case err != nil:
		c.finish(c.x.ended(err))
	default:
		if over, err := c.x.take(space[:n]); over || err != nil {
			c.finish(err)
		}
	}
}

// finish tells Send; later bytes find the exchange over and close the connection.
func (c *conn) finish(err error) {
	x := c.x
	c.x = nil
	x.done <- err
}

// ended is what an exchange comes to when its connection ends with err.
func (x *exchange) ended(err error) error {
	if err != io.EOF {
		return err
	}
	if x.response == nil {
		if x.seen {
			return io.ErrUnexpectedEOF
		}
		return io.EOF
	}
	if err := x.body.closed(); err != nil {
		return err
	}
	x.sink.End()
	return nil
}

// take takes what one read brought; over says that the reply has ended.
func (x *exchange) take(p []byte) (over bool, err error) {
	if !x.seen {
		x.seen = true
		if x.trace.GotFirstResponseByte != nil {
			x.trace.GotFirstResponseByte()
		}
	}
	if x.response == nil {
		if p, err = x.readHead(p); err != nil || x.response == nil {
			return false, err
		}
	}
	return x.readBody(p)
}

func (x *exchange) readBody(p []byte) (over bool, err error) {
	body, rest, bad := x.body.take(p)
	if len(body) > 0 {
		if err := x.sink.Body(body); err != nil {
			if x.enough = errors.Is(err, Enough); x.enough {
				return true, nil
			}
			return true, err
		}
	}
	if bad != nil || !x.body.over() {
		return false, bad
	}
	x.rest = len(rest) > 0
	x.sink.End()
	return true, nil
}

var statusLine = []byte("HTTP/")

// readHead takes p until the head is complete, and returns what of it follows
// the head. Interim replies are passed over.
func (x *exchange) readHead(p []byte) (rest []byte, err error) {
	from := max(0, len(x.head)-3)
	x.head = append(x.head, p...)
	for ; ; from = 0 {
		if n := min(len(x.head), len(statusLine)); !bytes.Equal(x.head[:n], statusLine[:n]) {
			line, _, _ := bytes.Cut(x.head, []byte{'\n'})
			return nil, fmt.Errorf("malformed HTTP response %q", line[:min(len(line), 80)])
		}
		end := headEnd(x.head, from)
		if end < 0 {
			if len(x.head) > maxHead {
				return nil, errHead
			}
			return nil, nil
		}
		head := x.head[:end]
		response, err := http.ReadResponse(bufio.NewReaderSize(bytes.NewReader(head), len(head)), x.request)
		if err != nil {
			return nil, err
		}
		x.head = x.head[end:]
		if code := response.StatusCode; code < 200 && code != http.StatusSwitchingProtocols {
			continue
		}
		rest, x.head = x.head, nil
		response.Body = http.NoBody
		x.response, x.body = response, framingOf(response)
		return rest, x.sink.Head(response)
	}
}

// headEnd is where a head ends that an empty line closes; below 0 while it does
// not. Before from no line end is followed by another.
func headEnd(b []byte, from int) int {
	for i := from; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1
		}
		i += n + 1
		switch next := b[i:]; {
		case bytes.HasPrefix(next, []byte("\n")):
			return i + 1
		case bytes.HasPrefix(next, []byte("\r\n")):
			return i + 2
		}
	}
}

// reusable reports whether the connection is as a new one after an exchange that
// ended well.
func (x *exchange) reusable() bool {
	return x.response != nil && !x.response.Close && !x.rest && !x.enough && x.body.over()
}

// write sends all of p, and waits where the socket's buffer is full.
func (c *conn) write(ctx context.Context, x *exchange, p []byte) error {
	for {
		n, err := c.some(p)
		if err != nil && err != errAgain {
			return err
		}
		if p = p[n:]; len(p) == 0 {
			return nil
		}
		select {
		case <-c.socket.writable():
		case err := <-x.done: // an answer before the request was read
			x.done <- err
			return errAnswered
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// some writes what the socket takes at once. The lock keeps the socket from being
// closed meanwhile, when its number may be another's.
func (c *conn) some(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	return c.socket.write(p)
}

var errAnswered = errors.New("answered before the request was read")
