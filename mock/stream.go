package mock

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// stream is one reply on its way out. All of it is guarded by the loop's lock.
type stream struct {
	conn    *conn
	req     *Request
	reply   Reply
	wire    *protocol
	created int64  // unix time of the arrival
	head    []byte // what every frame of this stream begins with
	state   wireState

	next   int           // the first event of the timeline not sent yet
	due    time.Duration // when the next thing is due, since the server started
	ready  bool          // due is known; false while an engine still works on it
	shift  time.Duration // how much later everything is than planned: the reader's pauses
	place  int           // in one of the loop's heaps, -1 when not there
	eager  bool          // which one
	opened bool          // the headers are out
	ended  bool          // nothing more will be sent
	done   chan struct{} // closed when the connection is free again
	left   time.Duration // when the client left before the end, 0 when it did not

	run    *job            // in the engine
	stamps []time.Duration // when the engine released each event
	tokens int             // released and not yet used by an event

	written int    // bytes of the body
	held    []byte // the rest of a split write
	ending  bool   // the reply ends with held
	said    int    // tokens of the reply that were sent
	finish  string // the finish reason that was sent, "" before
	seen    *Exchange
}

// model is the name the reply carries: what the request asked for when the
// Reply does not say.
func (s *stream) model() string {
	switch {
	case s.reply.Model != "":
		return s.reply.Model
	case s.req.Model != "":
		return s.req.Model
	}
	return s.conn.server.model
}

// streamed reports whether the timeline goes out as it happens.
func (s *stream) streamed() bool { return s.req.Stream && len(s.reply.Body) == 0 }

// status is the HTTP status of the reply.
func (s *stream) status() int { return orDefault(s.reply.Status, http.StatusOK) }

// id names the reply. It comes from what was asked and not from the order of
// arrival, so that the bytes of a run are the same every time.
func (s *stream) appendID(b []byte) []byte {
	return strconv.AppendUint(b, s.req.hash()+uint64(s.req.Nth), 16)
}

// over reports whether the reply has ended; one that hangs has not.
func (s *stream) over() bool {
	return s.ended && (s.left > 0 || s.conn.finish != Hang)
}

// begin starts a reply that was just decided on.
func (s *stream) begin() {
	s.due, s.ready = s.req.Arrived, true
	if w := s.reply.Window; w > 0 {
		s.conn.setWindow(w)
	}
	if s.reply.pace != nil && len(s.reply.Body) == 0 {
		s.reply.pace.attach(s)
	}
	s.plan()
}

// plan sets due to the instant of the next thing to do, or ready to false when
// an engine has yet to say it.
func (s *stream) plan() {
	if len(s.held) > 0 {
		return // split has set it
	}
	at := s.req.Arrived + s.reply.HeaderAt
	s.ready = true
	switch {
	case s.streamed():
		if s.opened && s.next < len(s.reply.Timeline) {
			at, s.ready = s.eventAt(s.next)
		}
	case len(s.reply.Body) == 0:
		var whole time.Duration
		whole, s.ready = s.wholeAt()
		at = max(at, whole)
	}
	s.due = max(s.due, at+s.shift)
}

// eventAt is when an event is due, if that is known.
func (s *stream) eventAt(i int) (time.Duration, bool) {
	e := s.reply.Timeline[i]
	if s.reply.pace == nil {
		return s.req.Arrived + e.At, true
	}
	if i >= len(s.stamps) {
		return 0, false
	}
	return s.stamps[i] + e.At, true
}

// wholeAt is when a reply that is not streamed leaves: with its last event, or
// with the fault that keeps it from getting there.
func (s *stream) wholeAt() (at time.Duration, ok bool) {
	at = s.req.Arrived
	for i, e := range s.reply.Timeline {
		due, ok := s.eventAt(i)
		if !ok {
			return 0, false
		}
		at = max(at, due)
		s.next = i
		if e.Kind.ends() || e.Kind == Error {
			return at, true
		}
	}
	s.next = len(s.reply.Timeline)
	return at, true
}

// release lets the events go that n more tokens make possible, at the instant.
func (s *stream) release(n int, at time.Duration) {
	s.tokens += n
	for len(s.stamps) < len(s.reply.Timeline) {
		e := s.reply.Timeline[len(s.stamps)]
		if (e.Kind.generated() || e.Kind == Malformed) && e.Choice == 0 {
			if e.Tokens > s.tokens {
				break
			}
			s.tokens -= e.Tokens
		}
		s.stamps = append(s.stamps, at)
	}
	if n > 0 && !s.ended {
		s.plan()
		s.conn.server.loop.schedule(s)
	}
}

