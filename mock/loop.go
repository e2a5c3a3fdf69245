package mock

import (
	"cmp"
	"container/heap"
	"slices"
	"sync"
	"time"
)

// loop is the server's one clock hand: all replies in flight in one heap by
// their next instant, one goroutine that sleeps until the first of them. One
// timer serves all streams, and what is due at one instant leaves in the order
// of the requests' numbers.
//
// Goroutines that run at one virtual instant are not ordered by the runtime. So
// where the answer depends on who came first, arrivals are held back by one
// nanosecond: in a bubble the clock only moves once nobody has anything left to
// do, and then all requests of the instant are there to be sorted. Their times
// still count from the instant they came.
type loop struct {
	start time.Time
	wake  chan struct{}
	quit  chan struct{}

	mu       sync.Mutex // guards what follows, and every stream; never held while waiting
	heap     streamHeap
	inbox    []visit // not taken in yet
	number   int
	inFlight int
	engines  []*engine
	admit    func(*stream)
	late     lateness
	counters counters

	seen      []*Exchange
	forgotten int // exchanges before the first of seen
}

// visit is a request that came or a client that left.
type visit struct {
	stream *stream
	at     time.Duration
	left   bool
}

func newLoop(admit func(*stream), engines []*engine) *loop {
	return &loop{
		start: time.Now(), wake: make(chan struct{}, 1), quit: make(chan struct{}),
		admit: admit, engines: engines, counters: newCounters(),
	}
}

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
	if held {
		l.inbox = append(l.inbox, v)
	} else {
		l.take(v)
	}
	l.mu.Unlock()
	l.nudge()
}

// nudge makes the goroutine look at its heap again.
func (l *loop) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
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

// drop ends a stream whose client left at the instant.
func (l *loop) drop(s *stream, at time.Duration) {
	if s.over() {
		return
	}
	l.inFlight--
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
		return // resume brings it back
	}
	if s.opened {
		l.late.add(now - s.due)
	}
	s.emit(now)
	if s.over() {
		l.inFlight--
	}
	l.schedule(s)
}

// schedule puts a stream where its due says.
func (l *loop) schedule(s *stream) {
	switch {
	case s.ended || !s.ready:
		if s.place >= 0 {
			heap.Remove(&l.heap, s.place)
		}
	case s.place >= 0:
		heap.Fix(&l.heap, s.place)
	default:
		heap.Push(&l.heap, s)
	}
}

// resume goes on with a stream that waited for its reader.
func (l *loop) resume(s *stream) {
	l.mu.Lock()
	if !s.ended {
		s.shift += max(0, l.now()-s.due)
		s.plan()
		l.schedule(s)
	}
	l.mu.Unlock()
	l.nudge()
}

// run serves until quit is closed.
func (l *loop) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-l.quit:
			return
		case <-l.wake:
		case <-timer.C:
		}
		if next, ok := l.fire(); ok {
			timer.Reset(next)
		} else {
			timer.Stop()
		}
	}
}

// fire does all that is due, and returns how long there is until the next.
func (l *loop) fire() (wait time.Duration, ok bool) {
	for {
		l.mu.Lock()
		due, do := l.first()
		wait = due - l.now()
		if do != nil && wait <= 0 {
			do(due)
		}
		l.mu.Unlock()
		if do == nil || wait > 0 {
			return wait, do != nil
		}
	}
}

// first is the earliest thing to do: of one instant, first what came, then the
// engines, then the replies.
func (l *loop) first() (due time.Duration, do func(time.Duration)) {
	if len(l.heap) > 0 {
		due, do = l.heap[0].due, l.pop
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

func (l *loop) pop(time.Duration) { l.advance(heap.Pop(&l.heap).(*stream)) }

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

// streamHeap orders streams by their next instant, then by number.
type streamHeap []*stream

func (h streamHeap) Len() int { return len(h) }
func (h streamHeap) Less(i, j int) bool {
	if h[i].due != h[j].due {
		return h[i].due < h[j].due
	}
	return h[i].req.Number < h[j].req.Number
}
func (h streamHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}
func (h *streamHeap) Push(x any) {
	s := x.(*stream)
	s.place = len(*h)
	*h = append(*h, s)
}
func (h *streamHeap) Pop() any {
	old := *h
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	s.place = -1
	return s
}
