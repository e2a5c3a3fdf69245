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
	inbox    []*stream // arrived, not numbered yet
	number   int
	inFlight int
	admit    func(*stream)
}

func newLoop(admit func(*stream)) *loop {
	return &loop{start: time.Now(), wake: make(chan struct{}, 1), quit: make(chan struct{}), admit: admit}
}

// now is the time since the server started.
func (l *loop) now() time.Duration { return time.Since(l.start) }

// arrive takes a request in. held says that its answer depends on the order of
// arrival.
func (l *loop) arrive(s *stream, held bool) {
	l.mu.Lock()
	if held {
		l.inbox = append(l.inbox, s)
	} else {
		l.take(s)
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

// take numbers a request, has it answered, and sends what is due at once.
func (l *loop) take(s *stream) {
	s.req.Number, s.req.InFlight = l.number, l.inFlight
	l.number++
	l.inFlight++
	l.admit(s)
	s.due = s.req.Arrived
	s.plan()
	l.advance(s)
}

// advance sends what is due of a stream and puts it back for the rest.
func (l *loop) advance(s *stream) {
	if now := l.now(); s.due <= now {
		s.emit(now)
	}
	switch {
	case !s.ended:
		heap.Push(&l.heap, s)
	case s.conn.finish != Hang:
		l.inFlight--
	}
}

// leave drops a stream whose client is gone.
func (l *loop) leave(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.inbox, s); i >= 0 {
		l.inbox = slices.Delete(l.inbox, i, i+1)
		return
	}
	if s.place >= 0 {
		heap.Remove(&l.heap, s.place)
	}
	if !s.ended || s.conn.finish == Hang {
		l.inFlight--
	}
	s.ended = true
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
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		due, inbox, ok := l.first()
		if !ok {
			return 0, false
		}
		if wait := due - l.now(); wait > 0 {
			return wait, true
		}
		if inbox {
			l.open(due)
		} else {
			l.advance(heap.Pop(&l.heap).(*stream))
		}
	}
}

// first is the earliest thing to do: the inbox one nanosecond after its first
// request, or the first stream of the heap.
func (l *loop) first() (due time.Duration, inbox, ok bool) {
	if len(l.heap) > 0 {
		due, ok = l.heap[0].due, true
	}
	for _, s := range l.inbox {
		if at := s.req.Arrived + 1; !ok || at <= due {
			due, inbox, ok = at, true, true
		}
	}
	return due, inbox, ok
}

// open takes in the requests that came before the instant, in order.
func (l *loop) open(at time.Duration) {
	var here []*stream
	l.inbox = slices.DeleteFunc(l.inbox, func(s *stream) bool {
		if s.req.Arrived < at {
			here = append(here, s)
			return true
		}
		return false
	})
	slices.SortFunc(here, func(a, b *stream) int {
		return cmp.Or(cmp.Compare(a.req.Arrived, b.req.Arrived), a.req.compare(b.req))
	})
	for _, s := range here {
		l.take(s)
	}
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
