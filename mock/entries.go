package mock

import "time"

// entries is a heap of streams by their next instant, then by number. The keys
// stand beside the pointer: with them in the streams, comparing cost more than
// all else that is done for a token but writing it.
type entries []entry

// entry is a stream with the keys it is ordered by.
type entry struct {
	due    time.Duration
	number int
	stream *stream
}

func (e entry) before(f entry) bool {
	if e.due != f.due {
		return e.due < f.due
	}
	return e.number < f.number
}

func (h entries) Len() int { return len(h) }

func (h entries) Less(i, j int) bool { return h[i].before(h[j]) }

func (h entries) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].stream.place, h[j].stream.place = i, j
}

func (h *entries) Push(x any) {
	e := x.(entry)
	e.stream.place = len(*h)
	*h = append(*h, e)
}

func (h *entries) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = entry{}
	*h = old[:len(old)-1]
	e.stream.place = -1
	return e
}
