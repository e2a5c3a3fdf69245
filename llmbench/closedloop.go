package llmbench

import (
	"context"
	"sync"
	"time"
)

// runClosed lets every user send, wait and send again.
func (l *load) runClosed(ctx context.Context) {
	var users sync.WaitGroup
	for number := range l.profile.Arrivals.Users() {
		users.Go(func() {
			for l.present(ctx, number) {
				turns := l.admit()
				if len(turns) == 0 || !l.converse(ctx, turns) {
					return
				}
			}
		})
	}
	users.Wait()
}

// present waits until the load has a place for the user, and reports false when
// it will have none.
func (l *load) present(ctx context.Context, number int) bool {
	for ctx.Err() == nil {
		users, next := usersAt(l.profile.Arrivals, l.now())
		if number < users {
			return true
		}
		begin, changes := next.Get()
		if !changes || !l.wait(ctx, begin-l.now()) {
			return false
		}
	}
	return false
}

// wait lets a user wait; false when the run ends before that.
func (l *load) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.over:
	case <-ctx.Done():
	}
	return false
}

// converse sends the turns of a session one after another, with the user's
// thinking between them and after the last. It reports false when the run ended
// meanwhile. A turn that fails ends the session.
func (l *load) converse(ctx context.Context, turns []Planned) bool {
	var talk conversation
	for i, next := range turns {
		if i > 0 {
			next.At = l.now()
			if l.spent(next.At) {
				return false
			}
		}
		record := l.send(ctx, &sending{Planned: next, talk: &talk, launched: next.At})
		if !l.wait(ctx, next.Think) {
			return false
		}
		if record.Outcome != OK {
			break
		}
	}
	return true
}

// spent reports whether a request that becomes due at the instant comes after
// the end.
func (l *load) spent(at time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	start, begun := l.door.start.Get()
	p := l.profile
	return begun && p.Duration > 0 && at-start >= p.Duration+p.Cooldown
}

// admit takes the next session for a user who is ready now.
func (l *load) admit() []Planned {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.now()
	known := l.door.start.Ok()
	turns := l.door.admit(at)
	if !known && l.door.start.Ok() {
		l.armEnd(l.door.start.Or(0))
	}
	for _, next := range turns {
		if next.Index >= len(l.records) {
			l.records = append(l.records, nil)
		}
	}
	return turns
}
