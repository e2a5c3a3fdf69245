package llmbench

import "github.com/llmbench/go/llmbench/internal/sweep"

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
