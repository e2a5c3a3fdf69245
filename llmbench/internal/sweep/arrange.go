package sweep

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
)

// bucketSize is how many events a bucket holds on average: as many as the
// second cache level takes, together with their scratch copy.
const bucketSize = 2048

// An Order is all events of a run in order of time, and where its buckets of
// equal time begin.
type Order struct {
	Events []Event
	first  int64
	shift  uint
	starts []int // of buckets, and the end of the last
}

// Arrange sorts the events that emit yields, n of them at most, none before
// first or after last. It calls emit twice, and emit must yield the same events
// in the same order. Events of one instant keep that order.
//
// It is a bucket sort by time: count, place, and sort each bucket while it is
// in the cache, on all cores. A plain radix sort of 12 million events moved four
// times as much memory and took three times as long.
func Arrange(n int, first, last int64, emit func(yield func(Event))) *Order {
	o := &Order{Events: make([]Event, n), first: first}
	buckets := max(1, n/bucketSize)
	if span := bits.Len64(uint64(last - first)); span > bits.Len(uint(buckets)) {
		o.shift = uint(span - bits.Len(uint(buckets)))
	}
	o.starts = make([]int, uint64(last-first)>>o.shift+2)
	emit(func(e Event) { o.starts[o.bucket(e.At)+1]++ })
	for i := 1; i < len(o.starts); i++ {
		o.starts[i] += o.starts[i-1]
	}
	at := make([]int, len(o.starts))
	copy(at, o.starts)
	emit(func(e Event) {
		b := o.bucket(e.At)
		o.Events[at[b]] = e
		at[b]++
	})
	o.Events = o.Events[:o.starts[len(o.starts)-1]]
	o.sortBuckets()
	return o
}

func (o *Order) bucket(at int64) int { return int(uint64(at-o.first) >> o.shift) }

// sortBuckets sorts every bucket, each core its own stretch of them.
func (o *Order) sortBuckets() {
	workers := runtime.GOMAXPROCS(0)
	if len(o.Events) < 4*bucketSize {
		workers = 1
	}
	var wg sync.WaitGroup
	buckets := len(o.starts) - 1
	for w := range workers {
		from, to := buckets*w/workers, buckets*(w+1)/workers
		wg.Go(func() {
			var scratch []Event
			for b := from; b < to; b++ {
				events := o.Events[o.starts[b]:o.starts[b+1]]
				if len(events) > len(scratch) {
					scratch = make([]Event, len(events)+bucketSize)
				}
				sortEvents(events, scratch, o.first+int64(b)<<o.shift, o.shift)
			}
		})
	}
	wg.Wait()
}

// sortEvents sorts events stably that lie within 2^width of base: by insertion
// if few, else by radix with digits of eight bits.
func sortEvents(events, scratch []Event, base int64, width uint) {
	if len(events) <= 32 {
		for i := 1; i < len(events); i++ {
			e := events[i]
			k := i
			for ; k > 0 && events[k-1].At > e.At; k-- {
				events[k] = events[k-1]
			}
			events[k] = e
		}
		return
	}
	from, to := events, scratch[:len(events)]
	for shift := uint(0); shift < width; shift += 8 {
		var at [256]int
		for i := range from {
			at[uint8(uint64(from[i].At-base)>>shift)]++
		}
		sum := 0
		for d, n := range at {
			at[d], sum = sum, sum+n
		}
		for i := range from {
			d := uint8(uint64(from[i].At-base) >> shift)
			to[at[d]] = from[i]
			at[d]++
		}
		from, to = to, from
	}
	if &from[0] != &events[0] {
		copy(events, from)
	}
}

// A Part is a stretch of an order: its events, and the time that it is about,
// from From to before To. All parts together are about all time.
type Part struct {
	Events   []Event
	From, To int64
}

// Parts cuts the order into at most n parts of about equally many events. No
// instant is cut in two, and where the cuts are does not depend on the order in
// which events were emitted.
func (o *Order) Parts(n int) []Part {
	var parts []Part
	enough := (len(o.Events) + n - 1) / n
	begin, from, last := 0, int64(math.MinInt64), len(o.starts)-1
	for b := 1; b < last; b++ {
		if o.starts[b]-o.starts[begin] < enough {
			continue
		}
		to := o.first + int64(b)<<o.shift
		parts = append(parts, Part{o.Events[o.starts[begin]:o.starts[b]], from, to})
		begin, from = b, to
	}
	return append(parts, Part{o.Events[o.starts[begin]:], from, math.MaxInt64})
}
