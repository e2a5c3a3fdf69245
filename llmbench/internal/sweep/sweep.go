package sweep

import "github.com/llmbench/go/llmbench/internal/stats"

// An Event is an instant at which a request changes the heights. Request and
// Step say which request and what happens; their meaning is the caller's. The
// struct is 16 bytes, as a run of a million requests has ten million of them.
type Event struct {
	At      int64
	Request uint32
	Step    uint32
}

// Sort orders events by time. Events of one instant keep their order, which
// matters within one request only.
func Sort(events []Event) {
	stats.SortBy(events, func(e Event) uint64 { return uint64(e.At) ^ 1<<63 })
}

// Heights are the heights of all functions at one moment.
type Heights struct {
	// Concurrency, Prefill and Decode count requests.
	Concurrency, Prefill, Decode int64
	// PrefillRate and DecodeRate are in tokens per second.
	PrefillRate, DecodeRate Fixed
	// Tokens counts tokens held; equal shares make it fractional.
	Tokens Fixed
}

// Walk calls apply for every event in order, and visit for every stretch of
// positive length within [from, to) between two events of distinct time, with
// the heights that hold on it. Functions are right-continuous: what happens at
// an instant holds from it on. Stretches are visited in order and cover
// [from, to) without a gap; before the first event heights are as given.
func Walk(h Heights, events []Event, from, to int64, apply func(Event, *Heights), visit func(at, length int64, h *Heights)) {
	at := from
	for _, e := range events {
		if until := min(e.At, to); until > at {
			visit(at, until-at, &h)
			at = until
		}
		apply(e, &h)
	}
	if at < to {
		visit(at, to-at, &h)
	}
}
