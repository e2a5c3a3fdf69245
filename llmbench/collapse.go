package llmbench

import "fmt"

// failureWindow is how many of the last requests are looked at, at least. A
// hundred is few enough to stop a loop against a dead server within its first
// second, and four times what is in flight is enough for one hiccup that breaks
// all open connections at once.
const failureWindow = 100

// A collapse watch judges whether going on makes sense.
type collapse struct {
	recent []bool // of the last requests that ended well or failed: failed
	failed int
}

// add takes an outcome and returns an error when the limit is reached. Requests
// cancelled on purpose and unsent ones say nothing about the server.
func (f *collapse) add(record *Record, limit float64, inFlight int) error {
	if record.Outcome != OK && !record.Outcome.Failed() || limit == NoFailureLimit {
		return nil
	}
	f.recent = append(f.recent, record.Outcome.Failed())
	if record.Outcome.Failed() {
		f.failed++
	}
	window := max(failureWindow, 4*inFlight)
	for len(f.recent) > window {
		if f.recent[0] {
			f.failed--
		}
		f.recent = f.recent[1:]
	}
	if len(f.recent) < window || float64(f.failed) < limit*float64(window) {
		return nil
	}
	return &failureError{f.failed, window, limit, record.Error}
}

// A failureError ends a run in which too much fails.
type failureError struct {
	failed, of int
	limit      float64
	last       string
}

func (e *failureError) Error() string {
	text := fmt.Sprintf("%d of the last %d requests failed and FailureLimit is %.3g", e.failed, e.of, e.limit)
	if e.last != "" {
		text += ", the last one: " + e.last
	}
	return text
}
