package llmbench

import (
	"math"
	"slices"

	"github.com/llmbench/go/llmbench/internal/infer"
)

// A Comparison is what two states of a server have to say to each other. It does
// not change and is safe for concurrent use.
type Comparison struct {
	// Base and Now are the runs before and after.
	Base, Now *Runs
	// Changes are the figures in the order asked for.
	Changes []Change
	// Alpha is the level over all figures together.
	Alpha float64
	// Paired says that runs were compared within the pairs that [Pair] made.
	Paired bool
	// Exact says that the runs of each side repeat each other to the bit, as in
	// virtual time: any difference is real, and there is no P value.
	Exact bool
	// Unlike are the traits that keep the runs from being compared: those in which
	// they differ and were not allowed to. The changes are computed all the same.
	Unlike []Trait
	// BaseIdentity and NowIdentity are what Unlike was found in: the sides without
	// what may differ, and with the metrics compared only.
	BaseIdentity, NowIdentity Identity
}

// A Finding is what became of one figure.
type Finding string

const (
	// Regressed is a significant change for the worse that is beyond the slack.
	Regressed Finding = "regressed"
	// Improved is a significant change for the better that is beyond the slack.
	Improved Finding = "improved"
	// Small is a significant change within the slack.
	Small Finding = "small"
	// Unchanged is a change within the slack that is not significant.
	Unchanged Finding = "unchanged"
	// Inconclusive is a change beyond the slack that is not significant.
	Inconclusive Finding = "inconclusive"
	// TooFewRuns is a figure of so few runs that nothing could be significant.
	TooFewRuns Finding = "too few runs"
	// Missing is a figure that a run of either side does not have.
	Missing Finding = "missing"
	// Zero is a latency or rate whose median is 0 on one side only.
	Zero Finding = "zero"
	// NotFinite is a figure with a NaN or an infinite value.
	NotFinite Finding = "not finite"
)

// A Change is one figure on both sides.
type Change struct {
	Figure    Figure
	Base, Now Summary
	// Delta is the relative change of the median, or the median change within
	// pairs: absent where the base is 0 and now is not, or a side is empty.
	Delta Known[Delta]
	// P is the two-sided P value of the test of this figure alone, Adjusted the one
	// after Holm's correction over all figures. Exact figures have 0 or 1.
	P, Adjusted float64
	// Slack and Absolute are the changes that matter to nobody: relative, and in
	// the figure's unit. A change matters if it is beyond both.
	Slack, Absolute float64
	Finding         Finding

	bounded   bool // Absolute was given
	exact     bool // as Comparison.Exact
	base, now []float64
}

// A Delta is a relative change: 0.05 is 5 % more. Lo and Hi bound it at the
// comparison's level, and are infinite where the values allow no interval.
type Delta struct{ Change, Lo, Hi float64 }

// A Summary is one side of a figure, in the metric's unit: the number of runs that
// have it, their median, and the median's interval: the median itself of exact
// runs, and infinite where the runs are too few to bound it, at 95 % under six. N is 0 without a run, and
// the rest 0 then.
type Summary struct {
	N              int
	Median, Lo, Hi float64
}

// Worse is the relative change counted for the worse: 0.05 is 5 % worse, by more
// latency or less throughput. It is absent where Delta is.
func (ch *Change) Worse() Known[float64] {
	d, ok := ch.Delta.Get()
	if !ok {
		return Known[float64]{}
	}
	return Is(ch.direction() * d.Change)
}

// Found are the changes with one of the findings.
func (c *Comparison) Found(findings ...Finding) []Change {
	var found []Change
	for _, ch := range c.Changes {
		if slices.Contains(findings, ch.Finding) {
			found = append(found, ch)
		}
	}
	return found
}

// Overall is the geometric mean of the changes counted for the worse, 0.05 for 5 %
// worse, over the figures that both sides have and that are not 0. It is absent
// where there is none.
func (c *Comparison) Overall() Known[float64] {
	sum, n := 0.0, 0
	for i := range c.Changes {
		ch := &c.Changes[i]
		if ratio := ch.Now.Median / ch.Base.Median; ratio > 0 && !math.IsInf(ratio, 0) {
			sum += ch.direction() * math.Log(ratio)
			n++
		}
	}
	if n == 0 {
		return Known[float64]{}
	}
	return Is(math.Exp(sum/float64(n)) - 1)
}

// ToTell is how many runs a side, or pairs, would tell the figure's change from
// its noise in four of five cases; absent where it has no change or no noise. It
// is the sample size of a z test on the spread between the runs there are.
func (c *Comparison) ToTell(ch Change) Known[int] {
	cv := max(infer.Variation(ch.base), infer.Variation(ch.now))
	worse := ch.Worse().Or(0)
	if cv == 0 || worse == 0 || math.IsInf(worse, 0) {
		return Known[int]{}
	}
	return Is(max(infer.ToTell(worse, cv, c.Alpha, len(c.Changes)), c.Needed()))
}

// identify notes in which respects the runs are unlike.
func (c *Comparison) identify(by Comparer) {
	c.BaseIdentity = c.Base.measured(by.Figures).without(by.MayDiffer)
	c.NowIdentity = c.Now.measured(by.Figures).without(by.MayDiffer)
	c.Unlike = c.BaseIdentity.unlike(c.NowIdentity)
}

// measured is the runs' identity with the definitions of the figures' metrics: of
// runs read from a file those that the file has, as it may be of another version.
func (r *Runs) measured(figures []Figure) Identity {
	id := r.identity.measuring(figures)
	if r.results == nil {
		id.Metrics = shared(r.identity.Metrics, id.Metrics)
	}
	return id
}

// shared keeps the definitions of the metrics compared: a file has more, and one
// that it lacks is a figure missing, not a rule changed.
func shared(all, wanted map[string]string) map[string]string {
	kept := map[string]string{}
	for tag, definition := range wanted {
		if was, ok := all[tag]; ok {
			definition = was
		}
		kept[tag] = definition
	}
	return kept
}
