package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// errTooLong ends the reading of a body whose event outgrew MaxLine.
var errTooLong = errors.New("event longer than MaxLine")

// fail settles a reply that is not ok.
func (x *exchange) fail(o Outcome, text string) {
	x.reply.Outcome, x.reply.Err = o, printable(x.secrets.text(text), textBound)
}

// failed settles a reply that a transport failure or the context ended. What
// had come by then is kept.
func (x *exchange) failed(err error) {
	r := x.reply
	r.End = max(r.End, x.call.Now())
	if x.fold.failed != nil {
		x.serverFailed(*x.fold.failed)
		return
	}
	if o, text, ended := x.endedByContext(); ended {
		x.fail(o, text)
		return
	}
	err = bare(err)
	if text := generatorFault(err); text != "" {
		r.Generator = true
		x.fail(OutcomeError, text)
		return
	}
	if timed, ok := errors.AsType[net.Error](err); ok && timed.Timeout() {
		x.fail(OutcomeTimeout, fmt.Sprintf("%s: the connection timed out: %s", x.where(), reason(err)))
		return
	}
	if r.Headers.Known {
		x.fail(OutcomeError, x.brokenBody(err))
		return
	}
	x.fail(OutcomeError, x.noReply(err))
}

// endedByContext tells which of our own limits ended the exchange, if one did.
func (x *exchange) endedByContext() (Outcome, string, bool) {
	cause := context.Cause(x.ctx)
	switch {
	case x.ctx.Err() == nil:
		return 0, "", false
	case errors.Is(cause, errIdle):
		return OutcomeTimeout, fmt.Sprintf("the stream stalled: no byte for %v after %s; raise the idle timeout if the server may pause that long",
			x.call.IdleTimeout, x.progress()), true
	case errors.Is(x.parent.Err(), context.DeadlineExceeded) || errors.Is(cause, context.DeadlineExceeded):
		return OutcomeTimeout, fmt.Sprintf("the deadline passed %v after the request was sent, with %s; raise the request timeout or lower the load",
			short(x.reply.End-x.reply.Sent), x.progress()), true
	}
	return OutcomeCancelled, "cancelled by the caller, with " + x.progress(), true
}

// progress says how far the reply had come.
func (x *exchange) progress() string {
	r := x.reply
	switch n := generated(r.Chunks); {
	case !r.Headers.Known:
		return "no response yet"
	case len(r.Chunks) == 0:
		return fmt.Sprintf("HTTP %d and no event yet", r.Status)
	default:
		return plural(n, "content chunk")
	}
}

// generated counts the chunks that carry output. A finish or usage event is
// none.
func generated(chunks []Chunk) int {
	n := 0
	for _, c := range chunks {
		if c.Kind.Generated() {
			n++
		}
	}
	return n
}

// plural counts in words; a text that says "1 chunks" reads as careless as it
// is.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// short rounds a duration for people.
func short(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}

// bare takes off the wrapper that repeats the URL, whose query could hold a
// key.
func bare(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// generatorFault is the text for failures that this machine causes by itself,
// empty for all others.
func generatorFault(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || tooManyFiles(err):
		return "the load generator has no file descriptor left (too many open files): not the server's fault; raise ulimit -n or lower the concurrency"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "the load generator has no local port left (cannot assign requested address): not the server's fault; keep more idle connections or lower the rate of new ones"
	case errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM):
		return "the load generator has no memory for another socket: not the server's fault; lower the concurrency"
	}
	return ""
}

// tooManyFiles knows the shortage also where the look-up of a name met it: a
// DNSError keeps the words and not the number.
func tooManyFiles(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && strings.Contains(dns.Err, syscall.EMFILE.Error())
}

// where names the server for people.
func (x *exchange) where() string {
	u, err := url.Parse(x.call.URL)
	if err != nil {
		return bareURL(x.call.URL)
	}
	return printable(u.Scheme+"://"+u.Host, 80)
}

func (x *exchange) endpoint() string { return "POST " + bareURL(x.call.URL) }

// unsendable words a fault of the request itself. No server has seen it.
func (x *exchange) unsendable(err error) string {
	return fmt.Sprintf("the request could not be built: %s", reason(bare(err)))
}

