package llmbench

import (
	"github.com/llmbench/go/llmbench/internal/stats"
	"github.com/llmbench/go/llmbench/internal/sweep"
)

// A curveID picks one of the step functions of time.
type curveID uint8

const (
	concurrencyCurve curveID = iota
	prefillConcurrencyCurve
	decodeConcurrencyCurve
	prefillCurve
	decodeCurve
	totalCurve
	prefillPerUserCurve
	decodePerUserCurve
	tokensCurve
	curves // how many there are
)

// height reads the curve off the heights, and whether its mask is above 0.
func (c curveID) height(h *sweep.Heights) (value float64, active bool) {
	switch c {
	case concurrencyCurve:
		return float64(h.Concurrency), h.Concurrency > 0
	case prefillConcurrencyCurve:
		return float64(h.Prefill), h.Prefill > 0
	case decodeConcurrencyCurve:
		return float64(h.Decode), h.Decode > 0
	case prefillCurve:
		return h.PrefillRate.Float(), h.Prefill > 0
	case decodeCurve:
		return h.DecodeRate.Float(), h.Decode > 0
	case totalCurve:
		return h.PrefillRate.Add(h.DecodeRate).Float(), h.Concurrency > 0
	case prefillPerUserCurve:
		return perUser(h.PrefillRate, h.Prefill), h.Prefill > 0
	case decodePerUserCurve:
		return perUser(h.DecodeRate, h.Decode), h.Decode > 0
	}
	return h.Tokens.Float(), h.Concurrency > 0
}

func perUser(rate sweep.Fixed, users int64) float64 {
	if users == 0 {
		return 0
	}
	return rate.Float() / float64(users)
}

// curvesLeftOut counts the requests that do not feed a curve, by reason.
type curvesLeftOut struct {
	concurrency, phases, prefill, decode, total, tokens leftOut
}

// unless counts the reason, if there is one, and reports whether there is none.
func (l *leftOut) unless(why reason) bool {
	if why != present {
		l[why]++
	}
	return why == present
}

// all leaves a request out of every curve.
func (l *curvesLeftOut) all(why reason) {
	for _, c := range []*leftOut{&l.concurrency, &l.phases, &l.prefill, &l.decode, &l.total, &l.tokens} {
		c[why]++
	}
}

// skies are all curves of a run: the flights that feed them and their events
// in order of time.
type skies struct {
	flights []flight
	events  []sweep.Event
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
	for i := range s.flights {
		size += 2 + len(s.flights[i].record.Chunks)
	}
	s.events = make([]sweep.Event, 0, size)
	for i := range s.flights {
		s.events = s.flights[i].events(uint32(i), s.events)
	}
	sweep.Sort(s.events)
}

// walk visits the stretches of the window in order of time.
func (s *skies) walk(w Window, visit func(at, length int64, h *sweep.Heights)) {
	sweep.Walk(s.events, int64(w.From), int64(w.To), func(e sweep.Event, h *sweep.Heights) {
		s.flights[e.Request].apply(e.Step, h)
	}, visit)
}

// tally is the weighted sample of one curve: the heights while its mask is
// above 0, and how long it was not. A curve is 0 wherever its mask is 0.
type tally struct {
	pieces []stats.Piece
	last   stats.Piece
	idle   int64
}

func (t *tally) add(value float64, active bool, length int64) {
	if !active {
		t.idle += length
		return
	}
	if value == t.last.Value {
		t.last.Weight += length
		return
	}
	t.flush()
	t.last = stats.Piece{Value: value, Weight: length}
}

func (t *tally) flush() {
	if t.last.Weight > 0 {
		t.pieces = append(t.pieces, t.last)
	}
}

// weighted are the samples of the curve: where its mask is above 0 only, and
// over the whole window.
func (t *tally) weighted() (active, whole *stats.Weighted) {
	t.flush()
	active = stats.NewWeighted(t.pieces)
	return active, active.WithZero(t.idle)
}
