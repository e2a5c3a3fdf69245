package mock

import (
	"cmp"
	"container/heap"
	"slices"
	"sync"
	"time"
)

// loop is the server's one clock hand: all replies in flight in heaps by their
// next instant, one goroutine that sleeps until the first of them. One timer
// serves all streams, and what is due at one instant leaves in the order of the
// requests' numbers.
//
// Goroutines that run at one virtual instant are not ordered by the runtime. So
// where the answer depends on who came first, arrivals are held back by one
// nanosecond: in a bubble the clock only moves once nobody has anything left to
// do, and then all requests of the instant are there to be sorted. Their times
// still count from the instant they came.
type loop struct {
	start time.Time
	alarm alarm
	tick  time.Duration // real time: tokens of streams that have begun, this close together, are served in one go
	quit  chan struct{}

	mu       sync.Mutex    // guards what follows, and every stream; never held while waiting
	armed    time.Duration // when the alarm will ring
	rang     time.Duration // when it last did
	closed   bool
	eager    entries // replies of which no token has left yet
	steady   entries // the others
	inbox    []visit // not taken in yet
	number   int
	inFlight int
	changed  chan struct{} // closed when a reply ends, nil while nobody waits
	engines  []*engine
	admit    func(*stream)
	serve    func(time.Duration) // next, bound once: the binding is an allocation
	late     lateness
	counters counters

	// Every write is put together here. With buffers in the connections, which are
	// out of the processor's cache when their turn comes, a token of TestRealTime's
	// 1000 streams of 20/s cost 20.5 us and not 19.3 (medians of five runs of
	// mockserver each, in random order on a busy two-core EPYC).
	scratch, body []byte

	seen      []*Exchange
	seenBytes int
	forgotten int // exchanges before the first of seen
}

// visit is a request that came or a client that left.
type visit struct {
	stream *stream
	at     time.Duration
	left   bool
}

// realTick bounds how often the loop wakes up in real time. Measured by
// TestRealTime with 1000 streams of 20 tokens/s on two cores: without a bound it
// woke for nearly every token, and at 200 us a token cost 20 % more than at 500 us.
// At 750 us it costs 5 % less, but p99 of the lateness is the tick and what the
// machine adds, and is to stay under a millisecond: in turn, it was 0.66 to 0.72 ms
// in five of five runs with 500 us, 0.82 to 3.67 ms with 750 us. A lone stream is
// not held up: the tick counts from the last time the loop woke. Nor is a first
// token, an arrival or a step of an engine: there are few of them, and people look
// at the first token's time most.
const realTick = 500 * time.Microsecond

// newLoop: real says that time is the system's, and that waking up has a price.
func newLoop(admit func(*stream), engines []*engine, real bool) *loop {
	l := &loop{
		start: time.Now(), quit: make(chan struct{}), armed: never, rang: -realTick,
		admit: admit, engines: engines, counters: newCounters(),
	}
	l.serve = l.next
	if real {
		l.alarm, l.tick = newRealAlarm(), realTick
	} else {
		l.alarm = newTimerAlarm()
	}
	return l
}

const never = time.Duration(1<<63 - 1)

// now is the time since the server started.
func (l *loop) now() time.Duration { return time.Since(l.start) }

// arrive takes a request in. held says that its answer depends on the order of
// arrival.
func (l *loop) arrive(s *stream, held bool) { l.visit(visit{stream: s, at: s.req.Arrived}, held) }

// leave takes notice that a client is gone.
func (l *loop) leave(s *stream, held bool) {
	l.visit(visit{stream: s, at: l.now(), left: true}, held)
}

func (l *loop) visit(v visit, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held {
		l.inbox = append(l.inbox, v)
	} else {
		l.take(v)
	}
	l.arm()
}

// arm sets the alarm when something is due before it rings.
func (l *loop) arm() {
	due, do := l.first(l.rang + l.tick)
	if do == nil || l.closed {
		return
	}
	if due < l.armed {
		l.armed = due
		l.alarm.set(due - l.now())
	}
}

// take numbers a request, has it answered, and sends what is due at once; or
// drops the reply to a client that is gone.
func (l *loop) take(v visit) {
	s := v.stream
	if v.left {
		l.drop(s, v.at)
		return
	}
	s.req.Number, s.req.InFlight = l.number, l.inFlight
	l.number++
	l.inFlight++
	l.admit(s)
	l.remember(s)
	s.begin()
	l.advance(s)
}

