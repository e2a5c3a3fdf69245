package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
)

// Rule ids of AISBench's two stages.
const (
	AISBenchWholeRule  = "aisbench/whole"
	AISBenchStableRule = llmbench.StableRule
)

// AISBenchReport is a run as AISBench's performance summary has it. An instant
// is an event of any kind, and a request ends with its last one.
//
// Faults of the original that it does not have: values rounded to 0.1 ms,
// success marks that shift by a row under failures, rows that vanish when the
// first record's gaps are all 0 or its output is empty.
type AISBenchReport struct {
	// Whole covers all ok requests.
	Whole *Table
	// Stable covers the requests that start in the stable stage; nil if there
	// is none, and then NoStable says why.
	Stable   *Table
	NoStable string
	// Window is the stable stage, Selected the ids of its requests.
	Window   llmbench.Window
	Selected []string
	// Capped says that Concurrency was cut down to the configured one, and
	// ZeroLength that the stage has no length, so that its rates are absent.
	Capped, ZeroLength bool
	// Audit has the strict figures of the stable stage; nil without one.
	Audit *AISBenchAudit
	// LeftOut counts ok requests whose instants are unknown or contradict each
	// other.
	LeftOut int
}

// AISBench shows a result under AISBench's rules. Its stages are windows of their
// own over all measured records, whatever the result's window is. The stable stage
// needs Result.Concurrency; where that is 0 there is none. Values are in seconds
// and tokens per second, where the other tables have milliseconds: each row and
// entry names its unit.
func AISBench(r *llmbench.Result) *AISBenchReport { return aisbench(r.Records, r.Concurrency) }

func aisbench(records []llmbench.Record, concurrency int) *AISBenchReport {
	r := &AISBenchReport{}
	var all []request
	total := 0
	for i := range records {
		record := &records[i]
		if !record.Measured() || record.Outcome == llmbench.Unsent {
			continue
		}
		total++
		if record.Outcome != llmbench.OK {
			continue
		}
		if q, ok := newRequest(record); ok {
			all = append(all, q)
		} else {
			r.LeftOut++
		}
	}
	whole := aisbenchStage{requests: all, users: concurrency, failed: total - len(all)}
	whole.length = spanOf(all)
	r.Whole = whole.table()
	r.stable(records, all, concurrency)
	return r
}

// spanOf is the time from the first start to the last end.
func spanOf(all []request) float64 {
	if len(all) == 0 {
		return 0
	}
	first, last := all[0].sent, all[0].lastEvent()
	for _, q := range all {
		first, last = min(first, q.sent), max(last, q.lastEvent())
	}
	return (last - first).Seconds()
}

// lastEvent is t[m], the end of a request on AISBench's basis.
func (q *request) lastEvent() time.Duration {
	if n := len(q.events); n > 0 {
		return q.events[n-1]
	}
	return q.end
}

func (r *AISBenchReport) stable(records []llmbench.Record, all []request, concurrency int) {
	w, err := llmbench.StableWindow(records, concurrency)
	if err != nil {
		r.NoStable = reasonOf(err)
		return
	}
	stage := aisbenchStage{users: concurrency, capped: true, length: w.Length().Seconds()}
	for _, q := range all {
		if q.sent >= w.From && q.sent <= w.To {
			stage.requests = append(stage.requests, q)
			r.Selected = append(r.Selected, q.record.ID)
		}
	}
	r.Window, r.Stable = w, stage.table()
	r.ZeroLength = w.Length() == 0
	r.Capped = stage.uncapped().Or(math.Inf(1)) > float64(concurrency)
	r.Audit = newAudit(w, all, stage.requests, concurrency)
}

// reasonOf words a missing stage as the seed rule does: C reached once, or never.
func reasonOf(err error) string {
	var none *llmbench.NoStableStage
	if !errors.As(err, &none) {
		return "no stable stage: the concurrency is not given"
	}
	return none.Error()
}

// An aisbenchStage is the requests of one stage and how long it lasted.
type aisbenchStage struct {
	requests []request
	users    int
	failed   int
	length   float64 // seconds
	capped   bool
}

var aisbenchColumns = []column{
	meanColumn("Average"), quantileColumn("Min", 0), quantileColumn("Max", 1), quantileColumn("Median", 0.5),
	quantileColumn("P75", 0.75), quantileColumn("P90", 0.9), quantileColumn("P99", 0.99),
	countColumn("N", func(r Row) int { return r.N }),
	countColumn("samples", func(r Row) int { return r.Sample.Len() }),
}

func (s aisbenchStage) table() *Table {
	t := &Table{Tool: "AISBench", columns: aisbenchColumns}
	s.rows(t)
	s.common(t)
	return t
}

// aisbenchValues are the samples of one stage.
type aisbenchValues struct {
	e2el, ttft, tpot, itl, input, output, outputRate, prefillRate []float64
	// moving counts the requests with a gap that is not 0: the N of TPOT and
	// ITL.
	moving int
}

func (v *aisbenchValues) add(q request) {
	e2el := q.e2el()
	v.e2el = append(v.e2el, e2el)
	if q.input >= 0 {
		v.input = append(v.input, float64(q.input))
	}
	if q.output >= 0 {
		v.output = append(v.output, float64(q.output))
		if e2el > 0 {
			v.outputRate = append(v.outputRate, float64(q.output)/e2el)
		}
	}
	if !q.streamed() {
		return
	}
	ttft := (q.events[0] - q.sent).Seconds()
	v.ttft = append(v.ttft, ttft)
	v.tpot = append(v.tpot, q.tpot())
	if q.input >= 0 {
		v.prefillRate = append(v.prefillRate, over(float64(q.input), ttft).Or(0))
	}
	if q.record.Sparse {
		return
	}
	gaps := gapsOf(q.events, 1e9)
	v.itl = append(v.itl, gaps...)
	if nonZero(gaps) {
		v.moving++
	}
}

