package wire

import (
	"crypto/tls"
	"fmt"
	"net/http/httptrace"
	"sync"
	"time"
)

// Trace is where the time of one exchange went, from net/http/httptrace. What a
// reused connection or a custom dialer did not do is unknown, not zero.
type Trace struct {
	DNS, Connect, TLS   Opt[time.Duration]
	Send, Wait, Receive Opt[time.Duration] // request written; to the first byte of the reply; from it to End
	Reused              Opt[bool]
}

// tracer collects hooks. They come from the transport's goroutines, some after
// the exchange is over (a dial that lost the race against a connection that
// became idle), so each takes the lock for one assignment.
type tracer struct {
	now func() time.Duration

	mu                      sync.Mutex
	dns, connect, tls, conn Opt[time.Duration] // when each began; conn: when there was a connection
	wrote, firstByte        Opt[time.Duration]
	trace                   Trace
	attempts                int
}

// hooks are made per request. WroteRequest and GotFirstResponseByte can swap
// places where a server answers before it has read all; Wait is then unknown.
func (t *tracer) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart:             func(httptrace.DNSStartInfo) { t.begin(&t.dns) },
		DNSDone:              func(httptrace.DNSDoneInfo) { t.done(&t.trace.DNS, &t.dns) },
		ConnectStart:         func(_, _ string) { t.begin(&t.connect) },
		ConnectDone:          func(_, _ string, err error) { t.succeeded(err, &t.trace.Connect, &t.connect) },
		TLSHandshakeStart:    func() { t.begin(&t.tls) },
		TLSHandshakeDone:     func(_ tls.ConnectionState, err error) { t.succeeded(err, &t.trace.TLS, &t.tls) },
		GotConn:              t.gotConn,
		WroteRequest:         func(httptrace.WroteRequestInfo) { t.done(&t.trace.Send, &t.conn); t.stamp(&t.wrote) },
		GotFirstResponseByte: func() { t.done(&t.trace.Wait, &t.wrote); t.stamp(&t.firstByte) },
	}
}

// begin keeps the first start: two addresses of one host may be dialled at
// once.
func (t *tracer) begin(at *Opt[time.Duration]) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !at.Known {
		*at = Some(now)
	}
}

func (t *tracer) stamp(at *Opt[time.Duration]) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	*at = Some(now)
}

// succeeded is done for a step that can fail: of two addresses that are
// dialled at once the loser ends last, with an error, and took no time that the
// request waited for.
func (t *tracer) succeeded(err error, span, since *Opt[time.Duration]) {
	if err == nil {
		t.done(span, since)
	}
}

// done sets a span whose start was seen.
func (t *tracer) done(span, since *Opt[time.Duration]) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if since.Known {
		*span = Some(now - since.V)
	}
}

// onKept reports whether the request went to a connection that had served
// another before, and no byte of a reply came.
func (t *tracer) onKept() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trace.Reused.V && !t.firstByte.Known
}

// gotConn is called once per attempt; the last connection is the one that the
// reply came on.
func (t *tracer) gotConn(info httptrace.GotConnInfo) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conn = Some(now)
	t.trace.Reused = Some(info.Reused)
	t.attempts++
}

// finish copies what was seen into the reply. A span of a dial that this
// request did not use in the end is left out.
func (t *tracer) finish(r *Reply) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Trace, r.Attempts = t.trace, t.attempts
	if t.attempts > 1 && r.Note == "" {
		r.Note = fmt.Sprintf("sent on %d connections: a kept one had been closed", t.attempts)
	}
	if t.trace.Reused.V {
		r.Trace.DNS, r.Trace.Connect, r.Trace.TLS = Opt[time.Duration]{}, Opt[time.Duration]{}, Opt[time.Duration]{}
	}
	if t.firstByte.Known && r.End >= t.firstByte.V {
		r.Trace.Receive = Some(r.End - t.firstByte.V)
	}
}
