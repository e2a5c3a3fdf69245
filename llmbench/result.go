package llmbench

import (
	"bytes"
	"encoding/json"
)

// A Result is what a run measured: its records, the window that the figures
// are about, and the statistics of every metric. It does not change and is safe
// for concurrent use.
type Result struct {
	// Records are the requests, warm-up included, in the order in which they
	// were given.
	Records []Record
	// Window is the stretch that every figure is about.
	Window Window
	// Counts say what became of the requests.
	Counts Counts
	// Sources say where the token counts came from.
	Sources Sources
	// Attainments say how many requests kept each SLO, in the order in which
	// they were given.
	Attainments []Attainment
	// Devices is the divisor of the figures per device; 0 if none was given.
	Devices int
	// Concurrency is the number of users of a closed loop, the most at once where
	// it changes, or what AnalyzeOptions said; 0 is an open loop or unknown.
	Concurrency int

	// Profile and Schedule are the load, Environment is what it was measured
	// with and Generator what the harness itself did. All are nil for records
	// that came from elsewhere.
	Profile     *Profile
	Schedule    *Schedule
	Environment *Environment
	Generator   *Generator
	// ServerSide is what the server said of itself meanwhile; nil if nobody asked.
	ServerSide *ServerSide
	// Captures are the exchanges that Profile.Capture asked to keep.
	Captures []Capture
	// Stopped says why a run ended early; empty if it did not.
	Stopped string
	// Decided says why Profile.StopWhenDecided ended the run; empty if it did not.
	Decided string
	// Test is the test that [Run] measured for; empty elsewhere.
	Test string

	whole   Window
	options AnalyzeOptions
	stats   []Stats // by table row
	judged  judgements
}

// Stats are the statistics of one metric. Of the zero Metric, and of a Result
// that [Analyze] did not make, they are absent.
func (r *Result) Stats(m Metric) Stats {
	if m.row == nil || len(r.stats) == 0 {
		return Stats{metric: m, absent: "not analysed"}
	}
	return r.stats[m.row.index]
}

// ResultSchema names the form of a result in JSON.
const ResultSchema = "llmbench.result/v1"

type windowJSON struct {
	From   int64  `json:"from_ns"`
	To     int64  `json:"to_ns"`
	Length int64  `json:"length_ns"`
	Rule   string `json:"rule"`
	// Share is the part of the whole run that the window is.
	Share float64 `json:"share_of_run"`
}

// Whole is the window of the whole run, whatever Window is: Window.Share of it
// says how much of the run the figures are about.
func (r *Result) Whole() Window { return r.whole }

type resultJSON struct {
	Schema      string            `json:"schema"`
	Window      windowJSON        `json:"window"`
	Profile     *Profile          `json:"profile,omitempty"`
	Schedule    *Schedule         `json:"schedule,omitempty"`
	Environment *Environment      `json:"environment,omitempty"`
	Generator   *Generator        `json:"generator,omitempty"`
	ServerSide  *ServerSide       `json:"server_side,omitempty"`
	Stopped     string            `json:"stopped,omitempty"`
	Decided     string            `json:"decided,omitempty"`
	Test        string            `json:"test,omitempty"`
	Judgements  []Judgement       `json:"claims,omitempty"`
	Counts      Counts            `json:"counts"`
	Sources     Sources           `json:"sources"`
	SLOs        []Attainment      `json:"slos,omitempty"`
	Devices     int               `json:"devices,omitempty"`
	Metrics     orderedStats      `json:"metrics"`
	Absent      map[string]string `json:"absent"`
}

// MarshalJSON writes schema llmbench.result/v1: under metrics one object per
// metric in table order, null where it is absent, and under absent the reason.
// Records have a file of their own, see [WriteRecords]. It never fails on a
// figure: none is NaN or infinite.
func (r *Result) MarshalJSON() ([]byte, error) {
	out := resultJSON{
		Schema:  ResultSchema,
		Window:  windowJSON{int64(r.Window.From), int64(r.Window.To), int64(r.Window.Length()), r.Window.Rule, r.Window.Share(r.whole)},
		Profile: r.Profile, Schedule: r.Schedule, Environment: r.Environment,
		Generator: r.Generator, ServerSide: r.ServerSide, Stopped: r.Stopped, Decided: r.Decided, Test: r.Test, Judgements: r.Judgements(),
		Counts: r.Counts, Sources: r.Sources, SLOs: r.Attainments, Devices: r.Devices, Absent: map[string]string{},
	}
	for _, m := range Metrics() {
		st := r.Stats(m)
		out.Metrics = append(out.Metrics, st)
		if st.absent != "" {
			out.Absent[m.Tag()] = st.absent
		}
	}
	return json.Marshal(out)
}

// orderedStats writes an object in table order, which encoding/json's maps
// would lose.
type orderedStats []Stats

func (all orderedStats) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, st := range all {
		out.WriteByte("{,"[min(i, 1)])
		value, err := json.Marshal(st)
		if err != nil {
			return nil, err
		}
		out.WriteString(`"` + st.metric.Tag() + `":`)
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

type statsJSON struct {
	Unit    string         `json:"unit"`
	Better  string         `json:"better"`
	N       int            `json:"n"`
	Mean    Known[float64] `json:"avg"`
	Std     Known[float64] `json:"std,omitzero"`
	Min     Known[float64] `json:"min,omitzero"`
	Max     Known[float64] `json:"max,omitzero"`
	P1      Known[float64] `json:"p1,omitzero"`
	P5      Known[float64] `json:"p5,omitzero"`
	P10     Known[float64] `json:"p10,omitzero"`
	P25     Known[float64] `json:"p25,omitzero"`
	P50     Known[float64] `json:"p50,omitzero"`
	P75     Known[float64] `json:"p75,omitzero"`
	P90     Known[float64] `json:"p90,omitzero"`
	P95     Known[float64] `json:"p95,omitzero"`
	P99     Known[float64] `json:"p99,omitzero"`
	P999    Known[float64] `json:"p99.9,omitzero"`
	LeftOut map[string]int `json:"left_out,omitempty"`
}

// MarshalJSON writes one metric's object of schema llmbench.result/v1, or null
// when it is absent.
func (s Stats) MarshalJSON() ([]byte, error) {
	if s.absent != "" || !s.mean.Ok() {
		return []byte("null"), nil
	}
	q := s.Quantile
	return json.Marshal(statsJSON{
		Unit: s.metric.Unit(), Better: s.metric.Better().String(), N: s.n,
		Mean: s.mean, Std: s.std, Min: s.low, Max: s.high,
		P1: q(0.01), P5: q(0.05), P10: q(0.1), P25: q(0.25), P50: q(0.5),
		P75: q(0.75), P90: q(0.9), P95: q(0.95), P99: q(0.99), P999: q(0.999),
		LeftOut: s.leftOut,
	})
}
