package llmbench

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const (
	// lineEvery is how often the line on a terminal is written anew: often enough
	// to look alive, seldom enough to read.
	lineEvery = 500 * time.Millisecond
	// logEvery is how often a test under -v logs a line.
	logEvery = 10 * time.Second
)

// progress counts while a run lasts. The load's lock guards it.
type progress struct {
	done, inFlight, failed int
}

func (p *progress) ended(r *Record) {
	p.inFlight--
	if r.Outcome == Unsent {
		return
	}
	p.done++
	if r.Outcome.Failed() {
		p.failed++
	}
}

// A teller shows a line of progress.
type teller struct {
	every time.Duration
	line  func(text string, share float64)
	end   func()
}

// tellers are those that people can see: the terminal on standard error, and a
// test's log under -v.
func tellers(logf func(string, ...any)) []teller {
	var all []teller
	if term.IsTerminal(int(os.Stderr.Fd())) {
		all = append(all, terminal())
	} else if logf != nil && verbose() {
		all = append(all, teller{logEvery, func(text string, _ float64) { logf("llmbench: %s", text) }, func() {}})
	}
	return all
}

// verbose reports whether this is a test under -v, without the package testing:
// it would come into every program that uses llmbench.
func verbose() bool {
	v := flag.Lookup("test.v")
	return v != nil && v.Value.String() != "false" && v.Value.String() != ""
}

// terminal is a bar that is gone when the run is over.
func terminal() teller {
	const steps = 1000
	bar := progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20),
		progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
	return teller{lineEvery, func(text string, share float64) {
		bar.Describe(text)
		_ = bar.Set(min(int(share*steps), steps-1)) // an error of the terminal's is no fault of the run
	}, func() { _ = bar.Finish() }}
}

// tell starts the tellers and returns what stops them. There is none in a
// bubble, where a run takes no time for those who would watch.
func (l *load) tell() (quiet func()) {
	if l.bubble || len(l.tellers) == 0 {
		return func() {}
	}
	stop := make(chan struct{})
	var group sync.WaitGroup
	for _, t := range l.tellers {
		group.Go(func() {
			ticks := time.NewTicker(t.every)
			defer ticks.Stop()
			defer t.end()
			for {
				select {
				case <-ticks.C:
					t.line(l.status())
				case <-stop:
					return
				}
			}
		})
	}
	return func() {
		close(stop)
		group.Wait()
	}
}

// status is the line of the moment, and which share of the run is over: "412 of
// 1200 done, 16 in flight, 39.8 req/s of 40, 2 failed, 20s left".
func (l *load) status() (text string, share float64) {
	l.mu.Lock()
	now, p, offered := l.now(), l.progress, l.profile.Arrivals.Rate()
	start, begun := l.door.start.Get()
	l.mu.Unlock()
	text = fmt.Sprintf("%d done", p.done)
	if planned := len(l.schedule.Requests); planned > 0 {
		text = fmt.Sprintf("%d of %d done", p.done, planned)
		share = float64(p.done) / float64(planned)
	}
	text += fmt.Sprintf(", %d in flight", p.inFlight)
	if seconds := now.Seconds(); seconds > 0 {
		text += fmt.Sprintf(", %.3g req/s", float64(p.done+p.inFlight)/seconds)
	}
	if offered > 0 {
		text += fmt.Sprintf(" of %.3g", float64(offered))
	}
	if p.failed > 0 {
		text += fmt.Sprintf(", %d failed", p.failed)
	}
	if l.schedule.Open {
		start, begun = l.firstMeasured().Get()
	}
	if end := start + l.profile.Duration; begun && l.profile.Duration > 0 {
		text += fmt.Sprintf(", %v left", max(end-now, 0).Round(time.Second))
		share = max(share, min(now.Seconds()/end.Seconds(), 1))
	}
	return text, share
}
