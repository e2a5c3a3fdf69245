package wire

import (
	"net/http"
	"time"

	"github.com/llmbench/go/llmbench/internal/http1"
)

// direct is an exchange over a connection that a poller reads. The poller calls
// it as bytes come, and Client.Send returns when the last call has.
type direct struct {
	*exchange
	response *http.Response
	unpack   *unpacking // nil: not compressed
}

// takenDirectly reports whether the call has a poller's client that can do this
// request.
func (c *Call) takenDirectly(request *http.Request) bool {
	return c.Direct != nil && c.Direct.Takes(request.URL)
}

// runDirect is what run does by net/http.
func (x *exchange) runDirect(request *http.Request) {
	d := &x.direct
	d.exchange = x
	err := x.call.Direct.Send(request, d)
	for err != nil && x.ctx.Err() == nil && x.trace.onKept() && brokenConnection(err) {
		err = x.call.Direct.Send(again(request), d)
	}
	if d.response == nil {
		x.stamp(x.call.Now())
		x.captureEnding(err)
		x.failed(err)
		return
	}
	if d.unpack != nil {
		err = d.unpack.finish(err)
	}
	x.finish(d.response, err)
}

func (d *direct) Head(response *http.Response) error {
	at := d.call.Now()
	d.response = response
	d.begin(response, at)
	encoding := compression(response)
	if encoding == "gzip" {
		d.unpack = newUnpacking(d.exchange)
		return nil
	}
	return unknownCompression(encoding)
}

func (d *direct) Body(p []byte) error {
	if d.unpack != nil {
		return d.unpack.take(p)
	}
	return d.feed(p, d.call.Now())
}

func (d *direct) End() {
	if d.unpack == nil {
		d.ended(d.call.Now())
	}
}

// borrower is an intake that can do without a copy of what was read. Most reads
// bring whole events, and the memory of a stream's own buffer is out of the
// processor's cache whenever one comes.
type borrower interface {
	Borrow(p []byte) bool
	Return()
}

// feed takes the bytes of one read of another's.
func (x *exchange) feed(p []byte, at time.Duration) error {
	if in, ok := x.in.(borrower); ok && !x.reply.DoneSeen && in.Borrow(p) {
		x.after(p, at)
		x.events(at)
		in.Return()
		return nil
	}
	for len(p) > 0 {
		space, err := x.space()
		if err != nil {
			return errTooLong
		}
		n := copy(space, p)
		if err := x.got(space[:n], at); err != nil {
			return err
		}
		if x.enough() {
			return http1.Enough
		}
		p = p[n:]
	}
	return nil
}
