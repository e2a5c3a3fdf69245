package mock

import (
	"cmp"
	"slices"
	"time"
)

// Exchange is a request with what became of it. Times are since the server
// started; a time that has not come is 0.
type Exchange struct {
	Request
	// Status of the reply, 0 before its headers.
	Status int
	// Opened is when the headers left.
	Opened time.Duration
	// FirstToken and LastToken are when the first and the last chunk with
	// tokens left; in a reply in one body, the body.
	FirstToken, LastToken time.Duration
	// Tokens is how many tokens left.
	Tokens int
	// Ended is when the reply ended, whole or by a fault.
	Ended time.Duration
	// How it ended: End, Drop or Reset.
	How Kind
	// Finish is the finish reason that was sent, "" when none was.
	Finish string
	// Left is when the client went away before that.
	Left time.Duration
}

// What a server remembers: more is of no use to a test, and a program that runs
// for weeks must not fill its memory.
const (
	keptRequests = 100_000
	keptBytes    = 512 << 20 // of bodies and prompts
)

// Requests is every request that was given to the Responder so far, in the order
// of their numbers, with its reply up to now; of very many the last 50,000 to
// 100,000, and of very long ones fewer. What was refused because it is no request of the API is not among them.
func (s *Server) Requests() []Exchange {
	s.loop.mu.Lock()
	defer s.loop.mu.Unlock()
	all := make([]Exchange, len(s.loop.seen))
	for i, x := range s.loop.seen {
		all[i] = *x
	}
	slices.SortStableFunc(all, func(a, b Exchange) int {
		return cmp.Or(cmp.Compare(a.Arrived, b.Arrived), a.Request.compare(&b.Request))
	})
	// Where the order of arrival changes no answer nobody waited to number the
	// requests of one instant in order; here they are.
	for i := range all {
		all[i].Number = s.loop.forgotten + i
	}
	return all
}

// remember begins the record of a request, and forgets the older half when there
// is too much.
func (l *loop) remember(s *stream) {
	s.seen = &Exchange{Request: *s.req}
	l.seen = append(l.seen, s.seen)
	l.seenBytes += s.seen.size()
	if len(l.seen) <= keptRequests && l.seenBytes <= keptBytes {
		return
	}
	half := len(l.seen) / 2
	for _, x := range l.seen[:half] {
		l.seenBytes -= x.size()
	}
	l.seen = append([]*Exchange(nil), l.seen[half:]...)
	l.forgotten += half
}

// size is what a record holds on to.
func (x *Exchange) size() int { return len(x.Body) + len(x.Prompt) }

// record notes what a write of the stream did; before is how many tokens had
// left until then.
func (s *stream) record(now time.Duration, before int) {
	x, c := s.seen, &s.conn.server.loop.counters
	if s.opened && x.Status == 0 {
		x.Status, x.Opened = s.status(), now
	}
	if last := x.LastToken; s.said > before {
		if before == 0 {
			x.FirstToken = now
		}
		x.LastToken, x.Tokens = now, s.said
		c.count(x, before, last, now)
	}
	x.Finish = s.finish
	if s.ended && s.conn.finish != Hang {
		x.Ended, x.How = now, s.conn.finish
		c.end(x, s.finish)
	}
}

// Engine is what the server's Engine did so far; of several the sum, and zero
// without one.
func (s *Server) Engine() (sum EngineStats) {
	s.loop.mu.Lock()
	defer s.loop.mu.Unlock()
	for _, e := range s.loop.engines {
		sum.add(e.snapshot())
	}
	return sum
}

// Connections is how many connections clients have opened so far.
func (s *Server) Connections() int { return int(s.opened.Load()) }

// InFlight is the number of requests that have arrived and whose reply has not
// ended, nor their client left.
func (s *Server) InFlight() int {
	s.loop.mu.Lock()
	defer s.loop.mu.Unlock()
	return s.loop.inFlight
}

// Lateness is how late the server's own writes were so far.
func (s *Server) Lateness() Lateness {
	s.loop.mu.Lock()
	defer s.loop.mu.Unlock()
	return s.loop.late.report()
}
