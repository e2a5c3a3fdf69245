package llmbench

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"
)

// quantiles are those that files carry, with their names there.
var quantiles = []struct {
	name string
	q    float64
}{
	{"p1", 0.01}, {"p5", 0.05}, {"p10", 0.1}, {"p25", 0.25}, {"p50", 0.5},
	{"p75", 0.75}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999},
}

// WriteCSV writes one row per metric of the catalogue: tag, name, group, unit,
// better direction, kind, window rule, n, avg, std, min, max, the quantiles, and
// why it is absent. Values are in the unit, in full precision; an absent one is
// an empty cell.
func WriteCSV(w io.Writer, r *Result) error {
	out := csv.NewWriter(w)
	head := []string{"tag", "name", "group", "unit", "better", "kind", "rule", "n", "avg", "std", "min", "max"}
	for _, q := range quantiles {
		head = append(head, q.name)
	}
	_ = out.Write(append(head, "absent")) // the writer keeps its first error for Error
	for _, m := range Metrics() {
		s := r.Stats(m)
		line := []string{
			m.Tag(), m.Name(), string(m.Group()), m.Unit(), m.Better().String(), m.Kind().String(), r.Window.Rule,
			strconv.Itoa(s.N()), cell(s.Mean()), cell(s.Std()), cell(s.Min()), cell(s.Max()),
		}
		for _, q := range quantiles {
			line = append(line, cell(s.Quantile(q.q)))
		}
		_ = out.Write(append(line, s.Absent()))
	}
	out.Flush()
	return out.Error()
}

// sliceColumns are what slices.csv has of each slice, beside its counts.
var sliceColumns = []struct {
	name  string
	of    Metric
	value func(Stats) Known[float64]
}{
	{"effective_time_to_first_token.p50", EffectiveTTFT, at(0.5)}, {"effective_time_to_first_token.p99", EffectiveTTFT, at(0.99)},
	{"time_per_output_token.p50", TPOT, at(0.5)}, {"time_per_output_token.p99", TPOT, at(0.99)},
	{"effective_latency.p50", EffectiveLatency, at(0.5)}, {"effective_latency.p99", EffectiveLatency, at(0.99)},
	{"queue_wait.p99", QueueWait, at(0.99)},
	{"effective_concurrency.avg", EffectiveConcurrency, Stats.Mean}, {"effective_prefill_throughput.avg", EffectivePrefillThroughput, Stats.Mean},
	{"active_prefill_throughput.avg", ActivePrefillThroughput, Stats.Mean}, {"effective_decode_throughput.avg", EffectiveDecodeThroughput, Stats.Mean},
	{"active_decode_throughput.avg", ActiveDecodeThroughput, Stats.Mean}, {"tokens_in_flight.max", TokensInFlight, Stats.Max},
	{"request_throughput", RequestThroughput, Stats.Mean},
}

// WriteSlicesCSV writes one row per slice of time, see [Result.Slices]: where it
// begins and ends in seconds, what became of the requests that start in it, and
// the figures by which one finds when a run went bad. Values are as in
// [WriteCSV]. A window without length has no row.
func WriteSlicesCSV(w io.Writer, r *Result, length time.Duration) error {
	slices, err := r.Slices(length)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	head := []string{"from_s", "to_s", "planned", "ok", "failed"}
	for _, c := range sliceColumns {
		head = append(head, c.name)
	}
	_ = out.Write(head) // the writer keeps its first error for Error
	for _, s := range slices {
		line := []string{
			cell(Is(s.Window.From.Seconds())), cell(Is(s.Window.To.Seconds())),
			strconv.Itoa(s.Counts.Planned), strconv.Itoa(s.Counts.OK), strconv.Itoa(s.Counts.Failed()),
		}
		for _, c := range sliceColumns {
			line = append(line, cell(c.value(s.Stats(c.of))))
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// sliceLength is the round length, 1, 2 or 5 times a power of ten, of which a
// window has 20 to 50.
func sliceLength(w Window) time.Duration {
	length := time.Duration(1)
	for i := 0; w.Length()/length > 50; i++ {
		length = length * [...]time.Duration{4, 5, 4}[i%3] / 2 // 1, 2, 5, 10
	}
	return length
}

func cell(v Known[float64]) string {
	value, ok := v.Get()
	if !ok {
		return ""
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}
