package llmbench

import (
	"container/heap"
	"context"
	"runtime"
	"time"

	"github.com/llmbench/go/llmbench/internal/pace"
)

// runOpen sends every request at its instant, or as soon after it as a slot is
// free, first come first served. It never waits for a reply to send the next,
// unless they are turns of one session.
func (l *load) runOpen(ctx context.Context) {
	if first := l.firstMeasured(); first.Ok() {
		l.armEnd(first.Or(0))
	}
	d := &dispatcher{
		load: l, ctx: ctx, over: l.over, cancelled: ctx.Done(),
		ended: make(chan ending, 64), content: make(chan struct{}, 64), due: time.NewTimer(0),
	}
	defer d.due.Stop()
	for d.step() {
		d.wait()
	}
}

// firstMeasured is when the measured part of an open loop begins.
func (l *load) firstMeasured() Known[time.Duration] {
	for _, r := range l.schedule.Requests {
		if r.Phase == Measure {
			return Is(max(r.At, l.profile.Warmup.Duration))
		}
	}
	return Known[time.Duration]{}
}

// A dispatcher is the one goroutine that decides what leaves when.
type dispatcher struct {
	*load
	ctx       context.Context
	over      <-chan struct{}
	cancelled <-chan struct{}

	next       int     // the first request of the schedule that is not due yet
	later      waiting // turns that come when their user has thought
	queue      []arrival
	inFlight   int
	prefilling int // of those, without content yet

	due     *time.Timer
	ended   chan ending
	content chan struct{} // a request in flight has content
}

// An arrival is a request that is due, or will be.
type arrival struct {
	Planned
	talk *conversation
	late time.Duration // how late its instant was seen
}

// An ending is a request that is over.
type ending struct {
	arrival
	record  *Record
	content bool // it gave its prefill slot back before
}

// step takes what has become due and sends what there is a slot for. It reports
// false when nothing is left to do.
func (d *dispatcher) step() bool {
	now := d.now()
	for at, ok := d.nextDue(); ok && at <= now; at, ok = d.nextDue() {
		d.arrive(now)
	}
	for len(d.queue) > 0 && !d.full(0) {
		d.launch(d.queue[0])
		d.queue = d.queue[1:]
	}
	_, more := d.nextDue()
	return more || len(d.queue) > 0 || d.inFlight > 0
}

// full reports whether no slot is free when so many requests wait already.
func (d *dispatcher) full(waiting int) bool {
	p := d.profile
	return p.MaxInFlight > 0 && d.inFlight+waiting >= p.MaxInFlight ||
		p.MaxPrefill > 0 && d.prefilling+waiting >= p.MaxPrefill
}

// nextDue is the instant of the next arrival.
func (d *dispatcher) nextDue() (time.Duration, bool) {
	requests := d.schedule.Requests
	for d.next < len(requests) && requests[d.next].follows {
		d.next++
	}
	planned := d.next < len(requests)
	if len(d.later) > 0 && (!planned || d.later[0].At < requests[d.next].At) {
		return d.later[0].At, true
	}
	if planned {
		return requests[d.next].At, true
	}
	return 0, false
}

// arrive moves the next arrival into the queue.
func (d *dispatcher) arrive(now time.Duration) {
	var came arrival
	if requests := d.schedule.Requests; len(d.later) > 0 && (d.next == len(requests) || d.later[0].At < requests[d.next].At) {
		came = heap.Pop(&d.later).(arrival)
	} else {
		came = arrival{Planned: requests[d.next], talk: &conversation{}}
		d.next++
	}
	if d.full(len(d.queue)) {
		d.capFull++
	}
	came.late = now - came.At
	d.queue = append(d.queue, came)
}

// launch sends a request on a goroutine of its own.
func (d *dispatcher) launch(a arrival) {
	d.inFlight++
	d.prefilling++
	out := &sending{Planned: a.Planned, talk: a.talk, late: a.late, launched: d.now()}
	go func() {
		end := ending{arrival: a}
		if d.profile.MaxPrefill > 0 {
			out.content = func() {
				end.content = true
				d.content <- struct{}{}
			}
		}
		end.record = d.send(d.ctx, out)
		d.ended <- end
	}()
}

// wait sleeps until something may have to be done.
func (d *dispatcher) wait() {
	at, ok := d.nextDue()
	if !ok {
		d.listen(nil)
		return
	}
	left := at - d.now()
	if d.profile.Pace != Precise || d.bubble {
		d.due.Reset(left)
		d.listen(d.due.C)
		return
	}
	runtime.Gosched() // what was launched runs here and now, not when another thread has woken up
	left = at - d.now()
	if left > pace.Lead {
		d.due.Reset(left - pace.Lead)
		d.listen(d.due.C)
		return
	}
	for left = at - d.now(); left > 0 && !d.poll(); left = at - d.now() {
		pace.Rest(left)
	}
}

// listen waits for one event.
func (d *dispatcher) listen(timer <-chan time.Time) {
	select {
	case <-timer:
	case end := <-d.ended:
		d.end(end)
	case <-d.content:
		d.prefilling--
	case <-d.over:
		d.finish()
	case <-d.cancelled:
		d.finish()
	}
}

// poll takes an event that is there already, and reports whether there was one.
func (d *dispatcher) poll() bool {
	select {
	case end := <-d.ended:
		d.end(end)
	case <-d.content:
		d.prefilling--
	case <-d.over:
		d.finish()
	case <-d.cancelled:
		d.finish()
	default:
		return false
	}
	return true
}

// end gives the slot back and lets the user of a session think.
func (d *dispatcher) end(e ending) {
	d.inFlight--
	if !e.content {
		d.prefilling--
	}
	requests := d.schedule.Requests
	i := e.Index + 1
	if e.record.Outcome != OK || i >= len(requests) || !requests[i].follows || d.over == nil {
		return
	}
	turn := arrival{Planned: requests[i], talk: e.talk}
	turn.At = e.record.End.Or(0) + e.Think
	heap.Push(&d.later, turn)
}

// finish stops the sending: what waits for a slot is unsent, what is in flight
// goes on.
func (d *dispatcher) finish() {
	reason := errOver
	if d.ctx.Err() != nil {
		reason = context.Cause(d.ctx)
	}
	d.mu.Lock()
	for _, a := range d.queue {
		d.unsent(a.Planned, reason)
	}
	d.mu.Unlock()
	d.queue, d.later, d.next = nil, nil, len(d.schedule.Requests)
	d.over, d.cancelled = nil, nil
}

// waiting are turns to come, the earliest first.
type waiting []arrival

func (w waiting) Len() int { return len(w) }
func (w waiting) Less(i, j int) bool {
	return w[i].At < w[j].At || w[i].At == w[j].At && w[i].Index < w[j].Index
}
func (w waiting) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w *waiting) Push(x any)   { *w = append(*w, x.(arrival)) }
func (w *waiting) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}
