package llmbench

import (
	"fmt"
	"time"
)

// A Window is the stretch [From, To) of a run that figures are about, and the
// id of the rule that chose it.
type Window struct {
	From, To time.Duration
	Rule     string
}

// The rule ids of windows.
const (
	// WholeRule is the whole run: from the first scheduled instant (where
	// unknown, the send) to the last end of the measured requests.
	WholeRule = "whole"
	// BetweenRule is a stretch that the caller chose. Curves are clipped to it;
	// request metrics are over the requests that start in it.
	BetweenRule = "between"
)

// Length is how long the window is.
func (w Window) Length() time.Duration { return w.To - w.From }

// holds reports whether an instant lies in the window.
func (w Window) holds(at int64) bool { return at >= int64(w.From) && at < int64(w.To) }

// selects reports whether the window's request metrics cover the request: all
// of them in a whole run, those that start in the window else. A request that
// was never sent counts where it was scheduled.
func (w Window) selects(f *facts) bool {
	switch {
	case w.Rule == WholeRule:
		return true
	case f.hasSent:
		return w.holds(f.sent)
	}
	return f.hasScheduled && w.holds(f.scheduled)
}

// chooseWindow takes the caller's window, else the whole run.
func chooseWindow(records []Record, opts AnalyzeOptions) (Window, error) {
	switch {
	case opts.From == 0 && opts.To == 0:
		return wholeWindow(records), nil
	case opts.To <= opts.From:
		return Window{}, fmt.Errorf("llmbench: analyze: To is %v, want after From, %v", opts.To, opts.From)
	}
	return Window{From: opts.From, To: opts.To, Rule: BetweenRule}, nil
}

// wholeWindow spans the measured requests: from the first instant at which one
// was wanted or sent (a send before its schedule is a fault of the clock, but no
// part of a request may lie outside) to the last end. Without an end it has no
// length.
func wholeWindow(records []Record) Window {
	var starts, ends spread
	for i := range records {
		r := &records[i]
		if !r.Measured() {
			continue
		}
		if at, ok := nanos(r.Scheduled); ok {
			starts.add(at)
		}
		if at, ok := nanos(r.Sent); ok {
			starts.add(at)
		}
		if at, ok := nanos(r.End); ok {
			ends.add(at)
		}
	}
	w := Window{From: time.Duration(starts.first), Rule: WholeRule}
	w.To = max(w.From, time.Duration(ends.last))
	return w
}
