package llmbench

import (
	"runtime"
	"sync"

	"github.com/llmbench/go/llmbench/internal/sweep"
)

// skies are all curves of a run: the flights that feed them and their events
// in order of time.
type skies struct {
	flights []flight
	order   *sweep.Order
	left    curvesLeftOut
	// fed counts the flights that feed each curve.
	fed [curves]int
}

func newSkies(size int) *skies { return &skies{flights: make([]flight, 0, size)} }

// add takes a measured request that was sent.
func (s *skies) add(f *facts) {
	fl, ok := newFlight(f, &s.left)
	if !ok {
		return
	}
	s.flights = append(s.flights, fl)
	feeds := [curves]bool{
		true, fl.phases, fl.phases, fl.fills, fl.decodes, fl.fills || fl.decodes, fl.fills, fl.decodes, fl.holds,
	}
	for c, yes := range feeds {
		if yes {
			s.fed[c]++
		}
	}
}

// leftOutOf are the requests that do not feed the curve, by reason.
func (s *skies) leftOutOf(c curveID) map[string]int {
	l := &s.left
	from := [curves]*leftOut{
		&l.concurrency, &l.phases, &l.phases, &l.prefill, &l.decode, &l.total, &l.prefill, &l.decode, &l.tokens,
	}[c]
	return from.byText()
}

// sort lays out all events; call it once, after the last add.
func (s *skies) sort() {
	size := 0
	var span spread
	for i := range s.flights {
		fl := &s.flights[i]
		size += 2
		if fl.phases {
			size += int(fl.gaps) + 1
		}
		span.add(fl.sent)
		span.add(fl.end)
	}
	s.order = sweep.Arrange(size, span.first, span.last, func(yield func(sweep.Event)) {
		for i := range s.flights {
			s.flights[i].instants(uint32(i), yield)
		}
	})
}

// walk visits the stretches of the window in order of time.
func (s *skies) walk(w Window, visit func(at, length int64, h *sweep.Heights)) {
	all := sweep.Part{Events: s.order.Events, From: int64(w.From), To: int64(w.To)}
	s.walkPart(w, all, sweep.Heights{}, make([]passage, len(s.flights)), visit)
}

// walkPart visits the part's stretches, clipped to the window. The heights and
// the flights' passages are those at the part's beginning.
func (s *skies) walkPart(w Window, p sweep.Part, h sweep.Heights, at []passage, visit func(at, length int64, h *sweep.Heights)) {
	from, to := max(p.From, int64(w.From)), min(p.To, int64(w.To))
	sweep.Walk(h, p.Events, from, to, func(e sweep.Event, h *sweep.Heights) {
		s.flights[e.Request].apply(e.Step, &at[e.Request], h)
	}, visit)
}

// skyParts is how many parts a large run is walked in. It does not depend on
// the machine, so that sums are formed in one order everywhere.
const skyParts = 8

// walkParts walks the parts of the window side by side, each with its own
// visitor, which it makes in the part's order. It returns how many parts there
// were.
func (s *skies) walkParts(w Window, visitor func(part int) func(at, length int64, h *sweep.Heights)) int {
	parts := s.order.Parts(skyParts)
	next := make(chan int, len(parts))
	visitors := make([]func(at, length int64, h *sweep.Heights), len(parts))
	for i := range parts {
		visitors[i] = visitor(i)
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range min(len(parts), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			at := make([]passage, len(s.flights))
			for i := range next {
				h := s.arriveAt(parts[i].From, at)
				s.walkPart(w, parts[i], h, at, visitors[i])
			}
		})
	}
	wg.Wait()
	return len(parts)
}

// arriveAt brings the flights that are under way at an instant to where they
// are just before it, and returns the heights there.
func (s *skies) arriveAt(instant int64, at []passage) sweep.Heights {
	var h sweep.Heights
	for i := range s.flights {
		fl := &s.flights[i]
		if fl.sent >= instant || fl.end < instant {
			continue
		}
		fl.instants(uint32(i), func(e sweep.Event) {
			if e.At < instant {
				fl.apply(e.Step, &at[i], &h)
			}
		})
	}
	return h
}