// detach tells the engine that nobody waits for the rest.
func (s *stream) detach() {
	if s.reply.pace != nil {
		s.reply.pace.detach(s)
	}
}

// blocked reports whether the reply waits for its reader, and sees to it that
// it is resumed.
func (s *stream) blocked() bool {
	return s.reply.Window > 0 && s.conn.out.whenIdle(func() { s.conn.server.loop.resume(s) })
}

// emit sends everything that is due by now, in one write, and plans the rest.
func (s *stream) emit(now time.Duration) {
	l := s.conn.server.loop
	b := l.scratch[:0]
	said := s.said
	if s.streamed() {
		b = s.emitDue(b, now)
	} else {
		b = s.emitWhole(b)
	}
	l.scratch = b
	s.conn.out.send(b)
	s.record(now, said)
	if s.ended {
		s.detach()
		s.close()
	}
}

// emitDue appends the events that are due.
func (s *stream) emitDue(b []byte, now time.Duration) []byte {
	if !s.opened {
		b = s.appendHead(b, -1)
		s.opened = true
		s.plan()
	}
	body := append(s.conn.server.loop.body[:0], s.held...)
	if len(s.held) > 0 {
		s.held, s.ended = nil, s.ending
		s.plan() // what is next may still be with the engine
	}
	for !s.ended && s.ready && s.due <= now {
		if s.next == len(s.reply.Timeline) {
			s.end(End)
			break
		}
		e := s.reply.Timeline[s.next]
		s.next++
		body = s.appendEvent(body, e)
		s.plan()
	}
	s.conn.server.loop.body = body
	return s.appendBody(b, s.split(body, now))
}

// appendEvent encodes one event. A malformed one is cut at half its bytes, which
// is inside the JSON in every API, and its frame is closed as ever.
func (s *stream) appendEvent(b []byte, e Event) []byte {
	s.note(e)
	switch {
	case e.Kind.ends():
		s.end(e.Kind)
		return b
	case e.Kind == Raw:
		return append(b, e.Text...)
	case e.Kind == Malformed:
		e.Kind = Content
		from := len(b)
		b = s.wire.event(b, s, e)
		return append(b[:from+(len(b)-from)/2], s.wire.gap()...)
	}
	return s.wire.event(b, s, e)
}

// note counts an event that is about to leave.
func (s *stream) note(e Event) {
	s.said += e.Tokens
	if e.Kind == Finish {
		s.finish = e.Text
	}
}

// split holds back what lies behind the next split offset.
func (s *stream) split(body []byte, now time.Duration) []byte {
	for _, at := range s.reply.Splits {
		n := at - s.written
		if n <= 0 || n >= len(body) {
			continue
		}
		s.held = slices.Clone(body[n:])
		s.ending, s.ended = s.ended, false
		s.due, s.ready = now+s.reply.SplitPause, true
		body = body[:n]
		break
	}
	s.written += len(body)
	return body
}

// emitWhole answers with one body of known length.
func (s *stream) emitWhole(b []byte) []byte {
	body := s.reply.Body
	if len(body) == 0 {
		if s.next < len(s.reply.Timeline) {
			e := s.reply.Timeline[s.next]
			if e.Kind.ends() {
				s.end(e.Kind)
				return b
			}
			s.reply.Status = http.StatusInternalServerError
			body = errorBody(s.req.API, s.reply.Status, e.Text)
		} else {
			body = s.whole()
		}
	}
	b = s.appendHead(b, len(body))
	s.opened = true
	s.end(End)
	return append(b, body...)
}

// whole is the reply in one body.
func (s *stream) whole() []byte {
	b := s.conn.server.loop.body[:0]
	broken := false
	for _, e := range s.reply.Timeline {
		s.note(e)
		broken = broken || e.Kind == Malformed
		if e.Kind == Raw {
			b = append(b, e.Text...)
		}
	}
	if len(b) == 0 {
		b = s.wire.whole(b, s)
	}
	if broken {
		b = b[:len(b)/2]
	}
	s.conn.server.loop.body = b
	return b
}

func (s *stream) end(kind Kind) {
	s.ended = true
	s.conn.finish = kind
}

// close does to the connection what the end of the reply asks for. After Hang
// the reply stays open, and it is the client's turn to leave.
func (s *stream) close() {
	switch kind := s.conn.finish; {
	case kind == Hang:
		return // in flight until the client leaves
	case kind == Reset:
		s.conn.out.shut(s.conn.reset)
	case kind == Drop || !s.conn.keep:
		s.conn.out.shut(s.conn.close)
	}
	close(s.done)
}
