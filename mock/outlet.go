package mock

import (
	"net"
	"sync"
)

// outlet writes to a connection without ever making the loop wait: what the
// connection does not take at once is written by a goroutine of its own, in
// order, as the client reads.
type outlet struct {
	net.Conn
	try func(b []byte) (int, error) // takes what fits
	run func(func())                // starts a goroutine that Close waits for

	mu   sync.Mutex
	rest []byte // did not fit yet
	busy bool   // a goroutine writes rest
	last func() // what to do once rest is written
	idle func() // and before that, for the stream that waits
	err  error
}

// send hands b over; b may be reused afterwards. Errors are the reader's
// business: whoever watches the connection sees it end.
func (o *outlet) send(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	if !o.busy {
		n := 0
		n, o.err = o.try(b)
		b = b[n:]
	}
	if len(b) == 0 || o.err != nil {
		return
	}
	o.rest = append(o.rest, b...)
	if !o.busy {
		o.busy = true
		o.run(o.drain)
	}
}

// drain writes rest until nothing is left of it.
func (o *outlet) drain() {
	for {
		o.mu.Lock()
		b := o.rest
		o.rest = nil
		if len(b) == 0 || o.err != nil {
			o.busy = false
			last, idle := o.last, o.idle
			o.idle = nil
			o.mu.Unlock()
			if idle != nil {
				idle()
			}
			if last != nil {
				last()
			}
			return
		}
		o.mu.Unlock()
		_, err := o.Write(b)
		o.mu.Lock()
		o.err = err
		o.mu.Unlock()
	}
}

// whenIdle reports whether something waits to be written, and if so has f called
// once it is.
func (o *outlet) whenIdle(f func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy {
		o.idle = f
	}
	return o.busy
}

// shut calls f after everything that was sent has been written.
func (o *outlet) shut(f func()) {
	o.mu.Lock()
	if o.busy {
		o.last = f
		o.mu.Unlock()
		return
	}
	o.mu.Unlock()
	f()
}

// closing closes the connection by f, once nothing is being tried on it.
func (o *outlet) closing(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = net.ErrClosed
	f()
}

// neverFits is the try of a connection that has none: every write is made by
// the outlet's goroutine.
func neverFits([]byte) (int, error) { return 0, nil }
