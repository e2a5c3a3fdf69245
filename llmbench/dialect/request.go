package dialect

import (
	"slices"
	"time"

	"github.com/llmbench/go/llmbench"
)

// A request is one ok request as other tools see it, in nanoseconds.
type request struct {
	record *llmbench.Record
	// scheduled is valid if hasScheduled.
	scheduled, sent, end time.Duration
	hasScheduled         bool
	// events are all data events, choices those that carry a choice, content
	// those with content. A reply that was not streamed has none.
	events, choices, content []time.Duration
	// input and output are below 0 where unknown.
	input, output int
}

// newRequest reads an ok request; it fails where the send or the end is unknown
// or instants contradict each other.
func newRequest(r *llmbench.Record) (request, bool) {
	sent, hasSent := r.Sent.Get()
	end, hasEnd := r.End.Get()
	q := request{record: r, sent: sent, end: end}
	q.scheduled, q.hasScheduled = r.Scheduled.Get()
	if r.Streamed {
		q.readChunks()
		if n := len(q.events); !hasEnd && n > 0 {
			q.end, hasEnd = q.events[n-1], true
		}
	}
	q.input, q.output = r.ISL().Or(-1), r.OSL().Or(-1)
	ordered := slices.IsSorted(q.events) && (len(q.events) == 0 || q.events[0] >= sent && q.events[len(q.events)-1] <= q.end)
	return q, hasSent && hasEnd && end >= sent && ordered
}

func (q *request) readChunks() {
	for _, c := range q.record.Chunks {
		q.events = append(q.events, c.At)
		if c.Kind != llmbench.UsageChunk {
			q.choices = append(q.choices, c.At)
		}
		if c.Content() {
			q.content = append(q.content, c.At)
		}
	}
}

// streamed reports whether there is a first event apart from the end.
func (q *request) streamed() bool { return len(q.events) > 0 }

// requests reads the ok requests of a result; bad counts those that cannot be
// used.
func requests(r *llmbench.Result) (all []request, bad int) {
	for record := range r.Requests() {
		if record.Outcome != llmbench.OK {
			continue
		}
		q, ok := newRequest(record)
		if !ok {
			bad++
			continue
		}
		all = append(all, q)
	}
	return all, bad
}

// gapsOf are the spans between neighbours, in the unit of which per makes a
// nanosecond count.
func gapsOf(at []time.Duration, per float64) []float64 {
	var gaps []float64
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, float64(at[i]-at[i-1])/per)
	}
	return gaps
}
