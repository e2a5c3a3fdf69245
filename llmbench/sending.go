package llmbench

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/llmbench/go/llmbench/internal/wire"
)

var (
	errTimeout = errors.New("Profile.Timeout was over")
	errGivenUp = errors.New("given up on purpose by Profile.Cancel")
)

// A sending is a request on its way out.
type sending struct {
	Planned
	talk    *conversation
	content func() // to call at the first content; may be nil
	// late is how late its instant was seen, and launched when it was handed over:
	// what lies between is the wait for a slot, which is not the harness's fault.
	late, launched time.Duration
}

// send does one request, keeps its record and returns it.
func (l *load) send(ctx context.Context, s *sending) *Record {
	l.mu.Lock()
	l.progress.inFlight++
	l.mu.Unlock()
	record, planned := l.client.do(ctx, s)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress.ended(record)
	if sent, ok := record.Sent.Get(); ok {
		l.delays = append(l.delays, s.late+sent-s.launched)
	}
	if record.Outcome == OK && record.InputFrom == FromUsage && planned > 0 {
		l.sized++
		l.sizeError += math.Abs(float64(record.InputTokens.Or(0)-planned)) / float64(planned)
	}
	if err := l.collapse.add(record, l.profile.FailureLimit, l.progress.inFlight+1); err != nil {
		l.endFor(err)
	}
	if l.watch != nil && record.Measured() {
		if why := l.watch(record); why != "" {
			l.endFor(&decidedError{why})
		}
	}
	l.records[s.Index] = record
	return record
}

// do sends one planned request of a conversation and returns its record. It
// never fails: what went wrong is in the record. planned is how many tokens the
// prompt was meant to have, 0 where that cannot be known.
//
// Its frame, and those of its callers, stay in memory once per stream: what is
// large lives in the functions it calls.
func (c *client) do(ctx context.Context, out *sending) (record *Record, planned int) {
	record = newRecord(&out.Planned)
	request, planned := c.writer.request(&out.Planned, out.talk)
	if err := context.Cause(ctx); err != nil {
		record.Error = err.Error()
		return record, 0
	}
	ctx, cancel := c.bounded(ctx, out.Cancel)
	defer cancel()
	reply := c.callFor(record.ID, out.content).Exchange(ctx, request)
	c.settle(record, reply, out, planned)
	if cause := context.Cause(ctx); cause != nil && record.Outcome == Cancelled {
		record.Error = cause.Error() + ": " + record.Error // who of us it was
	}
	c.tokens.keep(record, request, reply)
	if !c.writer.exact(&out.Planned) {
		planned = 0
	}
	return record, planned
}

// newRecord is the record of a request that has not left.
func newRecord(next *Planned) *Record {
	record := &Record{
		ID: recordID(next.Index), Session: next.Session, Turn: next.Turn, Label: next.Label,
		Phase: next.Phase, Scheduled: Is(next.At), Outcome: Unsent,
	}
	if next.Output > 0 {
		record.RequestedOutputTokens = Is(next.Output)
	}
	return record
}

// bounded is the context of one request: its time-out, and the moment in which
// its caller gives up, if it does.
func (c *client) bounded(ctx context.Context, giveUp Known[time.Duration]) (context.Context, context.CancelFunc) {
	cancel := context.CancelFunc(func() {})
	if c.timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, c.timeout, errTimeout)
	}
	after, ok := giveUp.Get()
	if !ok {
		return ctx, cancel
	}
	outer := cancel
	ctx, leave := context.WithCancelCause(ctx)
	timer := time.AfterFunc(after, func() { leave(errGivenUp) })
	return ctx, func() {
		timer.Stop()
		leave(nil)
		outer()
	}
}

// callFor is the call of one request.
func (c *client) callFor(id string, content func()) *wire.Call {
	call := c.call
	call.Now = c.now
	call.OnContent = content
	call.Header = c.call.Header.Clone()
	call.Header.Set("X-Request-Id", id) // so that a server's log and ours can be laid side by side
	return &call
}

// settle fills in the record from what the wire saw.
func (c *client) settle(record *Record, reply *wire.Reply, out *sending, planned int) {
	record.take(reply)
	record.countTokens(planned)
	c.seen.keep(Capture{record.ID, record.Outcome, reply.Capture})
	c.writer.heard(&out.Planned, out.talk, reply.Text(), record)
	if reply.Generator {
		c.faults.Add(1)
	}
}
