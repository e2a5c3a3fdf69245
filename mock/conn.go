package mock

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
)

// maxBody bounds the body of a request: the longest prompts of a million tokens
// fit.
const maxBody = 64 << 20

// conn serves one connection, HTTP/1.1 with keep-alive. It is not net/http's
// server because a reply here is written by the loop and not by a goroutine of
// the connection's: that is what makes one timer enough for all streams, and
// what lets a fault cut the bytes wherever it likes. Its goroutine reads the
// next request, and notices by the same read that the client is gone.
type conn struct {
	server *Server
	net    net.Conn
	in     *bufio.Reader
	out    outlet

	http11 bool
	keep   bool // the connection lives on after the reply
	finish Kind // how the reply ended
}

// serve runs until either side closes.
func (c *conn) serve() {
	defer c.close()
	for {
		r, err := c.read()
		if err != nil {
			c.bad(err)
			return
		}
		s := c.server.handle(c, r)
		if s == nil {
			if !c.keep {
				return
			}
			continue
		}
		if !c.await(s) {
			return
		}
	}
}

// read reads one request with its body.
func (c *conn) read() (*Request, error) {
	hr, err := http.ReadRequest(c.in)
	if err != nil {
		return nil, err
	}
	if hr.Header.Get("Expect") == "100-continue" {
		c.out.send([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
	}
	body, err := readBody(hr)
	if err != nil {
		return nil, err
	}
	c.http11 = hr.ProtoAtLeast(1, 1)
	c.keep = c.http11 && !hr.Close && !c.server.draining.Load()
	return &Request{
		ID: hr.Header.Get("X-Request-Id"), Method: hr.Method, Path: hr.URL.Path,
		Header: hr.Header, Body: body, MaxTokens: -1,
	}, nil
}

// readBody reads a body of at most maxBody, and does not begin one that says it
// is longer.
func readBody(hr *http.Request) ([]byte, error) {
	tooLong := fmt.Errorf("the body is longer than %d bytes", maxBody)
	if hr.ContentLength > maxBody {
		return nil, tooLong
	}
	body, err := io.ReadAll(io.LimitReader(hr.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = tooLong
	}
	return body, err
}

// bad answers bytes that are no request; an end between two requests is
// none of that.
func (c *conn) bad(err error) {
	if _, gone := err.(net.Error); gone || err == io.EOF {
		return
	}
	c.keep = false
	c.answer(http.StatusBadRequest, "text/plain; charset=utf-8", []byte("mock: "+err.Error()+"\n"))
}

// await waits for the end of the reply, or for the client to leave before it.
// It reports whether the connection can be used again. The byte it waits for is
// the first of the next request.
func (c *conn) await(s *stream) bool {
	if _, err := c.in.Peek(1); err != nil {
		c.server.loop.leave(s, c.server.ordered)
		return false
	}
	select {
	case <-s.done:
		return c.keep
	case <-c.server.loop.quit:
		return false
	}
}

// refuse answers with the error object of OpenAI's API.
func (c *conn) refuse(status int, message string) {
	c.answer(status, jsonType, openaiError(nil, status, message))
}

// answer sends a whole reply from the connection's own goroutine, for all that
// has no timeline.
func (c *conn) answer(status int, kind string, body []byte) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %s\r\n",
		status, http.StatusText(status), kind, strconv.Itoa(len(body)))
	if !c.keep {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n")
	b.Write(body)
	c.out.send(b.Bytes())
}

// close ends the connection; from then on nothing is tried on it.
func (c *conn) close() { c.out.closing(func() { c.net.Close() }) }

// reset ends the connection so that the client's next read is an error.
func (c *conn) reset() {
	c.out.closing(func() {
		switch n := c.net.(type) {
		case interface{ Reset() error }:
			n.Reset()
		case *net.TCPConn:
			n.SetLinger(0)
			n.Close()
		default:
			n.Close()
		}
	})
}

// setWindow bounds what the client may leave unread, for the rest of the
// connection.
func (c *conn) setWindow(bytes int) {
	if n, ok := c.net.(interface{ SetWriteBuffer(int) error }); ok {
		n.SetWriteBuffer(bytes)
	}
}
