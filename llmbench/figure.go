package llmbench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Figure is one number of a run: the mean or a quantile of a metric. Runs are
// compared by figures, as a run gives one number of each. Figures of equal
// metric and statistic are equal, so a Figure can be the key of a map. The zero
// Figure is none and absent everywhere.
type Figure struct {
	metric   Metric
	quantile Known[float64] // absent: the mean
}

// Mean is the figure of the metric's mean; of a single number it is the number.
func (m Metric) Mean() Figure { return Figure{metric: m} }

// Quantile is the figure of the metric's quantile q in [0,1], 0.99 for p99, taken
// to the billionth. It is absent in every run where [Stats.Quantile] is.
func (m Metric) Quantile(q float64) Figure { return Figure{m, Is(billionths(q * 1e9))} }

// billionths rounds, so that two ways to write a quantile are one key: 99.9/100 is
// not 0.999.
func billionths(n float64) float64 { return math.Round(n) / 1e9 }

// Metric is the metric that the figure is of.
func (f Figure) Metric() Metric { return f.metric }

// Of reads the figure off a result, in the metric's unit.
func (f Figure) Of(r *Result) Known[float64] {
	if q, ok := f.quantile.Get(); ok {
		return r.Stats(f.metric).Quantile(q)
	}
	return r.Stats(f.metric).Mean()
}

// statistic is "p99", "p99.9", or empty for the mean.
func (f Figure) statistic() string {
	q, ok := f.quantile.Get()
	if !ok {
		return ""
	}
	return "p" + strconv.FormatFloat(billionths(q*1e11), 'f', -1, 64) // 100·0.29 is not 29
}

// Key is the figure's name in files: "time_to_first_token:p99", and the tag
// alone for a mean.
func (f Figure) Key() string {
	if s := f.statistic(); s != "" {
		return f.metric.Tag() + ":" + s
	}
	return f.metric.Tag()
}

// FigureByKey finds the figure that a key names.
func FigureByKey(key string) (Figure, error) {
	tag, statistic, quantile := strings.Cut(key, ":")
	m, ok := MetricByTag(tag)
	if !ok {
		return Figure{}, fmt.Errorf("llmbench: figure: key is %q, want the tag of a metric before any colon", key)
	}
	if !quantile {
		return m.Mean(), nil
	}
	percent, err := strconv.ParseFloat(strings.TrimPrefix(statistic, "p"), 64)
	if err != nil || !strings.HasPrefix(statistic, "p") || !(percent >= 0 && percent <= 100) {
		return Figure{}, fmt.Errorf("llmbench: figure: key is %q, want a percentile such as :p99 after the tag", key)
	}
	return m.Quantile(percent / 100), nil
}

// initials are the metrics that people call by their letters.
var initials = map[Metric]string{
	TTFT: "TTFT", EffectiveTTFT: "effective TTFT", TPOT: "TPOT", ITL: "ITL", ICL: "ICL", ISL: "ISL", OSL: "OSL",
}

// String is what people call the figure: "TTFT p99", "active prefill
// throughput". The zero Figure is "no figure".
func (f Figure) String() string {
	name, ok := initials[f.metric]
	if !ok {
		name = lowered(f.metric.Name())
	}
	if name == "" {
		return "no figure"
	}
	return strings.TrimSpace(name + " " + f.statistic())
}

// lowered puts a name into a sentence: all words but abbreviations in lower case.
func lowered(name string) string {
	words := strings.Fields(name)
	for i, w := range words {
		if w != strings.ToUpper(w) {
			words[i] = strings.ToLower(w)
		}
	}
	return strings.Join(words, " ")
}

// Figures are those that a run writes to LLMBENCH_OUT and to a baseline, with
// one of each aspect that has a better direction: first token, pace, whole
// request, volume, server phases, failures.
func Figures() []Figure {
	return []Figure{
		TTFT.Quantile(0.5), TTFT.Quantile(0.99),
		TPOT.Quantile(0.5), TPOT.Quantile(0.99), ITL.Quantile(0.99),
		RequestLatency.Quantile(0.5), RequestLatency.Quantile(0.99), EffectiveLatency.Quantile(0.99),
		RequestThroughput.Mean(), Goodput.Mean(), OutputTokenThroughput.Mean(),
		ActivePrefillThroughput.Mean(), ActiveDecodeThroughput.Mean(),
		ErrorRate.Mean(),
	}
}

// DefaultFigures are those that [Compare] compares: time to the first token,
// pace, tail and volume. Each more asks for more runs, as Holm's correction
// divides the level among them.
func DefaultFigures() []Figure {
	return []Figure{
		TTFT.Quantile(0.5), TPOT.Quantile(0.5), RequestLatency.Quantile(0.99), OutputTokenThroughput.Mean(),
	}
}
