package mock

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

	next   int           // the first event of the timeline not sent yet
	due    time.Duration // when it is due, since the server started
	place  int           // in the loop's heap, -1 when not there
	opened bool          // the headers are out
	ended  bool
	done   chan struct{} // closed with ended
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

// plan sets due to the instant of the next thing to do.
func (s *stream) plan() {
	at := s.reply.HeaderAt
	switch {
	case s.streamed():
		if s.opened {
			at = s.eventAt()
		}
	case len(s.reply.Body) == 0:
		at = max(at, s.wholeAt())
	}
	s.due = max(s.due, s.req.Arrived+at)
}

func (s *stream) eventAt() time.Duration {
	if s.next < len(s.reply.Timeline) {
		return s.reply.Timeline[s.next].At
	}
	return 0 // the end of the timeline: at once
}

// wholeAt is when a reply that is not streamed leaves: with its last event, or
// with the fault that keeps it from getting there.
func (s *stream) wholeAt() (at time.Duration) {
	for i, e := range s.reply.Timeline {
		at = max(at, e.At)
		s.next = i
		if e.Kind >= Drop {
			return at
		}
	}
	s.next = len(s.reply.Timeline)
	return at
}

// emit sends everything that is due by now, in one write, and plans the rest.
func (s *stream) emit(now time.Duration) {
	c := s.conn
	b := c.scratch[:0]
	if !s.streamed() {
		b = s.emitWhole(b)
	} else {
		b = s.emitDue(b, now)
	}
	c.scratch = b
	c.out.send(b)
	if s.ended {
		s.close()
	}
}

// close does to the connection what the end of the reply asks for. After Hang
// the reply stays open, and it is the client's turn to leave.
func (s *stream) close() {
	switch kind := s.conn.finish; {
	case kind == Hang:
		return
	case kind == Reset:
		s.conn.out.shut(s.conn.reset)
	case kind == Drop || !s.conn.keep:
		s.conn.out.shut(s.conn.close)
	}
	close(s.done)
}

func (s *stream) emitDue(b []byte, now time.Duration) []byte {
	if !s.opened {
		b = s.appendHead(b, -1)
		s.opened = true
		s.plan()
	}
	body := s.conn.body[:0]
	for !s.ended && s.due <= now {
		if s.next == len(s.reply.Timeline) {
			s.end(End)
			break
		}
		e := s.reply.Timeline[s.next]
		s.next++
		switch {
		case e.Kind >= End:
			s.end(e.Kind)
		case e.Kind == Raw:
			body = append(body, e.Text...)
		default:
			body = s.wire.event(body, s, e)
		}
		s.plan()
	}
	s.conn.body = body
	return s.appendBody(b, body)
}

// emitWhole answers with one body of known length.
func (s *stream) emitWhole(b []byte) []byte {
	if s.next < len(s.reply.Timeline) && len(s.reply.Body) == 0 {
		s.end(s.reply.Timeline[s.next].Kind)
		return b
	}
	body := s.reply.Body
	if len(body) == 0 {
		s.conn.body = s.wire.whole(s.conn.body[:0], s)
		body = s.conn.body
	}
	b = s.appendHead(b, len(body))
	s.opened = true
	s.end(End)
	return append(b, body...)
}

func (s *stream) end(kind Kind) {
	s.ended = true
	s.conn.finish = kind
}

// chunked reports whether the body is sent in HTTP chunks: to HTTP/1.0 it ends
// with the connection.
func (s *stream) chunked() bool { return s.streamed() && s.conn.http11 }

func (s *stream) appendBody(b, body []byte) []byte {
	if !s.chunked() {
		return append(b, body...)
	}
	if len(body) > 0 {
		b = strconv.AppendUint(b, uint64(len(body)), 16)
		b = append(b, "\r\n"...)
		b = append(b, body...)
		b = append(b, "\r\n"...)
	}
	if s.ended && s.conn.finish == End {
		b = append(b, "0\r\n\r\n"...)
	}
	return b
}

// appendHead appends status line and headers; length -1 is a stream.
func (s *stream) appendHead(b []byte, length int) []byte {
	status := s.reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	b = append(b, "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, ' ')
	b = append(b, http.StatusText(status)...)
	b = append(b, "\r\n"...)
	kind := "application/json"
	if length < 0 {
		kind = s.wire.stream
	}
	if s.reply.Header.Get("Content-Type") == "" {
		b = appendHeader(b, "Content-Type", kind)
	}
	b = s.appendFraming(b, length)
	for _, name := range slices.Sorted(maps.Keys(s.reply.Header)) {
		for _, v := range s.reply.Header[name] {
			b = appendHeader(b, name, v)
		}
	}
	return append(b, "\r\n"...)
}

func (s *stream) appendFraming(b []byte, length int) []byte {
	switch {
	case length >= 0:
		b = appendHeader(b, "Content-Length", strconv.Itoa(length))
	case s.chunked():
		b = appendHeader(b, "Cache-Control", "no-cache")
		b = appendHeader(b, "Transfer-Encoding", "chunked")
	}
	if !s.conn.keep {
		b = appendHeader(b, "Connection", "close")
	}
	return b
}

func appendHeader(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}

// choice is one whole answer.
type choice struct {
	content, reasoning, finish string
}

// gather puts the events of a timeline together, for a reply in one body.
func (s *stream) gather() []choice {
	texts := make([]struct{ content, reasoning strings.Builder }, s.req.Choices)
	all := make([]choice, s.req.Choices)
	for _, e := range s.reply.Timeline {
		if e.Choice >= len(all) {
			continue
		}
		switch e.Kind {
		case Content:
			texts[e.Choice].content.WriteString(e.Text)
		case Reasoning:
			texts[e.Choice].reasoning.WriteString(e.Text)
		case Finish:
			all[e.Choice].finish = e.Text
		}
	}
	for i := range all {
		all[i].content, all[i].reasoning = texts[i].content.String(), texts[i].reasoning.String()
	}
	return all
}
