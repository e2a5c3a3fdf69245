package llmbench

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/llmbench/go/llmbench/internal/infer"
)

//go:generate go run ./internal/infer/power POWER.md

const (
	// DefaultSlack is the relative change that matters to nobody when
	// Comparer.Slack is zero. At a coefficient of variation of 3 % ten runs a side
	// then find a slowdown of 5 % in nine of ten cases, see POWER.md.
	DefaultSlack = 0.02
	// NoSlack is the Comparer.Slack for which every significant change matters.
	NoSlack = -1.0
	// DefaultAlpha is the chance of a false alarm, over all figures together, when
	// Comparer.Alpha is zero.
	DefaultAlpha = 0.05
)

// A Comparer holds how runs are compared. The zero value is what [Compare] does.
type Comparer struct {
	// Figures are what is compared; nil is DefaultFigures. Each must be of a metric
	// with a better direction.
	Figures []Figure
	// Slack is the smallest relative change of interest, 0.05 for 5 %; 0 is
	// DefaultSlack, or NoSlack. SlackOf sets it for single figures.
	Slack   float64
	SlackOf map[Figure]float64
	// Absolute is the smallest change of interest in the figure's own unit, beside
	// the relative one. It is what decides where the base is 0.
	Absolute map[Figure]float64
	// Alpha is the level, in (0,1); 0 is DefaultAlpha.
	Alpha float64
	// Seed decides the bootstrap's draws.
	Seed uint64
	// MayDiffer are the traits in which the runs need not be alike.
	MayDiffer []Trait
}

// Compare compares runs of two states of a server, figure by figure: base is the
// state before, now the one after.
//
// Each figure has its median on both sides with an order-statistic interval, the
// relative change of the median with a bootstrap interval, and the P value of an
// exact Mann-Whitney test; runs that [Pair] made are compared within their pairs,
// by Wilcoxon's signed-rank test and the median of ratios. P values are corrected
// by Holm over all figures. What cannot be compared (a figure that is missing, not
// finite, or 0 on one side, or too few runs) has a finding of its own. Compare
// panics if either side is nil.
func Compare(base, now *Runs) *Comparison {
	c, err := Comparer{}.Compare(base, now)
	if err != nil {
		panic(err) // the zero Comparer has nothing wrong
	}
	return c
}

// Compare is the function Compare with settings. The error tells which of them
// make no sense.
func (c Comparer) Compare(base, now *Runs) (*Comparison, error) {
	c = c.withDefaults()
	if err := c.check(base, now); err != nil {
		return nil, fmt.Errorf("llmbench: compare: %w", err)
	}
	out := &Comparison{
		Base: base, Now: now, Alpha: c.Alpha,
		Paired: base.partner == now, Exact: base.Exact() && now.Exact(),
	}
	out.identify(c)
	for _, f := range c.Figures {
		out.Changes = append(out.Changes, c.measure(f, out))
	}
	c.judge(out)
	return out, nil
}

func (c Comparer) withDefaults() Comparer {
	if c.Figures == nil {
		c.Figures = DefaultFigures()
	}
	if c.Alpha == 0 {
		c.Alpha = DefaultAlpha
	}
	return c
}

func (c Comparer) check(base, now *Runs) error {
	switch {
	case base == nil || now == nil:
		return fmt.Errorf("runs are nil, want both sides")
	case len(c.Figures) == 0:
		return wrong("Figures", "is empty, want nil or at least one")
	case !(c.Alpha > 0 && c.Alpha < 1):
		return wrong("Alpha", "is %v, want > 0 and < 1", c.Alpha)
	case math.IsNaN(c.Slack) || math.IsInf(c.Slack, 0) || c.Slack < 0 && c.Slack != NoSlack:
		return wrong("Slack", "is %v, want >= 0 or llmbench.NoSlack", c.Slack)
	}
	for i, f := range c.Figures {
		if f.metric.Better() == None {
			return wrong(fmt.Sprintf("Figures[%d]", i), "is %v, want a metric of which lower or higher is better", f)
		}
		if slices.Contains(c.Figures[:i], f) {
			return wrong(fmt.Sprintf("Figures[%d]", i), "is %v, want each figure once", f)
		}
	}
	for i, t := range c.MayDiffer {
		if !slices.Contains(allTraits, t) {
			return wrong(fmt.Sprintf("MayDiffer[%d]", i), "is %q, want one of llmbench's traits", t)
		}
	}
	return c.checkMaps()
}

func (c Comparer) checkMaps() error {
	for f, v := range c.SlackOf {
		if !(v >= 0 || v == NoSlack) || math.IsInf(v, 0) {
			return wrong(fmt.Sprintf("SlackOf[%v]", f), "is %v, want >= 0 or llmbench.NoSlack", v)
		}
	}
	for f, v := range c.Absolute {
		if !(v >= 0) || math.IsInf(v, 0) {
			return wrong(fmt.Sprintf("Absolute[%v]", f), "is %v, want >= 0", v)
		}
	}
	return nil
}

// slack is the relative change that matters to nobody.
func (c Comparer) slack(f Figure) float64 {
	s, ok := c.SlackOf[f]
	if !ok {
		if s = c.Slack; s == 0 {
			s = DefaultSlack
		}
	}
	return max(s, 0)
}

