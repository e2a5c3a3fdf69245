package llmbench

import (
	"encoding/json"
	"fmt"
	"math"
)

// An SLO is a bound that each request should keep: the metric's value at most
// Limit, or at least Limit. The bound itself is kept. It says nothing about a
// percentile: that 90 % of the requests keep it is an attainment of 0.9.
type SLO struct {
	// Metric must be per request; the effective ones are the honest choice for
	// an open loop, as they start at the schedule.
	Metric Metric
	// Limit is in the metric's unit: ms, tok/s/user.
	Limit float64
	// AtLeast turns the bound around, for a throughput.
	AtLeast bool
}

// String is the bound as people write it: time_to_first_token <= 200 ms.
func (s SLO) String() string {
	sign := "<="
	if s.AtLeast {
		sign = ">="
	}
	return fmt.Sprintf("%s %s %v %s", s.Metric.Tag(), sign, s.Limit, s.Metric.Unit())
}

func (s SLO) check() error {
	switch {
	case s.Metric.row == nil:
		return fmt.Errorf("SLO has no Metric")
	case s.Metric.Kind() != PerRequest:
		return fmt.Errorf("SLO on %s, which is %s, want a metric per request", s.Metric.Tag(), s.Metric.Kind())
	case math.IsNaN(s.Limit) || math.IsInf(s.Limit, 0) || s.Limit < 0:
		return fmt.Errorf("SLO on %s: Limit is %v, want a finite number >= 0", s.Metric.Tag(), s.Limit)
	}
	return nil
}

// holds reports whether an ok request keeps the bound. A metric that does not
// exist for the request, the TPOT of a one-token reply, does not break it.
func (s SLO) holds(f *facts) bool {
	value, why := s.Metric.row.value(f)
	switch {
	case why != present:
		return true
	case s.AtLeast:
		return value >= s.Limit
	}
	return value <= s.Limit
}

// value is the request's value of a PerRequest metric, in the metric's unit.
func (r *row) value(f *facts) (float64, reason) {
	if r.ratio != nil {
		return r.ratio(f)
	}
	v, why := r.span(f)
	return float64(v) / perUnit(r.unit), why
}

// perUnit is how many of the whole numbers that formulas give make one of the
// unit: nanoseconds for ms, else one for one.
func perUnit(unit string) float64 {
	if unit == "ms" {
		return 1e6
	}
	return 1
}

// An Attainment says how many requests kept one SLO.
type Attainment struct {
	SLO SLO
	// Held requests of Of = ok + failures kept it. A failed request keeps
	// nothing.
	Held, Of int
}

// Share is Held / Of; absent where no request ended.
func (a Attainment) Share() Known[float64] {
	if a.Of == 0 {
		return Known[float64]{}
	}
	return Is(float64(a.Held) / float64(a.Of))
}

// MarshalJSON writes the attainment with its denominator.
func (a Attainment) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Metric  string         `json:"metric"`
		Limit   float64        `json:"limit"`
		AtLeast bool           `json:"at_least"`
		Held    int            `json:"held"`
		Of      int            `json:"of"`
		Share   Known[float64] `json:"share"`
	}{a.SLO.Metric.Tag(), a.SLO.Limit, a.SLO.AtLeast, a.Held, a.Of, a.Share()})
}

// addGood judges an ok request by every SLO.
func (t *totals) addGood(f *facts) {
	good := true
	for i, slo := range t.slos {
		if slo.holds(f) {
			t.held[i]++
		} else {
			good = false
		}
	}
	if good {
		t.good++
	}
}

func (t *totals) attainments() []Attainment {
	var all []Attainment
	for i, slo := range t.slos {
		all = append(all, Attainment{slo, t.held[i], t.counts.OK + t.counts.Failed()})
	}
	return all
}

const noSLO = "no SLO given"

func goodput(t *totals) (float64, int, string) {
	if len(t.slos) == 0 {
		return 0, 0, noSLO
	}
	return t.perSecond(int64(t.good), t.counts.OK+t.counts.Failed(), "")
}

func goodCount(t *totals) (float64, int, string) {
	if len(t.slos) == 0 {
		return 0, 0, noSLO
	}
	return float64(t.good), t.counts.OK + t.counts.Failed(), ""
}

func goodFraction(t *totals) (float64, int, string) {
	n := t.counts.OK + t.counts.Failed()
	switch {
	case len(t.slos) == 0:
		return 0, 0, noSLO
	case n == 0:
		return 0, 0, noRequest
	}
	return float64(t.good) / float64(n), n, ""
}
