package dialect

import (
	"math"
	"time"

	"github.com/llmbench/go/llmbench"
)

// An Import is another tool's result file read as our records, as far as the
// file carries the facts. [llmbench.Analyze] takes the records; what a missing
// fact would feed is absent there, with its reason.
type Import struct {
	// Tool wrote the file.
	Tool    string
	Records []llmbench.Record
	// Missing lists the facts that the file does not carry.
	Missing []string
}

// missing notes a fact once.
func (m *Import) missing(fact string) {
	for _, known := range m.Missing {
		if known == fact {
			return
		}
	}
	m.Missing = append(m.Missing, fact)
}

// rebase moves all instants so that the run starts at 0: with the first
// schedule or send.
func (m *Import) rebase() {
	first := time.Duration(math.MaxInt64)
	for i := range m.Records {
		r := &m.Records[i]
		first = min(first, r.Scheduled.Or(first), r.Sent.Or(first))
	}
	for i := range m.Records {
		r := &m.Records[i]
		for _, at := range []*llmbench.Known[time.Duration]{&r.Scheduled, &r.Sent, &r.Headers, &r.End} {
			if d, ok := at.Get(); ok {
				*at = llmbench.Is(d - first)
			}
		}
		for k := range r.Chunks {
			r.Chunks[k].At -= first
		}
	}
}

// seconds turns a tool's float seconds into a duration, to the nanosecond.
func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// plausible reports whether seconds can be an instant of a run: finite, and
// within 73 years of the clock's zero.
func plausible(s float64) bool { return math.Abs(s) < 1<<31 }

const (
	noSchedule = "scheduled instants"
	noHeaders  = "response headers"
	noMiddle   = "the chunks between the first and the last"
	noKinds    = "events without content, and which chunk is reasoning"
	noSource   = "whether token counts are the server's or a tokenizer's"
)