// measure fills in what a figure's values say by themselves.
func (c Comparer) measure(f Figure, all *Comparison) Change {
	ch := Change{Figure: f, Slack: c.slack(f), P: 1, Adjusted: 1, exact: all.Exact}
	ch.Absolute, ch.bounded = c.Absolute[f]
	base, now := all.Base.Values(f), all.Now.Values(f)
	ch.base, ch.now = held(base), held(now)
	ch.Base, ch.Now = summarize(ch.base, c.Alpha), summarize(ch.now, c.Alpha)
	if all.Exact { // nothing is uncertain, however few the runs
		ch.Base.Lo, ch.Base.Hi, ch.Now.Lo, ch.Now.Hi = ch.Base.Median, ch.Base.Median, ch.Now.Median, ch.Now.Median
	}
	if ch.Finding = unusable(base, now, ch); ch.Finding != "" {
		return ch
	}
	ch.Delta = c.delta(ch, all)
	switch {
	case all.Exact:
		ch.P = map[bool]float64{true: 1, false: 0}[ch.base[0] == ch.now[0]]
	case all.Paired:
		ch.P = infer.SignedRank(differences(ch.base, ch.now))
	default:
		ch.P = infer.MannWhitney(ch.base, ch.now)
	}
	return ch
}

// unusable is the finding of values that no test can judge; empty for others.
func unusable(base, now []Known[float64], ch Change) Finding {
	finite := func(values []float64) bool {
		return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	}
	switch {
	case len(ch.base) < len(base) || len(ch.now) < len(now):
		return Missing
	case !finite(ch.base) || !finite(ch.now):
		return NotFinite
	case (ch.Base.Median == 0) == (ch.Now.Median == 0):
		return ""
	case ch.Figure.counts() || ch.bounded:
		return "" // 0 errors is an ordinary number, and an absolute slack decides
	}
	return Zero
}

// counts reports whether 0 is an ordinary value of the figure: a number or share
// of requests. A latency or throughput of 0 beside one that is not is a figure
// that was not measured.
func (f Figure) counts() bool {
	switch f.metric.Unit() {
	case "requests", "share", "%", "connections":
		return true
	}
	return false
}

// delta is the relative change of the median with its interval; absent where the
// base is 0, as there is no share of nothing.
func (c Comparer) delta(ch Change, all *Comparison) Known[Delta] {
	if ch.Base.Median == 0 {
		if ch.Now.Median == 0 {
			return Is(Delta{})
		}
		return Known[Delta]{}
	}
	positive := func(v []float64) bool { return slices.Min(v) > 0 }
	if !positive(ch.base) || !positive(ch.now) {
		d := (ch.Now.Median - ch.Base.Median) / math.Abs(ch.Base.Median)
		return Is(Delta{Change: d, Lo: math.Inf(-1), Hi: math.Inf(1)})
	}
	ratio := infer.RatioOfMedians
	if all.Paired {
		ratio = infer.MedianOfRatios
	}
	name := fnv.New64a()
	name.Write([]byte(ch.Figure.Key())) // a hash never fails to write
	r := ratio(ch.base, ch.now, 1-c.Alpha, c.Seed^name.Sum64())
	return Is(Delta{Change: r.Center - 1, Lo: r.Lo - 1, Hi: r.Hi - 1})
}

// differences are those within pairs: of the logarithms where there are, as a
// server is slower by a share, not by an amount.
func differences(base, now []float64) []float64 {
	d := make([]float64, len(base))
	logs := slices.Min(base) > 0 && slices.Min(now) > 0
	for i := range d {
		d[i] = now[i] - base[i]
		if logs {
			d[i] = math.Log(now[i] / base[i])
		}
	}
	return d
}

func summarize(values []float64, alpha float64) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	m := infer.Median(values, 1-alpha)
	return Summary{N: len(values), Median: m.Center, Lo: m.Lo, Hi: m.Hi}
}

// judge corrects the P values over the family and gives each change its finding.
func (c Comparer) judge(out *Comparison) {
	p := make([]float64, len(out.Changes))
	for i, ch := range out.Changes {
		p[i] = ch.P
	}
	corrected := infer.Holm(p)
	few := !out.Exact && out.LeastP() >= c.Alpha
	for i := range out.Changes {
		ch := &out.Changes[i]
		ch.Adjusted = corrected[i]
		if ch.Finding != "" {
			continue
		}
		if few {
			ch.Finding = TooFewRuns
			continue
		}
		ch.Finding = ch.decide(c.Alpha)
	}
}

// decide finds what a usable change amounts to.
func (ch *Change) decide(alpha float64) Finding {
	change, slack := ch.Now.Median-ch.Base.Median, ch.Slack
	if ch.bounded && math.Abs(change) <= ch.Absolute {
		slack = math.Inf(1)
	}
	worse, ok := ch.Worse().Get()
	if !ok { // from 0: more than any share
		worse = math.Copysign(math.Inf(1), ch.direction()*change)
	}
	return [...]Finding{
		infer.Same: Unchanged, infer.Small: Small, infer.Unclear: Inconclusive,
		infer.Worse: Regressed, infer.Better: Improved,
	}[infer.Decide(worse, slack, ch.Adjusted, alpha)]
}

// direction is 1 where more is worse, -1 where less is.
func (ch *Change) direction() float64 {
	if ch.Figure.metric.Better() == Higher {
		return -1
	}
	return 1
}

// LeastP is the smallest P value that so many runs can reach after Holm's
// correction, at most 1: unless it is below Alpha, no change can be significant.
func (c *Comparison) LeastP() float64 {
	least := infer.LeastP(c.Base.n, c.Now.n)
	if c.Paired {
		least = infer.LeastPaired(c.Now.n)
	}
	return min(1, least*float64(len(c.Changes)))
}

// Needed is the least number of runs on each side, or of pairs, with which a
// change can be significant after Holm's correction.
func (c *Comparison) Needed() int {
	if c.Paired {
		return infer.NeededPairs(c.Alpha, len(c.Changes))
	}
	return infer.Needed(c.Alpha, len(c.Changes))
}
