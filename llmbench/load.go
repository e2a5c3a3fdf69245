package llmbench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/llmbench/go/llmbench/internal/pace"
)

var (
	errGrace   = errors.New("cut by the harness: still in flight when the grace time after the end was over")
	errOver    = errors.New("the run ended before a slot was free")
	errSession = errors.New("the turn before it in its session failed")
)

// A load is one run in the making: it sends the schedule and keeps the records.
type load struct {
	schedule *Schedule
	profile  Profile
	client   *client
	probe    *probe
	tellers  []teller
	bubble   bool // the clock is a fake one
	began    time.Time

	mu       sync.Mutex // guards what follows; never held while a goroutine waits
	records  []*Record  // by index; nil: not yet
	door     *admission
	collapse collapse
	progress progress
	capFull  int
	delays   []time.Duration // the harness's own part in each lag
	// sized counts the prompts whose length the server confirmed, and sizeError
	// adds up how far they were off.
	sized     int
	sizeError float64

	watch   Watch // Profile.StopWhenDecided's; nil without
	stopped error
	ending  error  // why a record ends the run; nil: none did
	decided string // why the watch ended the run
	cancel  context.CancelCauseFunc
	timers  []*time.Timer
	over    chan struct{} // closed when Duration is over
}

func newLoad(schedule *Schedule, client *client) *load {
	return &load{
		schedule: schedule, profile: schedule.profile, client: client,
		records: make([]*Record, len(schedule.Requests)),
		door:    schedule.admission(),
		bubble:  pace.Standing(),
		watch:   schedule.watch(),
		over:    make(chan struct{}),
	}
}

// now is the run's clock: nanoseconds since its start, monotonic.
func (l *load) now() time.Duration { return time.Since(l.began) }

// run sends the whole schedule and returns when every request has its record.
// The clock starts with it: what came before, connections and calibration, takes
// nothing from the profile's time.
func (l *load) run(parent context.Context) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	l.cancel = cancel
	l.probe = startProbe(l.bubble)
	l.began = time.Now()
	l.client.now = l.now
	quiet := l.tell()
	if l.schedule.Open {
		l.runOpen(ctx)
	} else {
		l.runClosed(ctx)
	}
	for _, timer := range l.timers {
		timer.Stop()
	}
	quiet()
	l.probe.stop()
	if l.ending != nil {
		cancel(l.ending) // where the reason was given by the last record
	}
	if cause := context.Cause(ctx); ctx.Err() != nil && !errors.Is(cause, errGrace) {
		var early bool
		if l.decided, early = decided(cause); !early {
			l.stopped = cause
		}
	}
	l.nameUnsent()
}

// endFor ends the run for a reason that a record gave; the first counts. An open
// loop ends a nanosecond later: what is due at the very instant leaves first, so
// that in virtual time, where instants coincide, a run ends alike each time. A
// closed loop whose replies take no time would never come to that nanosecond. The
// caller holds the lock.
func (l *load) endFor(reason error) {
	if l.ending != nil {
		return
	}
	l.ending = reason
	if l.schedule.Open {
		time.AfterFunc(1, func() { l.cancel(reason) })
		return
	}
	l.cancel(reason)
}

// armEnd starts the clocks of the end: Duration, and Grace after it. Without a
// Duration the last reply ends the run.
func (l *load) armEnd(start time.Duration) {
	if l.profile.Duration == 0 {
		return
	}
	end := start + l.profile.Duration + l.profile.Cooldown
	l.timers = append(l.timers,
		time.AfterFunc(end-l.now(), func() { close(l.over) }),
		time.AfterFunc(end+max(l.profile.Grace, 0)-l.now(), func() { l.cancel(errGrace) }))
}

// unsent keeps the record of a request that was due and never left.
func (l *load) unsent(next Planned, reason error) {
	l.records[next.Index] = &Record{
		ID: recordID(next.Index), Session: next.Session, Turn: next.Turn, Label: next.Label, Phase: next.Phase,
		Scheduled: Is(next.At), Outcome: Unsent, Error: reason.Error(),
	}
}

// nameUnsent gives a record to every request that was planned and never left. A
// later turn of a session that a Duration cut off was never due, and has none.
func (l *load) nameUnsent() {
	for i, next := range l.schedule.Requests {
		if l.records[i] != nil || next.follows && l.profile.Duration > 0 {
			continue
		}
		l.unsent(next, l.reason(next))
		if !l.schedule.Open || next.follows {
			l.records[i].Scheduled = Known[time.Duration]{}
		}
	}
}

// kept are the records of all requests that were due, in the order of the
// schedule.
func (l *load) kept() []Record {
	kept := make([]Record, 0, len(l.records))
	for _, record := range l.records {
		if record != nil {
			kept = append(kept, *record)
		}
	}
	return kept
}

// reason is why a planned request did not leave.
func (l *load) reason(next Planned) error {
	switch {
	case l.stopped != nil:
		return l.stopped
	case l.decided != "":
		return &decidedError{l.decided}
	case next.follows:
		return errSession
	}
	return errOver
}

func recordID(i int) string { return fmt.Sprintf("r%d", i) }

// describe adds to the result how it came about.
func (l *load) describe(result *Result) {
	result.Profile = &l.profile
	result.Schedule = l.schedule
	result.Captures = l.client.seen.kept
	result.Environment = newEnvironment(l.client)
	result.Generator = l.generator(result.Records)
	if l.stopped != nil {
		result.Stopped = l.stopped.Error()
	}
	result.Decided = l.decided
}
