package llmbench

import "time"

// totals are the sums over the requests of a window, from which the single
// numbers come.
type totals struct {
	counts Counts
	window time.Duration // its length
	// input and output are sums over ok requests that know theirs; inputKnown
	// and outputKnown count those.
	input, output, cached               int64
	inputKnown, outputKnown, cacheKnown int
	// cachedInput is the input of the requests that know both counts.
	cachedInput int64
	// offered and achieved are the spread of scheduled and sent instants.
	offered, achieved spread
	// maxConcurrency and clipped, the mean concurrency in the window, come from
	// the curve.
	maxConcurrency, clipped Known[float64]
	// inFlight is the sum of E - S over all sent, in whole seconds and the
	// nanoseconds beside them, as a long run passes 64 bits of nanoseconds.
	inFlight          struct{ seconds, nanos int64 }
	inFlightKnown     int
	connections       int
	traced            int
	bytesIn, bytesOut int64
	// partial are the output tokens of requests that failed or were cancelled.
	partial      int64
	partialKnown int
	strict       strict
	truth        truth
	sources      Sources
	slos         []SLO
	held         []int // by SLO
	good         int
	devices      int
	blocks       Blocks
}

// spread is the first and the last of some instants.
type spread struct {
	n           int
	first, last int64
}

func (s *spread) add(at int64) {
	if s.n == 0 || at < s.first {
		s.first = at
	}
	if s.n == 0 || at > s.last {
		s.last = at
	}
	s.n++
}

// rate is intervals over span: n events of a steady stream span n-1 intervals,
// so that a plan of 10 req/s reads as 10 however few requests it has.
func (s *spread) rate() (float64, int, string) {
	switch {
	case s.n < 2:
		return 0, s.n, "fewer than 2 requests"
	case s.last == s.first:
		return 0, s.n, "all requests in one instant"
	}
	return float64(s.n-1) * 1e9 / float64(s.last-s.first), s.n, ""
}

func (t *totals) add(f *facts) {
	r := f.record
	t.counts.add(r.Outcome)
	if f.hasScheduled {
		t.offered.add(f.scheduled)
	}
	if r.Outcome != Unsent && f.hasSent {
		t.achieved.add(f.sent)
		if f.hasEnd && f.end >= f.sent {
			t.inFlight.seconds += (f.end - f.sent) / 1e9
			t.inFlight.nanos += (f.end - f.sent) % 1e9
			t.inFlightKnown++
		}
	}
	if h := r.HTTP; h != nil {
		t.traced++
		t.bytesIn += h.BytesIn
		t.bytesOut += h.BytesOut
		if !h.Reused {
			t.connections++
		}
	}
	if f.timing != present {
		t.counts.Inconsistent++
	}
	if f.early() {
		t.counts.EarlySends++
	}
	switch {
	case r.Outcome == OK:
		t.addTokens(f)
		t.truth.add(f)
		t.sources.add(f)
		t.addGood(f)
	case f.output > 0:
		t.partial += f.output
		t.partialKnown++
	}
}

func (t *totals) addTokens(f *facts) {
	if f.input >= 0 {
		t.input += f.input
		t.inputKnown++
	}
	if f.output >= 0 {
		t.output += f.output
		t.outputKnown++
	}
	if cached, why := cachedTokens(f); why == present {
		t.cached += cached
		t.cacheKnown++
		t.cachedInput += max(f.input, 0)
	}
}

// A single is one number of the run: its value, how many requests it is made
// of, and why it is absent, empty when it is not.
type single func(t *totals) (value float64, n int, absent string)

const (
	noWindow  = "the window has no length"
	noRequest = "no request"
	noOK      = "no ok request"
)

// perSecond divides a sum over the window; known says how many ok requests
// contributed. Without any ok request the throughput is a true 0.
func (t *totals) perSecond(sum int64, known int, missing string) (float64, int, string) {
	switch {
	case t.window <= 0:
		return 0, known, noWindow
	case known == 0 && t.counts.OK > 0:
		return 0, 0, missing
	}
	return float64(sum) / t.window.Seconds(), known, ""
}

func counted(count func(Counts) int) single {
	return func(t *totals) (float64, int, string) {
		n := count(t.counts)
		return float64(n), n, ""
	}
}

func errorRate(t *totals) (float64, int, string) {
	n := t.counts.OK + t.counts.Failed()
	if n == 0 {
		return 0, 0, noRequest
	}
	return float64(t.counts.Failed()) / float64(n), n, ""
}

func meanConcurrency(t *totals) (float64, int, string) {
	switch {
	case t.window <= 0:
		return 0, 0, noWindow
	case t.inFlightKnown == 0:
		return 0, 0, "no sent request with a known end"
	}
	sum := float64(t.inFlight.seconds) + float64(t.inFlight.nanos)/1e9
	return sum / t.window.Seconds(), t.inFlightKnown, ""
}

func maxConcurrency(t *totals) (float64, int, string) {
	value, ok := t.maxConcurrency.Get()
	if !ok {
		return 0, 0, "no sent request with a known end"
	}
	return value, t.inFlightKnown, ""
}

func cacheHitRate(t *totals) (float64, int, string) {
	switch {
	case t.cacheKnown == 0:
		return 0, 0, "cached tokens " + notReported.String()
	case t.cachedInput == 0:
		return 0, t.cacheKnown, "no input token"
	}
	return 100 * float64(t.cached) / float64(t.cachedInput), t.cacheKnown, ""
}

func uncachedRate(t *totals) (float64, int, string) {
	return t.perSecond(t.cachedInput-t.cached, t.cacheKnown, "cached tokens "+notReported.String())
}

// trace makes a single of a sum that only traced requests know.
func trace(sum func(*totals) int64) single {
	return func(t *totals) (float64, int, string) {
		if t.traced == 0 {
			return 0, 0, notMeasured.String()
		}
		return float64(sum(t)), t.traced, ""
	}
}

func requestRate(t *totals) (float64, int, string) {
	return t.perSecond(int64(t.counts.OK), t.counts.OK, "")
}

func outputRate(t *totals) (float64, int, string) {
	return t.perSecond(t.output, t.outputKnown, noOutput.String())
}

func totalRate(t *totals) (float64, int, string) {
	if t.counts.OK > 0 && t.outputKnown == 0 {
		return 0, 0, noOutput.String()
	}
	return t.perSecond(t.input+t.output, t.inputKnown, noInput.String())
}

func duration(t *totals) (float64, int, string) {
	if t.counts.Planned == 0 {
		return 0, 0, noRequest
	}
	return t.window.Seconds(), t.counts.Planned, ""
}
