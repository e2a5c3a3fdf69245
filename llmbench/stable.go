package llmbench

import (
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench/internal/stats"
)

// StableRule is AISBench's `stable` stage, by its rule of 2026-08-17: the
// second start that brings the requests in flight to exactly the configured
// concurrency opens the window, the last start or end that leaves them there
// closes it. Requests that start in it, both ends included, are covered from
// their start to their end, so tokens outside the window count: the strict
// figures beside them say how many.
const StableRule = "aisbench/stable-2026-08-17"

// NoStableStage is the error of a run that never settled at its concurrency.
type NoStableStage struct {
	// Concurrency is the number of users that was configured, and Reached how
	// many starts brought the run to exactly that: 0 or 1.
	Concurrency, Reached int
}

// Error says how far the run came.
func (e *NoStableStage) Error() string {
	if e.Reached == 1 {
		return fmt.Sprintf("no stable stage: %d in flight reached once", e.Concurrency)
	}
	return fmt.Sprintf("no stable stage: %d in flight never reached", e.Concurrency)
}

// StableWindow finds the stable stage of the measured ok requests by
// [StableRule]. Its length can be 0: then no rate exists. Of events in one
// instant the record that comes first in records comes first, as AISBench has
// it: the one figure here for which the order of records matters. The error is
// a [*NoStableStage], or says that concurrency is not positive.
func StableWindow(records []Record, concurrency int) (Window, error) {
	if concurrency < 1 {
		return Window{}, wrong("Concurrency", "is %d, want >= 1 for the rule %s", concurrency, StableRule)
	}
	inFlight, reached := 0, 0
	w := Window{Rule: StableRule}
	for _, e := range startsAndEnds(records) {
		inFlight += e.step
		if inFlight != concurrency {
			continue
		}
		if e.step > 0 {
			if reached++; reached == 2 {
				w.From = time.Duration(e.at)
			}
		}
		w.To = time.Duration(e.at)
	}
	if reached < 2 {
		return Window{}, &NoStableStage{concurrency, reached}
	}
	return w, nil
}

// An edge is a start (step 1) or an end (step -1) of a request.
type edge struct {
	at   int64
	step int
}

// startsAndEnds lists the edges of the measured ok requests by time. A request
// ends with its last data event; one that was not streamed, with its reply.
func startsAndEnds(records []Record) []edge {
	edges := make([]edge, 0, 2*len(records))
	for i := range records {
		start, end, ok := records[i].eventSpan()
		if ok {
			edges = append(edges, edge{start, 1}, edge{end, -1})
		}
	}
	stats.SortBy(edges, func(e edge) uint64 { return uint64(e.at) ^ 1<<63 })
	return edges
}

// eventSpan is the request from its send to its last data event, if it is a
// measured ok one that knows both and does not contradict itself.
func (r *Record) eventSpan() (start, end int64, ok bool) {
	if r.Outcome != OK || !r.Measured() {
		return 0, 0, false
	}
	start, sent := nanos(r.Sent)
	end, ended := nanos(r.End)
	if n := len(r.Chunks); r.Streamed && n > 0 {
		end, ended = int64(r.Chunks[n-1].At), true
	}
	return start, end, sent && ended && end >= start
}
