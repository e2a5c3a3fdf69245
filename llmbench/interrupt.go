package llmbench

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"time"

	"github.com/llmbench/go/llmbench/internal/pace"
)

// errInterrupt is why a run ended that a user stopped.
var errInterrupt = errors.New("interrupted")

// interruptible is a context that Ctrl-C ends too, so that an hour's run is not
// lost with its last minute: the run ends early and is kept like any other.
// After that again lets the signal do what it would have done, which ends most
// test binaries; a second Ctrl-C does so at once. In a synctest bubble, where a run takes
// no time and a signal would come from outside, it is the context given.
func interruptible(parent context.Context) (ctx context.Context, again func()) {
	if pace.Standing() {
		return parent, func() {}
	}
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	watched := make(chan struct{})
	seen := false
	go func() {
		defer close(watched)
		select {
		case <-signals:
			seen = true
			signal.Stop(signals)
			cancel(errInterrupt)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-watched
		signal.Stop(signals)
		if seen {
			raise()
		}
	}
}

// raise gives the signal to the process once more, and waits for the moment that
// it takes to arrive. Where somebody else catches it the test goes on, as failed.
func raise() {
	self, err := os.FindProcess(os.Getpid())
	if err != nil || self.Signal(os.Interrupt) != nil {
		return // where there is no such signal there was none to begin with
	}
	time.Sleep(delivery)
}

// delivery is far more than the microseconds that a signal takes on a machine
// that still answers.
const delivery = 200 * time.Millisecond
