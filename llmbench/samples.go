package llmbench

import "iter"

// Requests yields the records that the result's request metrics and Counts are
// about: measured, not warm-up, and in the window; those that failed or were
// never sent too. They must not be changed.
func (r *Result) Requests() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		for i := range r.Records {
			record := &r.Records[i]
			if record.Measured() && r.Window.covers(record) && !yield(record) {
				return
			}
		}
	}
}

// AppendSamples appends what one request contributes to the metric's
// distribution, in the metric's unit, and returns the extended slice: one value
// of a metric per request, every gap of a pooled one, and nothing where the
// request has none, was not ok, or the metric is no distribution. All samples
// of [Result.Requests] together are the sample of [Result.Stats].
func (m Metric) AppendSamples(samples []float64, r *Record) []float64 {
	if m.row == nil || r.Outcome != OK || (m.row.kind != PerRequest && m.row.kind != Pooled) {
		return samples
	}
	s := sample{metric: m.row}
	f := readFacts(r)
	s.add(&f, expected{1, len(r.Chunks)})
	for _, v := range s.whole {
		samples = append(samples, float64(v)/perUnit(m.row.unit))
	}
	return append(samples, s.real...)
}
