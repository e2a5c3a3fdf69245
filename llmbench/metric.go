package llmbench

import "fmt"

// A Metric names one figure of the catalogue. It is a handle into the one
// table from which figures are computed, printed, exported, claimed and
// documented; two handles of one metric are equal. The zero Metric is none and
// answers with empty strings.
type Metric struct{ row *row }

// Tag is the stable name in files and output: time_to_first_token.
func (m Metric) Tag() string { return m.get().tag }

// Name is what people read: Time to First Token.
func (m Metric) Name() string { return m.get().name }

// Unit is the unit of every value of the metric: ms, s, tok/s, tok/s/user,
// req/s, tokens, requests, share, % and so on.
func (m Metric) Unit() string { return m.get().unit }

// Better says which direction is an improvement.
func (m Metric) Better() Better { return m.get().better }

// Group is the table in which the metric is shown.
func (m Metric) Group() Group { return m.get().group }

// Kind says what the metric's statistics range over.
func (m Metric) Kind() Kind { return m.get().kind }

// Definition is the formula in words, with the case in which it is absent.
func (m Metric) Definition() string { return m.get().definition }

// Source is where the definition comes from.
func (m Metric) Source() string { return m.get().source }

// String is the tag.
func (m Metric) String() string { return m.Tag() }

// MarshalText is the tag.
func (m Metric) MarshalText() ([]byte, error) { return []byte(m.Tag()), nil }

// UnmarshalText finds the metric of a tag.
func (m *Metric) UnmarshalText(tag []byte) error {
	found, ok := MetricByTag(string(tag))
	if !ok {
		return fmt.Errorf("metric is %q, want a tag of the catalogue", tag)
	}
	*m = found
	return nil
}

func (m Metric) get() *row {
	if m.row == nil {
		return &row{}
	}
	return m.row
}

// Better is the direction in which a metric improves.
type Better uint8

const (
	// None is a metric without a better direction: a count of tokens.
	None Better = iota
	// Lower is better: a latency.
	Lower
	// Higher is better: a throughput.
	Higher
)

// String is the word that files use: none, lower or higher.
func (b Better) String() string {
	return [...]string{"none", "lower", "higher"}[min(b, Higher)]
}

// Kind says what a metric's statistics range over.
type Kind uint8

const (
	// PerRequest metrics have one sample per ok request.
	PerRequest Kind = iota
	// Pooled metrics have one sample per gap, of all ok requests together.
	Pooled
	// Curve metrics are step functions of time; their statistics are weighted
	// by time.
	Curve
	// Single metrics are one number for the window; only the mean exists.
	Single
)

// String is the word that the reference page uses.
func (k Kind) String() string {
	return [...]string{"per request", "pooled", "over time", "single"}[min(k, Single)]
}

// A Group is a table of metrics that belong together.
type Group string

// The groups, in the order in which they are shown.
const (
	LatencyGroup    Group = "Latency"
	ThroughputGroup Group = "Throughput"
	EffectiveGroup  Group = "Effective"
	ActiveGroup     Group = "Active"
	TokensGroup     Group = "Tokens"
	CountsGroup     Group = "Counts"
	HTTPGroup       Group = "HTTP"
	WindowGroup     Group = "Window"
)

// Groups lists the groups in the order in which they are shown.
func Groups() []Group {
	return []Group{EffectiveGroup, ActiveGroup, LatencyGroup, ThroughputGroup, TokensGroup, CountsGroup, HTTPGroup, WindowGroup}
}

// Metrics lists the catalogue in table order.
func Metrics() []Metric {
	all := make([]Metric, len(table))
	for i := range table {
		all[i] = Metric{&table[i]}
	}
	return all
}

// MetricByTag finds a metric by its tag.
func MetricByTag(tag string) (Metric, bool) {
	i, ok := byTag[tag]
	if !ok {
		return Metric{}, false
	}
	return Metric{&table[i]}, true
}

var byTag = func() map[string]int {
	tags := make(map[string]int, len(table))
	for i := range table {
		table[i].index = i
		tags[table[i].tag] = i
	}
	return tags
}()

// drawn takes a metric out of the table; a wrong tag is a mistake in this
// package and stops every program that imports it at once.
func drawn(tag string) Metric {
	m, ok := MetricByTag(tag)
	if !ok {
		panic(fmt.Sprintf("llmbench: metric %q is not in the table", tag))
	}
	return m
}
