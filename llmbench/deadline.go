package llmbench

import (
	"context"
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench/internal/pace"
)

// reserve is what a run leaves of a test's time for the claims and the reports:
// a twentieth, between 1 s and 10 s.
func reserve(left time.Duration) time.Duration {
	return min(max(left/20, time.Second), 10*time.Second)
}

// A deadlineError ends a run because its test would be killed with all results.
type deadlineError struct{ left time.Duration }

func (e *deadlineError) Error() string {
	return fmt.Sprintf("the test's deadline is %v away; raise go test -timeout or make the run shorter", e.left.Round(time.Second))
}

// untilDeadline is the test's context, ended early enough before the test's own
// deadline that what was measured can still be reported. A T without a Deadline
// has none, and in a synctest bubble testing.T panics when it is asked.
func untilDeadline(t T) (context.Context, context.CancelFunc) {
	ctx := t.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	timed, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok || pace.Standing() {
		return ctx, func() {}
	}
	deadline, ok := timed.Deadline()
	if !ok {
		return ctx, func() {}
	}
	keep := reserve(time.Until(deadline))
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(time.Until(deadline)-keep, func() { cancel(&deadlineError{keep}) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}
