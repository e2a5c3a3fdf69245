package llmbench

import "strings"

// benchNames are what Go's benchmark format calls the metrics that people know
// by a short name; the rest go by their tag.
var benchNames = map[Metric]string{
	TTFT: "ttft", EffectiveTTFT: "effective-ttft", TPOT: "tpot", ITL: "itl", ICL: "icl",
	RequestLatency: "e2e", EffectiveLatency: "effective-e2e",
	RequestThroughput: "", OutputTokenThroughput: "", // the bare req/s and tok/s
	ActivePrefillThroughput: "active-prefill", ActiveDecodeThroughput: "active-decode",
	Goodput: "goodput", ErrorRate: "error",
}

// benchUnit is the figure's unit in the Go benchmark format, "ttft-p99-sec" or
// "tok/s", and how many of the metric's unit are one of it: division rounds once,
// and 119.2 ms is written as 0.1192. The name of the figure is part
// of the unit, as benchstat makes one table of each. Times are in seconds: those
// it shows as 104.1m, where it would leave "-ms" at 104.1; and it reads a unit in
// ns as the one in sec, so one quantity must never be written in both.
func (f Figure) benchUnit() (unit string, per float64) {
	name, ok := benchNames[f.metric]
	if !ok {
		name = strings.ReplaceAll(f.metric.Tag(), "_", "-")
	}
	unit, per = f.metric.Unit(), 1
	switch unit {
	case "ms":
		unit, per = "sec", 1e3
	case "s":
		unit = "sec"
	}
	parts := []string{name, f.statistic(), unit}
	kept := parts[:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "-"), per
}