// noReply words a failure before the response's headers.
func (x *exchange) noReply(err error) string {
	at := x.where()
	var (
		noName    *net.DNSError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		notTLS    tls.RecordHeaderError
	)
	text := err.Error()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "cannot reach " + at + ": connection refused; is the server running, and is this its address and port?"
	case errors.As(err, &noName):
		return "cannot reach " + at + ": no address for " + noName.Name + "; check the host name in the URL"
	case errors.Is(err, syscall.ENOENT):
		return "cannot reach " + at + ": there is no unix socket at this path: " + reason(err)
	case errors.As(err, &authority), errors.As(err, &host):
		return "cannot trust " + at + ": " + reason(err) + "; give the server's authority as a root, or use its right name"
	case errors.As(err, &notTLS) || strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return at + " does not speak TLS; did you mean http://?"
	case strings.Contains(text, "malformed HTTP"):
		return at + " does not speak HTTP/1.1 there: " + reason(err) + "; is it the right port, and http or https?"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		return at + " closed the connection before it answered (" + reason(err) + "); see the server's log"
	case strings.Contains(text, "unsupported protocol scheme"):
		return fmt.Sprintf("the URL %q does not start with http:// or https://", bareURL(x.call.URL))
	case errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH):
		return "cannot reach " + at + ": no route to it; check the address"
	}
	return "no answer from " + at + ": " + reason(err)
}

// brokenBody words a failure after the response's headers.
func (x *exchange) brokenBody(err error) string {
	after := "after " + x.progress()
	if encoding, ok := errors.AsType[*encodingError](err); ok {
		return fmt.Sprintf("the reply is compressed (Content-Encoding %s) though nothing was offered; turn compression off in the server or the proxy before it",
			printable(encoding.name, 40))
	}
	switch {
	case errors.Is(err, errTooLong):
		return fmt.Sprintf("one event of the reply is longer than MaxLine; raise it if that is no fault of the server (%s)", after)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrClosedPipe):
		return fmt.Sprintf("the stream was cut %s: %s; the server or a proxy closed the connection in the middle", after, reason(err))
	}
	return fmt.Sprintf("the body could not be read %s: %s", after, reason(err))
}

// reason is an error's own text, cut short.
func reason(err error) string { return printable(err.Error(), 140) }

// serverFailed words an error object. It goes before any failure that follows:
// engines report first and then close, and the report says more than the
// reset.
func (x *exchange) serverFailed(e ServerError) {
	e.Message, e.Type, e.Code = x.secrets.text(e.Message), x.secrets.text(e.Type), x.secrets.text(e.Code)
	x.reply.Server = e
	x.fail(OutcomeError, fmt.Sprintf("the server reported an error inside HTTP %d after %s: %s", x.reply.Status, plural(generated(x.reply.Chunks), "content chunk"), e.words()))
}

// words is the error in one line.
func (e ServerError) words() string {
	var about []string
	for _, s := range []string{e.Type, e.Code} {
		if s != "" {
			about = append(about, s)
		}
	}
	text := printable(e.Message, 140)
	if len(about) > 0 {
		text += " (" + strings.Join(about, ", ") + ")"
	}
	return text
}

func (x *exchange) cutText() string {
	return fmt.Sprintf("the stream ended inside an event after %s; its last bytes: %s", x.progress(), printable(x.reply.MalformedText, 100))
}

func (x *exchange) malformedText() string {
	return fmt.Sprintf("%s of the reply could not be decoded; the first: %s", plural(x.reply.Malformed, "event"), printable(x.reply.MalformedText, 160))
}

// incompleteText tells a stream that was cut from one that was never this
// API's, since the two are mended in different places.
func (x *exchange) incompleteText() string {
	switch {
	case len(x.reply.Chunks) == 0:
		return fmt.Sprintf("HTTP %d, but the body has no event of the %s API; is it the right API for this server?", x.reply.Status, x.call.Protocol.Name())
	case generated(x.reply.Chunks) == 0:
		return fmt.Sprintf("the reply has %s, but neither content nor a finish reason of the %s API; is it the right API for this server?",
			plural(len(x.reply.Chunks), "event"), x.call.Protocol.Name())
	}
	return fmt.Sprintf("the stream ended after %s without a finish reason and without %s", x.progress(), doneMark)
}

func (x *exchange) abortedText() string {
	return fmt.Sprintf("the server gave the request up after %s (finish reason %s); see its log", x.progress(), x.reply.FinishReason)
}

func (x *exchange) emptyText() string {
	return "the reply finished (" + x.reply.FinishReason + ") and has no content"
}