// gone counts a reply that has ended.
func (l *loop) gone() {
	l.inFlight--
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// change is closed when the next reply ends.
func (l *loop) change() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

// drop ends a stream whose client left at the instant.
func (l *loop) drop(s *stream, at time.Duration) {
	if s.over() {
		return
	}
	l.gone()
	at = max(at, 1) // a client can leave at the instant the server starts, and 0 says that it did not
	s.ended, s.left, s.seen.Left = true, at, at
	l.schedule(s)
	s.detach()
}

// advance sends what is due of a stream and puts it back for the rest.
func (l *loop) advance(s *stream) {
	now := l.now()
	if s.due > now || !s.ready {
		l.schedule(s)
		return
	}
	if s.blocked() {
		s.ready = false // until resume
		l.schedule(s)
		return
	}
	if s.opened {
		l.late.add(now - s.due)
	}
	s.emit(now)
	if s.over() {
		l.gone()
	}
	l.schedule(s)
}

// schedule puts a stream where its due says.
func (l *loop) schedule(s *stream) {
	if eager := s.said == 0; eager != s.eager {
		l.unschedule(s)
		s.eager = eager
	}
	h := l.queue(s)
	switch {
	case s.ended || !s.ready:
		l.unschedule(s)
	case s.place >= 0:
		(*h)[s.place].due = s.due
		heap.Fix(h, s.place)
	default:
		heap.Push(h, entry{s.due, s.req.Number, s})
	}
}

func (l *loop) unschedule(s *stream) {
	if s.place >= 0 {
		heap.Remove(l.queue(s), s.place)
	}
}

func (l *loop) queue(s *stream) *entries {
	if s.eager {
		return &l.eager
	}
	return &l.steady
}

// resume goes on with a stream that waited for its reader.
func (l *loop) resume(s *stream) {
	l.mu.Lock()
	if !s.ended {
		s.shift += max(0, l.now()-s.due)
		s.plan()
		l.schedule(s)
	}
	l.arm()
	l.mu.Unlock()
}

// run serves until close.
func (l *loop) run() {
	for l.alarm.wait(l.quit) {
		l.fire()
	}
}

// close ends run.
func (l *loop) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	close(l.quit)
	l.alarm.stop()
}

// fire does all that is due and sets the alarm for the rest. It gives the lock
// back after each thing, so that arrivals need not wait for all.
func (l *loop) fire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rang, l.armed = l.now(), never
	for {
		due, do := l.first(0)
		if do == nil {
			return
		}
		if due > l.now() {
			l.arm()
			return
		}
		do(due)
		l.mu.Unlock()
		l.mu.Lock()
	}
}

// first is the earliest thing to do: of one instant, first what came, then the
// engines, then the replies. Those that have begun are not due before from.
func (l *loop) first(from time.Duration) (due time.Duration, do func(time.Duration)) {
	if next, ok := l.nearest(from); ok {
		due, do = next.due, l.serve
	}
	for _, e := range l.engines {
		if at, ok := e.next(); ok && (do == nil || at <= due) {
			due, do = at, func(time.Duration) { e.fire() }
		}
	}
	for _, v := range l.inbox {
		if at := v.at + 1; do == nil || at <= due {
			due, do = at, l.open
		}
	}
	return due, do
}

// nearest is the reply that is due first; those that have begun are not due before
// from.
func (l *loop) nearest(from time.Duration) (next entry, ok bool) {
	if len(l.steady) > 0 {
		next, ok = l.steady[0], true
		next.due = max(next.due, from)
	}
	if len(l.eager) > 0 && (!ok || l.eager[0].before(next)) {
		next, ok = l.eager[0], true
	}
	return next, ok
}

// next serves the first stream. It stays where it is in its heap until it is known
// where it goes, which is cheaper than out and in again.
func (l *loop) next(time.Duration) {
	first, _ := l.nearest(0)
	l.advance(first.stream)
}

// open takes in, in order, who came and left before the instant.
func (l *loop) open(at time.Duration) {
	var here []visit
	l.inbox = slices.DeleteFunc(l.inbox, func(v visit) bool {
		if v.at < at {
			here = append(here, v)
		}
		return v.at < at
	})
	slices.SortFunc(here, visit.compare)
	for _, v := range here {
		l.take(v)
	}
}

// compare orders visits: by time, arrivals before departures.
func (v visit) compare(w visit) int {
	switch {
	case v.at != w.at:
		return cmp.Compare(v.at, w.at)
	case v.left && w.left:
		return cmp.Compare(v.stream.req.Number, w.stream.req.Number)
	case v.left:
		return 1
	case w.left:
		return -1
	}
	return v.stream.req.compare(w.stream.req)
}