func (q *request) e2el() float64 { return (q.lastEvent() - q.sent).Seconds() }

// tpot is (E2EL-TTFT)/(L-1), 0 for L <= 1 and for a reply without a stream.
func (q *request) tpot() float64 {
	if q.output <= 1 || !q.streamed() {
		return 0
	}
	return (q.lastEvent() - q.events[0]).Seconds() / float64(q.output-1)
}

func (s aisbenchStage) rows(t *Table) {
	var v aisbenchValues
	for _, q := range s.requests {
		v.add(q)
	}
	n := len(s.requests)
	t.add("E2EL", "s", "last event - send", n, v.e2el)
	t.add("TTFT", "s", "first event of any kind - send", n, v.ttft)
	t.add("TPOT", "s", "(E2EL-TTFT)/(L-1), 0 kept for L <= 1", v.moving, v.tpot)
	t.add("ITL", "s", "gaps of all events, pooled", v.moving, v.itl)
	t.add("InputTokens", "tokens", "input tokens", n, v.input)
	t.add("OutputTokens", "tokens", "output tokens", n, v.output)
	t.add("OutputTokenThroughput", "token/s", "L/E2EL", n, v.outputRate)
	t.add("PrefillTokenThroughput", "token/s", "input tokens/TTFT, 0 where TTFT is 0", n, v.prefillRate)
}

// uncapped is the sum of E2EL over the stage's length, absent without one.
func (s aisbenchStage) uncapped() llmbench.Known[float64] {
	var sum float64
	for _, q := range s.requests {
		sum += q.e2el()
	}
	return over(sum, s.length)
}

func (s aisbenchStage) common(t *Table) {
	var input, output int
	for _, q := range s.requests {
		input, output = input+max(q.input, 0), output+max(q.output, 0)
	}
	ok := len(s.requests)
	concurrency := s.uncapped()
	if s.capped {
		concurrency = llmbench.Is(min(concurrency.Or(math.Inf(1)), float64(s.users)))
	}
	t.single("Benchmark Duration", "s", llmbench.Is(s.length))
	t.count("Total Requests", ok+s.failed)
	t.count("Failed Requests", s.failed)
	t.count("Success Requests", ok)
	t.single("Concurrency", "", concurrency)
	t.single("Concurrency (uncapped)", "", s.uncapped())
	t.count("Max Concurrency", s.users)
	t.single("Request Throughput", "req/s", over(float64(ok), s.length))
	t.count("Total Input Tokens", input)
	t.count("Total Generated Tokens", output)
	t.single("Input Token Throughput", "token/s", over(float64(input), s.length))
	t.single("Output Token Throughput", "token/s", over(float64(output), s.length))
	t.single("Total Token Throughput", "token/s", over(float64(input+output), s.length))
}

// stableJSON is the stable stage with its window in seconds.
func (r *AISBenchReport) stableJSON() (any, error) {
	if r.Stable == nil {
		return "NO_STABLE_STAGE", nil
	}
	table, err := r.Stable.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(table, &parts); err != nil {
		return nil, err
	}
	var o object
	o.add("window", []float64{r.Window.From.Seconds(), r.Window.To.Seconds()})
	o.add("rule", AISBenchStableRule)
	o.add("selected", r.Selected)
	o.add("table", parts["table"])
	o.add("common", parts["common"])
	o.add("capped", r.Capped)
	o.add("zero_length", r.ZeroLength)
	return &o, nil
}

// MarshalJSON writes {"whole", "stable", "audit"}: each stage with table and
// common, stable with its window in seconds and the ids of the requests that it
// selects, or the word NO_STABLE_STAGE and the reason beside it.
func (r *AISBenchReport) MarshalJSON() ([]byte, error) {
	stable, err := r.stableJSON()
	if err != nil {
		return nil, err
	}
	var o object
	o.add("rule", AISBenchWholeRule)
	o.add("whole", r.Whole)
	o.add("stable", stable)
	if r.NoStable != "" {
		o.add("no_stable_stage", r.NoStable)
	}
	o.add("audit", r.Audit)
	o.add("left_out", r.LeftOut)
	return o.MarshalJSON()
}

// Text prints both stages, and the strict figures under the stable one.
func (r *AISBenchReport) Text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "stage whole (rule %s)\n%s\n", AISBenchWholeRule, r.Whole.Text())
	if r.Stable == nil {
		fmt.Fprintf(&out, "stage stable (rule %s): %s\n", AISBenchStableRule, r.NoStable)
		return out.String()
	}
	fmt.Fprintf(&out, "stage stable (rule %s), %v to %v%s\n%s\n", AISBenchStableRule, r.Window.From, r.Window.To, r.marks(), r.Stable.Text())
	fmt.Fprintf(&out, "strict figures of the same window\n%s", r.Audit.text())
	return out.String()
}

func (r *AISBenchReport) marks() string {
	marks := ""
	if r.Capped {
		marks += ", capped"
	}
	if r.ZeroLength {
		marks += ", zero length"
	}
	return marks
}
