package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// exchange is one call under way. What each event needs is in here, and first:
// where thousands of streams take turns it is out of the processor's caches each
// time, and every other page that it lies on costs half a microsecond.
type exchange struct {
	reply    *Reply // said
	in       intake
	shape    shape
	raw      *counter      // under a decompressor
	idle     *time.Timer   // nil: no limit
	capture  *Capture      // nil: none is wanted
	captured int           // bytes in it
	last     time.Duration // when the last byte was read
	eof      time.Duration // when the body's end was seen
	drained  int           // bytes read after the last event
	cut      bool          // the body ended inside an event
	direct   direct        // where a poller reads
	call     Call
	fold     fold
	event    event
	said     Reply

	req     Request
	parent  context.Context
	ctx     context.Context
	cancel  context.CancelCauseFunc
	trace   tracer
	secrets redactor
	rest    [1024]byte // where the bytes after the last event go
}

// Reasons for which an exchange ends its own context.
var (
	errIdle    = errors.New("no byte within the idle timeout")
	errDrained = errors.New("the reply was over, the connection was not")
)

func newExchange(ctx context.Context, c Call, req Request) *exchange {
	if c.Protocol == nil {
		c.Protocol = OpenAIChat()
	}
	if c.Now == nil {
		start := time.Now()
		c.Now = func() time.Duration { return time.Since(start) }
	}
	x := &exchange{call: c, req: req, parent: ctx, secrets: newRedactor(c.Header, c.URL)}
	x.reply = &x.said
	if req.Stream && req.MaxTokens > 0 {
		// Growing by doubling would leave up to half of it empty, in every stream.
		x.reply.Chunks = make([]Chunk, 0, min(req.MaxTokens+4, 1024))
	}
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	x.trace.now = c.Now
	x.fold = fold{reply: x.reply, keep: c.KeepText, n: req.N}
	return x
}

// close gives back what the exchange holds. The capture comes before the
// context is cancelled, for it asks whether that was our doing.
func (x *exchange) close() {
	if x.idle != nil {
		x.idle.Stop()
	}
	x.cancel(nil)
	if x.in != nil {
		put(x.in)
	}
	x.fold.close()
	x.trace.finish(x.reply)
	x.finishCapture()
}

// run sends and receives. The send instant is taken after the body is built
// and before the transport gets it, so that neither our encoding nor a wait
// for a free slot is the server's time, and a slow connection is.
func (x *exchange) run() {
	r := x.reply
	x.stamp(x.call.Now()) // should the request never leave
	r.Sent = x.last
	body, err := x.call.Protocol.Encode(x.req)
	if err != nil {
		x.fail(OutcomeError, x.unsendable(err))
		return
	}
	request, err := x.call.request(x.ctx, x.stream(), body, x.trace.hooks())
	if err != nil {
		x.fail(OutcomeError, x.unsendable(err))
		return
	}
	r.BytesOut = int64(len(body))
	client, direct := x.call.client(), x.call.takenDirectly(request)
	r.Sent = x.call.Now()
	x.stamp(r.Sent)
	x.startCapture(request, body)
	if direct {
		x.runDirect(request)
		return
	}
	response, err := client.Do(request)
	for err != nil && x.ctx.Err() == nil && x.trace.onKept() && brokenConnection(err) {
		response, err = client.Do(again(request))
	}
	at := x.call.Now()
	if err != nil {
		x.stamp(at)
		x.captureEnding(err)
		x.failed(err)
		return
	}
	defer response.Body.Close()
	x.begin(response, at)
	plain, err := x.body(response)
	if err == nil {
		err = x.read(plain)
	}
	x.finish(response, err)
}

// brokenConnection reports an error of the connection itself. On a kept one that
// gave no byte of a reply it says that the server had closed it: llama.cpp
// promises Keep-Alive and closes after each stream. net/http goes on to another
// connection by itself in most cases, see Call.request; a request larger than its
// buffer it has begun to write by then, and gives up.
func brokenConnection(err error) bool {
	return errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}

// again is the request with its body from the start. Each failed attempt took a
// kept connection away, so there is an end to them.
func again(request *http.Request) *http.Request {
	next := request.Clone(request.Context())
	next.Body, _ = request.GetBody() // of bytes in memory, it cannot fail
	return next
}

