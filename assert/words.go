package assert

import (
	"fmt"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
)

// abbreviated are the metrics that people call by their letters.
var abbreviated = map[llmbench.Metric]string{
	llmbench.TTFT:          "TTFT",
	llmbench.EffectiveTTFT: "effective TTFT",
	llmbench.TPOT:          "TPOT",
	llmbench.ITL:           "ITL",
	llmbench.ICL:           "ICL",
	llmbench.ISL:           "ISL",
	llmbench.OSL:           "OSL",

	llmbench.EffectiveConcurrency: "concurrency",
}

// called is what texts call a metric: "active prefill throughput", "TTFT".
func called(m llmbench.Metric) string {
	if short, ok := abbreviated[m]; ok {
		return short
	}
	return strings.ToLower(m.Name())
}

// window adds the row that every text starts with: how long was measured, and
// how much there was.
func windowRow(m *message, r *llmbench.Result) {
	text := duration(r.Window.Length()) + " measured"
	if r.Window.Rule == llmbench.BetweenRule {
		text += " from " + instant(r.Window.From)
	} else if warmup := r.Window.From - warmupStart(r); warmup > 0 {
		text += " after " + duration(warmup) + " warm-up"
	}
	text += ", " + plural(r.Counts.Sent, "request")
	if isl := r.Stats(llmbench.ISL); isl.N() > 0 {
		text += ", " + amount(isl.Mean().Or(0)*float64(isl.N()), "prompt tokens")
	}
	m.window("window", "%s", text)
}

// warmupStart is when the first warm-up request was due; the start of the
// window when there was none.
func warmupStart(r *llmbench.Result) (at time.Duration) {
	at = r.Window.From
	for i := range r.Records {
		if record := &r.Records[i]; !record.Measured() {
			at = min(at, record.Scheduled.Or(record.Sent.Or(at)))
		}
	}
	return at
}

// notOK is llmbench's reason for a failed request in a curve; failuresRow has
// those.
const notOK = "request was not ok"

// leftOutRow says which ok requests gave no sample, and why.
func leftOutRow(m *message, st llmbench.Stats) {
	total, most, why := 0, 0, ""
	for reason, n := range st.LeftOut() {
		if reason == notOK {
			continue
		}
		total += n
		if n > most || (n == most && reason < why) {
			most, why = n, reason
		}
	}
	if total > 0 {
		m.evidence("left out", "%s gave no sample, %d of them as: %s", plural(total, "request"), most, why)
	}
}

// failuresRow says how many requests failed, by outcome.
func failuresRow(m *message, r *llmbench.Result) {
	if r.Counts.Failed() > 0 {
		m.evidence("failed", "%s of %s: %s", fmt.Sprint(r.Counts.Failed()),
			plural(r.Counts.OK+r.Counts.Failed(), "request"), outcomes(r.Counts))
	}
}

// outcomes lists the failures: "3 error, 1 timeout".
func outcomes(c llmbench.Counts) string {
	var parts []string
	for _, o := range []struct {
		n    int
		name llmbench.Outcome
	}{
		{c.Error, llmbench.Error}, {c.Timeout, llmbench.Timeout}, {c.Rejected, llmbench.Rejected},
		{c.Empty, llmbench.Empty}, {c.Incomplete, llmbench.Incomplete},
	} {
		if o.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", o.n, o.name))
		}
	}
	return strings.Join(parts, ", ")
}
