package llmbench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errGrace = errors.New("cut by the harness: still in flight when the grace time after the end was over")
	errOver  = errors.New("the run ended before a slot was free")
)

// A load is one run in the making: it sends the schedule and keeps the records.
type load struct {
	schedule *Schedule
	profile  Profile
	client   *client
	began    time.Time

	mu      sync.Mutex // guards what follows; never held while a goroutine waits
	records []Record
	door    *admission
	capFull int
	stopped error

	cancel context.CancelCauseFunc
	timers []*time.Timer
	over   chan struct{} // closed when Duration is over
}

func newLoad(schedule *Schedule, client *client) *load {
	return &load{
		schedule: schedule, profile: schedule.profile, client: client,
		records: make([]Record, len(schedule.Requests)),
		door:    schedule.admission(),
		over:    make(chan struct{}),
	}
}

// now is the run's clock: nanoseconds since its start, monotonic.
func (l *load) now() time.Duration { return time.Since(l.began) }

// run sends the whole schedule and returns when every request has its record.
func (l *load) run(parent context.Context) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	l.cancel = cancel
	l.began = time.Now()
	l.client.now = l.now
	if l.schedule.Open {
		l.runOpen(ctx)
	} else {
		l.runClosed(ctx)
	}
	for _, timer := range l.timers {
		timer.Stop()
	}
	if parent.Err() != nil {
		l.stopped = context.Cause(parent)
	}
	l.nameUnsent()
}

// runClosed lets every user send, wait and send again.
func (l *load) runClosed(ctx context.Context) {
	var users sync.WaitGroup
	for range l.profile.Arrivals.Users() {
		users.Go(func() {
			for ctx.Err() == nil {
				next, ok := l.admit()
				if !ok {
					return
				}
				l.send(ctx, next)
			}
		})
	}
	users.Wait()
}

// admit takes the next request for a user who is ready now.
func (l *load) admit() (Planned, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.now()
	known := l.door.start.Ok()
	next, ok := l.door.admit(at)
	if !known && l.door.start.Ok() {
		l.armEnd(l.door.start.Or(0))
	}
	if ok && next.Index >= len(l.records) {
		l.records = append(l.records, Record{})
	}
	next.At = at
	return next, ok
}

// armEnd starts the clocks of the end: Duration, and Grace after it. Without a
// Duration the last reply ends the run.
func (l *load) armEnd(start time.Duration) {
	if l.profile.Duration == 0 {
		return
	}
	end := start + l.profile.Duration
	l.timers = append(l.timers,
		time.AfterFunc(end-l.now(), func() { close(l.over) }),
		time.AfterFunc(end+max(l.profile.Grace, 0)-l.now(), func() { l.cancel(errGrace) }))
}

// runOpen sends every request at its instant, or as soon after it as a slot is
// free, first come first served. It never waits for a reply to send the next.
func (l *load) runOpen(ctx context.Context) {
	if first := l.firstMeasured(); first.Ok() {
		l.armEnd(first.Or(0))
	}
	requests := l.schedule.Requests
	ended := make(chan struct{})
	due := time.NewTimer(0)
	defer due.Stop()
	arrived, sent, inFlight := 0, 0, 0
	for sent < len(requests) && ctx.Err() == nil {
		now := l.now()
		for ; arrived < len(requests) && requests[arrived].At <= now; arrived++ {
			if l.full(inFlight + arrived - sent) {
				l.capFull++
			}
		}
		for ; sent < arrived && !l.full(inFlight); sent++ {
			inFlight++
			go func(next Planned) {
				l.send(ctx, next)
				ended <- struct{}{}
			}(requests[sent])
		}
		if sent == len(requests) {
			break
		}
		var timer <-chan time.Time
		if arrived < len(requests) {
			due.Reset(requests[arrived].At - l.now())
			timer = due.C
		}
		select {
		case <-timer:
		case <-ended:
			inFlight--
		case <-l.over:
			requests = requests[:sent]
		case <-ctx.Done():
		}
	}
	for ; inFlight > 0; inFlight-- {
		<-ended
	}
}

func (l *load) full(inFlight int) bool {
	return l.profile.MaxInFlight > 0 && inFlight >= l.profile.MaxInFlight
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

// send does one request and keeps its record.
func (l *load) send(ctx context.Context, next Planned) {
	record := l.client.do(ctx, next, l.schedule.seed)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records[next.Index] = record
}

// nameUnsent gives a record to every request that was planned and never left.
func (l *load) nameUnsent() {
	reason := errOver
	if l.stopped != nil {
		reason = l.stopped
	}
	for i := range l.records {
		if l.records[i].Outcome != "" {
			continue
		}
		record := Record{ID: recordID(i), Phase: Measure, Outcome: Unsent, Error: reason.Error()}
		if i < len(l.schedule.Requests) {
			next := l.schedule.Requests[i]
			record.Phase = next.Phase
			if l.schedule.Open {
				record.Scheduled = Is(next.At)
			}
		}
		l.records[i] = record
	}
}

func recordID(i int) string { return fmt.Sprintf("r%d", i) }

// describe adds to the result how it came about.
func (l *load) describe(result *Result) {
	result.Profile = &l.profile
	result.Schedule = l.schedule
	result.Environment = newEnvironment(l.client)
	result.Generator = l.generator(result.Records)
	if l.stopped != nil {
		result.Stopped = l.stopped.Error()
	}
}