// stream reports whether a stream was asked for, and can be.
func (x *exchange) stream() bool { return x.req.Stream && x.call.Protocol.framing() != framingWhole }

// stamp moves the end along with the last byte: wherever the exchange stops,
// End is right without another look at the clock.
func (x *exchange) stamp(at time.Duration) { x.last, x.reply.End = at, at }

// begin takes the response's head.
func (x *exchange) begin(response *http.Response, at time.Duration) {
	x.stamp(at)
	x.reply.Headers = Some(at)
	x.reply.Status = response.StatusCode
	x.captureHead(response)
	x.readHeader(response.Header)
	x.watch()
	x.shape = declaredShape(response.Header.Get("Content-Type"), x.stream())
	if response.StatusCode/100 != 2 {
		x.shape = shapePage
	}
	x.in = newIntake(x.shape, x.call.MaxLine)
}

// finish settles the outcome of a reply whose body was read, whatever the status.
func (x *exchange) finish(response *http.Response, err error) {
	x.captureEnding(err)
	x.reply.Streamed = x.streamed(response)
	if response.StatusCode/100 != 2 {
		x.refused(response, err)
		return
	}
	x.conclude(err, response.Header.Get("Content-Type"))
}

// conclude settles a 2xx whose body has ended: with err nil well, else badly,
// unless the reply was over by then.
func (x *exchange) conclude(err error, contentType string) {
	if err != nil && !x.reply.DoneSeen {
		x.end()
		x.failed(err)
		return
	}
	x.settle(contentType)
}

// readHeader takes what some servers measure and put beside the reply; it is no
// event.
func (x *exchange) readHeader(h http.Header) {
	p, ok := x.call.Protocol.(headerReader)
	if !ok {
		return
	}
	x.event.reset()
	p.readHeader(h, &x.event)
	if x.event.reported {
		x.fold.report(x.event.usage)
	}
	if x.event.timed {
		x.fold.time(x.event.timings)
	}
}

// streamed reports whether the reply came in events. A proxy's application/json
// with one line in it did not.
func (x *exchange) streamed(response *http.Response) bool {
	if x.shape == shapeNDJSON && len(x.reply.Chunks) == 1 {
		return declaredShape(response.Header.Get("Content-Type"), false) != shapeJSON
	}
	return x.shape == shapeSSE || x.shape == shapeNDJSON
}

// read is the loop that everything else serves: read, stamp, and only then
// look.
func (x *exchange) read(body io.Reader) error {
	for {
		space, err := x.space()
		if err != nil {
			return errTooLong
		}
		n, err := body.Read(space)
		at := x.call.Now()
		if n > 0 {
			if err := x.got(space[:n], at); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			x.ended(at)
			return nil
		case err != nil:
			return err
		case x.enough():
			return nil
		}
	}
}

// ended is the body's end.
func (x *exchange) ended(at time.Duration) {
	x.eof = at
	x.end()
}

// space is where the next Read goes. What follows the last event is not kept: a
// server that goes on for ever costs no memory.
func (x *exchange) space() ([]byte, error) {
	if x.reply.DoneSeen {
		return x.rest[:], nil
	}
	return x.in.Space()
}

// got takes the bytes of one Read.
func (x *exchange) got(p []byte, at time.Duration) error {
	if x.after(p, at) {
		return nil
	}
	if err := x.take(p); err != nil {
		return err
	}
	x.events(at)
	return nil
}

// after notes a Read, and reports whether it came after the last event.
func (x *exchange) after(p []byte, at time.Duration) bool {
	r := x.reply
	r.Reads++
	r.BytesIn += int64(len(p))
	if x.raw != nil {
		r.BytesIn = x.raw.n
	}
	if !r.FirstByte.Known {
		r.FirstByte = Some(at)
	}
	x.stamp(at)
	x.captureRead(p, at)
	if r.DoneSeen {
		x.drained += len(p)
		return true
	}
	if x.idle != nil {
		x.idle.Reset(x.call.IdleTimeout)
	}
	return false
}

// events takes what one Read completed.
func (x *exchange) events(at time.Duration) {
	r := x.reply
	before := len(r.Chunks)
	for f, ok := x.in.next(); ok; f, ok = x.in.next() {
		x.see(f, at)
	}
	if generated(r.Chunks[before:]) > 1 {
		r.CoalescedReads++
	}
}

