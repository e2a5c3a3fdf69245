package mock

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// A Fault changes a reply for the worse. Put it into Script.Faults, or around
// any Responder by With. Token counts are of the reply: a fault "after k tokens"
// comes when k tokens have left, at the instant the next one was due; with k at
// or above the length of the reply it comes before the finish reason. In a reply
// with several choices the tokens of all of them count.
type Fault struct {
	apply func(*Request, *Reply)
	err   error
}

// With puts faults on every reply of a Responder, the first first.
func With(r Responder, faults ...Fault) Responder { return withFaults{r, faults} }

// withFaults applies faults after the reply was decided on.
type withFaults struct {
	next   Responder
	faults []Fault
}

func (w withFaults) Respond(r *Request) Reply {
	reply := w.next.Respond(r)
	for _, f := range w.faults {
		f.apply(r, &reply)
	}
	return reply
}

func (w withFaults) ordered() bool { return orderMatters(w.next) }

func (w withFaults) bind(b *binding) Responder { return withFaults{b.bind(w.next), w.faults} }

func (w withFaults) Validate() error {
	for _, f := range w.faults {
		if f.err != nil {
			return f.err
		}
	}
	return validate(w.next)
}

// Stall pauses for d after k tokens; everything later comes later by d. To stall
// for ever is HangAfter.
func Stall(k int, d time.Duration) Fault {
	return Fault{err: wantFault("Stall", k, d), apply: func(_ *Request, reply *Reply) {
		for i := reply.after(k); i < len(reply.Timeline); i++ {
			reply.Timeline[i].At += d
		}
	}}
}

// HangAfter sends nothing more after k tokens and keeps the connection open.
func HangAfter(k int) Fault { return endAfter("HangAfter", k, Event{Kind: Hang}) }

// ResetAfter resets the connection after k tokens.
func ResetAfter(k int) Fault { return endAfter("ResetAfter", k, Event{Kind: Reset}) }

// DropAfter closes the connection after k tokens, in the middle of the body: the
// client sees an unexpected end.
func DropAfter(k int) Fault { return endAfter("DropAfter", k, Event{Kind: Drop}) }

// EndAfter ends the body after k tokens as HTTP has it, but without a finish
// reason, usage or [DONE]: a clean end of file in the middle of an answer.
func EndAfter(k int) Fault { return endAfter("EndAfter", k, Event{Kind: End}) }

// ErrorAfter sends an error object after k tokens, in the stream whose status
// was 200, and ends the body. A reply in one body becomes a status 500.
func ErrorAfter(k int, message string) Fault {
	return endAfter("ErrorAfter", k, Event{Kind: Error, Text: message})
}

// endAfter cuts the timeline, on a copy: the events may be the Responder's own.
func endAfter(name string, k int, e Event) Fault {
	return Fault{err: wantFault(name, k, 0), apply: func(_ *Request, reply *Reply) {
		i := reply.after(k)
		if i < len(reply.Timeline) {
			e.At = reply.Timeline[i].At
		}
		reply.Timeline = append(slices.Clone(reply.Timeline[:i]), e)
	}}
}

// MalformedAfter breaks the chunk that follows k tokens: its JSON ends half way.
// The stream goes on after it.
func MalformedAfter(k int) Fault {
	return Fault{err: wantFault("MalformedAfter", k, 0), apply: func(_ *Request, reply *Reply) {
		if i := reply.after(k); i < len(reply.Timeline) && reply.Timeline[i].Kind.generated() {
			reply.Timeline[i].Kind = Malformed
		}
	}}
}

// Refuse answers with a status and an error object instead of a reply, at once.
// A status that has no body, or is not of HTTP, is an error.
func Refuse(status int, message string) Fault {
	return Fault{err: wantStatus(status), apply: func(r *Request, reply *Reply) { *reply = refusal(r, status, message) }}
}

// RefuseFor is Refuse with a Retry-After of whole seconds, rounded up: 429 with
// it is a rate limit, 503 a full queue.
func RefuseFor(status int, retryAfter time.Duration) Fault {
	return Fault{err: firstOf(wantStatus(status), wantFault("RefuseFor", 0, retryAfter)), apply: func(r *Request, reply *Reply) {
		*reply = refusal(r, status, http.StatusText(status))
		reply.Header.Set("Retry-After", retrySeconds(retryAfter))
	}}
}

// RefuseUntil is RefuseFor with Retry-After in its other form, a date.
func RefuseUntil(status int, retryAfter time.Duration) Fault {
	return Fault{err: firstOf(wantStatus(status), wantFault("RefuseUntil", 0, retryAfter)), apply: func(r *Request, reply *Reply) {
		*reply = refusal(r, status, http.StatusText(status))
		reply.Header.Set("Retry-After", r.Time.Add(retryAfter).UTC().Format(http.TimeFormat))
	}}
}

