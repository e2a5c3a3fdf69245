package pipenet

import (
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

// Buffer is how many bytes one direction holds before Write waits: what a
// socket of Linux starts with on loopback, in order of magnitude.
const Buffer = 256 << 10

// Conn is one end of a connection in memory. All methods are safe for
// concurrent use.
type Conn struct {
	in, out       *pipe
	local, remote net.Addr
}

// Pipe returns the two ends of a new connection.
func Pipe() (client, server *Conn) {
	up, down := newPipe(Buffer), newPipe(Buffer)
	client = &Conn{in: down, out: up, local: addr("client"), remote: addr("server")}
	server = &Conn{in: up, out: down, local: addr("server"), remote: addr("client")}
	return client, server
}

// Read waits for bytes. It returns io.EOF after the other side's Close,
// ECONNRESET after its Reset, net.ErrClosed after our own Close, and
// os.ErrDeadlineExceeded past the read deadline.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.in.read(b)
	return n, c.wrap("read", err)
}

// Write waits until all of b is in the buffer. It returns EPIPE when the other
// side is closed.
func (c *Conn) Write(b []byte) (int, error) {
	n, err := c.out.write(b)
	return n, c.wrap("write", err)
}

// TryWrite takes what fits of b and never waits; 0, nil means full.
func (c *Conn) TryWrite(b []byte) (int, error) {
	n, err := c.out.try(b)
	return n, c.wrap("write", err)
}

// SetWriteBuffer sets how many bytes may wait unread by the other side.
func (c *Conn) SetWriteBuffer(bytes int) error {
	c.out.setLimit(bytes)
	return nil
}

// Unread reports how many bytes we wrote that the other side has not read yet.
func (c *Conn) Unread() int { return c.out.unread() }

// Close ends both directions. What was written is still delivered.
func (c *Conn) Close() error { return c.shut(io.EOF) }

// Reset ends both directions as a TCP reset does: after what was delivered the
// other side reads ECONNRESET.
func (c *Conn) Reset() error { return c.shut(syscall.ECONNRESET) }

func (c *Conn) shut(end error) error {
	c.out.closeWrite(end)
	c.in.closeRead()
	return nil
}

// LocalAddr, RemoteAddr name the ends; there is nothing to dial in them.
func (c *Conn) LocalAddr() net.Addr  { return c.local }
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines; the zero time removes them.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline also wakes a Read that waits, as net.Conn demands.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.readBy.set(t)
	signal(c.in.readable)
	return nil
}

// SetWriteDeadline also wakes a Write that waits.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.writeBy.set(t)
	signal(c.out.writable)
	return nil
}

// wrap gives errors the shape callers of net.Conn look for. io.EOF stays bare.
func (c *Conn) wrap(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &net.OpError{Op: op, Net: "pipe", Source: c.local, Addr: c.remote, Err: err}
}

type addr string

func (a addr) Network() string { return "pipe" }
func (a addr) String() string  { return string(a) }