// take gives the bytes to the intake; the first ones may decide which intake
// that is.
func (x *exchange) take(p []byte) error {
	if _, unknown := x.in.(*probe); !unknown {
		x.in.Filled(len(p))
		return nil
	}
	x.shape = seenShape(p, x.stream(), x.call.Protocol.framing())
	if x.shape == shapeUnknown {
		return nil
	}
	x.in = newIntake(x.shape, x.call.MaxLine)
	for len(p) > 0 {
		space, err := x.in.Space()
		if err != nil {
			return errTooLong
		}
		n := copy(space, p)
		x.in.Filled(n)
		p = p[n:]
	}
	return nil
}

var doneMark = []byte("[DONE]")

// see decodes one event and folds it into the reply.
func (x *exchange) see(f frame, at time.Duration) {
	r := x.reply
	data := bytes.TrimSpace(f.data)
	switch {
	case r.DoneSeen || len(data) == 0:
		r.Ignored++
		return
	case bytes.Equal(data, doneMark):
		x.done()
		return
	case x.shape == shapePage:
		return
	}
	x.event.reset()
	if err := x.call.Protocol.decode(f.name, f.data, &x.event); err != nil {
		x.malformed(f, data, err)
		return
	}
	silent := !x.fold.output
	x.fold.add(at, &x.event)
	if silent && x.fold.output && x.call.OnContent != nil {
		x.call.OnContent()
	}
	if x.event.done {
		x.done()
	}
}

// malformed counts what could not be decoded and keeps the first of it, for
// diagnosis. The stream is read on: later chunks have instants too, and the
// connection stays usable.
func (x *exchange) malformed(f frame, data []byte, err error) {
	r := x.reply
	if f.tail {
		x.cut = true
	}
	r.Malformed++
	if r.MalformedText == "" {
		r.MalformedText = printable(x.secrets.text(string(data[:min(len(data), 2*textBound)])), textBound)
	}
}

// end takes what the body left unfinished. Its instant is that of the Read that
// brought its last byte.
func (x *exchange) end() {
	if f, ok := x.in.end(); ok && !x.reply.DoneSeen {
		x.see(f, x.last)
	}
}

// watch starts the idle clock.
func (x *exchange) watch() {
	if x.call.IdleTimeout > 0 {
		x.idle = time.AfterFunc(x.call.IdleTimeout, func() { x.cancel(errIdle) })
	}
}

// done marks the reply as over; what is left is to reach the end of the body,
// so that the connection can be used again.
func (x *exchange) done() {
	x.reply.DoneSeen = true
	if x.idle != nil {
		x.idle.Stop()
	}
	x.idle = time.AfterFunc(drainTime, func() { x.cancel(errDrained) })
}

// enough reports whether reading on has no use.
func (x *exchange) enough() bool {
	if x.shape == shapePage && x.reply.BytesIn >= pageBytes {
		return true
	}
	return x.reply.DoneSeen && x.drained > drainBytes
}

// abortedBy are the finish reasons that are failures: an engine that gives a
// request up says abort (vLLM ends such a stream with [DONE] like a good one,
// vllm-project/vllm#57082; SGLang says it too), vLLM, OpenRouter and gateways
// like it say error. All other reasons, content filters and refusals among
// them, end an answer.
var abortedBy = map[string]bool{"abort": true, "error": true}

// settle gives a reply whose body ended well its outcome.
func (x *exchange) settle(contentType string) {
	r := x.reply
	switch {
	case x.shape == shapePage:
		x.fail(OutcomeError, x.notAReply(contentType))
	case x.fold.failed != nil:
		x.serverFailed(*x.fold.failed)
	case x.cut:
		x.fail(OutcomeIncomplete, x.cutText())
	case r.Malformed > 0:
		x.fail(OutcomeError, x.malformedText())
	case !x.fold.finished && !r.DoneSeen:
		x.fail(OutcomeIncomplete, x.incompleteText())
		r.End = x.eof
	case abortedBy[r.FinishReason]:
		x.fail(OutcomeError, x.abortedText())
	case !x.fold.output:
		x.fail(OutcomeEmpty, x.emptyText())
	case x.shape == shapeSSE && !r.DoneSeen:
		r.Note = "finished without " + string(doneMark)
	}
}