// retrySeconds rounds up: who comes back earlier would be refused again.
func retrySeconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

// HTMLPage answers with a page for people, as proxies do when what is behind
// them is away.
func HTMLPage(status int) Fault {
	return Fault{err: wantStatus(status), apply: func(_ *Request, reply *Reply) {
		title := strconv.Itoa(status) + " " + http.StatusText(status)
		*reply = Reply{
			Status: status,
			Header: http.Header{"Content-Type": {"text/html"}},
			Body:   fmt.Appendf(nil, "<html>\r\n<head><title>%s</title></head>\r\n<body>\r\n<center><h1>%[1]s</h1></center>\r\n</body>\r\n</html>\r\n", title),
		}
	}}
}

// SlowHeaders holds the response headers back for d; content that is due
// earlier waits for them.
func SlowHeaders(d time.Duration) Fault {
	return Fault{err: wantFault("SlowHeaders", 0, d), apply: func(_ *Request, reply *Reply) { reply.HeaderAt += d }}
}

// Bundle makes n chunks of tokens leave together, in one write, when the last of
// them is due.
func Bundle(n int) Fault {
	f := Fault{apply: func(_ *Request, reply *Reply) { reply.bundle(n) }}
	if n < 1 {
		f.err = fmt.Errorf("mock: Bundle: n is %d, want > 0", n)
	}
	return f
}

// bundle moves the events of a group to the instant of its last.
func (r *Reply) bundle(n int) {
	var group []int
	for i := range r.Timeline {
		if r.Timeline[i].Kind.generated() {
			group = append(group, i)
		}
		if len(group) == n || i == len(r.Timeline)-1 {
			for _, j := range group {
				r.Timeline[j].At = r.Timeline[group[len(group)-1]].At
			}
			group = group[:0]
		}
	}
}

// Split interrupts the writing of the body for pause at each of the offsets,
// which must rise: in the middle of a line, of an escape, of a character.
func Split(pause time.Duration, offsets ...int) Fault {
	f := Fault{err: wantFault("Split", 0, pause), apply: func(_ *Request, reply *Reply) {
		reply.Splits, reply.SplitPause = offsets, pause
	}}
	for i, o := range offsets {
		if o < 1 || i > 0 && o <= offsets[i-1] {
			f.err = fmt.Errorf("mock: Split: the offsets are %v, want them above 0 and rising", offsets)
		}
	}
	return f
}

// NoDone leaves the end mark out: [DONE], message_stop.
func NoDone() Fault { return without(Done) }

// NoFinish leaves the finish reason out.
func NoFinish() Fault { return without(Finish) }

// without leaves out the events of a kind.
func without(kind Kind) Fault {
	return Fault{apply: func(_ *Request, reply *Reply) {
		reply.Timeline = slices.DeleteFunc(reply.Timeline, func(e Event) bool { return e.Kind == kind })
	}}
}

// DuplicateFinish sends the frame with the finish reason twice.
func DuplicateFinish() Fault {
	return Fault{apply: func(_ *Request, reply *Reply) {
		for i, e := range reply.Timeline {
			if e.Kind == Finish {
				reply.Timeline = slices.Insert(reply.Timeline, i, e)
				return
			}
		}
	}}
}

// Backpressure makes the reply wait for a client that leaves more than so many
// bytes unread; see Reply.Window.
func Backpressure(bytes int) Fault {
	f := Fault{apply: func(_ *Request, reply *Reply) { reply.Window = bytes }}
	if bytes < 1 {
		f.err = fmt.Errorf("mock: Backpressure: bytes is %d, want > 0", bytes)
	}
	return f
}

// after is the index of the first event once k tokens have left: the next chunk,
// or the finish reason.
func (r *Reply) after(k int) int {
	sent := 0
	for i, e := range r.Timeline {
		if (sent >= k && e.Kind.generated()) || e.Kind == Finish || e.Kind == Done || e.Kind.ends() {
			return i
		}
		if e.Kind.generated() {
			sent += e.Tokens
		}
	}
	return len(r.Timeline)
}

// refusal is an error reply as the request's protocol has it.
func refusal(r *Request, status int, message string) Reply {
	return Reply{Status: status, Header: http.Header{}, Body: errorBody(r.API, status, message)}
}

// wantFault words a bad parameter; Start tells it to the test.
func wantFault(name string, k int, d time.Duration) error {
	if k < 0 {
		return fmt.Errorf("mock: %s: k is %d, want >= 0", name, k)
	}
	if d < 0 {
		return fmt.Errorf("mock: %s: the time is %s, want >= 0", name, d)
	}
	return nil
}

// wantStatus: 1xx, 204 and 304 have no body, so the error would not arrive.
func wantStatus(status int) error {
	if status < 200 || status > 599 || status == http.StatusNoContent || status == http.StatusNotModified {
		return fmt.Errorf("mock: status is %d, want one from 200 to 599 that has a body", status)
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
