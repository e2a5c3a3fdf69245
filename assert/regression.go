package assert

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/llmbench/go/llmbench"
)

// NoRegression claims that no figure of some runs became worse than that of
// others, beyond noise and beyond a slack. It fails only where a change is
// significant, larger than the slack and for the worse. Where the runs are too few
// or too noisy to tell, a figure is missing, or the two sides are unlike, it cannot
// judge, and says what would do.
type NoRegression struct {
	// Baseline is the file of the runs before, "testdata/serve.baseline.json" as
	// seen from the test's folder. With LLMBENCH_UPDATE=1 set, the helpers write it
	// from the runs they are given, and the claim holds.
	Baseline string
	// Base are the runs before, in place of a file: of another server that runs
	// beside this one, made by llmbench.Pair. Either Baseline or Base is given.
	Base *llmbench.Runs
	// Comparer says what is compared and how: the figures, the slack, what may
	// differ.
	Comparer llmbench.Comparer
	// ErrorRate is the largest share of failed requests that a run may have, in
	// [0,1]; 0 allows none. What fails early makes room for the rest, so runs with
	// more are not compared.
	ErrorRate float64
}

// RequireNoRegression stops the test if the runs are worse than their base, or if
// that cannot be judged. It logs the comparison, and with LLMBENCH_REPORT=folder
// keeps it there as compare.md and compare.csv. The verdict stands among the
// judgements of the last of the runs, and in a GitHub workflow is an annotation.
// LLMBENCH_CANNOT_JUDGE is not heard here: more runs are what it takes to judge.
func RequireNoRegression(t T, now *llmbench.Runs, claim NoRegression) {
	helper(t)()
	if !CheckNoRegression(t, now, claim) {
		t.FailNow()
	}
}

// CheckNoRegression is RequireNoRegression that lets the test go on; it returns
// whether the claim holds.
func CheckNoRegression(t T, now *llmbench.Runs, claim NoRegression) bool {
	helper(t)()
	if claim.Baseline != "" && os.Getenv("LLMBENCH_UPDATE") != "" {
		return claim.update(t, now)
	}
	comparison, v := claim.judge(now)
	rememberRuns(now, v)
	if comparison != nil {
		if path, err := comparison.WriteReport(); err != nil {
			logf(t, "warning: the comparison was not kept: %v", err)
		} else if path != "" {
			logf(t, "kept in %s", path)
		}
	}
	if v.State != Holds {
		t.Errorf("%s", layout(v.Line, withRerun(v.allRows(), t)))
		return false
	}
	logf(t, "%v", comparison)
	if improved := comparison.Found(llmbench.Improved); len(improved) > 0 && claim.Baseline != "" {
		logf(t, "%s improved on %s; this makes it the new base:\n  %s",
			names(improved), claim.Baseline, refresh(t))
	}
	return true
}

// update writes the baseline. Runs that could not be compared make no base.
func (c NoRegression) update(t T, now *llmbench.Runs) bool {
	helper(t)()
	m := &message{subject: "no regression"}
	if v, ok := c.wrong(m, now); !ok {
		t.Errorf("%s", v)
		return false
	}
	if v, ok := c.healthy(m, "now", now); !ok {
		t.Errorf("%s was not written\n%s", c.Baseline, v)
		return false
	}
	if err := llmbench.WriteBaseline(c.Baseline, now, c.Comparer.Figures...); err != nil {
		t.Errorf("%v", err)
		return false
	}
	logf(t, "wrote %s: %d runs", c.Baseline, now.N())
	return true
}

// Check judges the claim. It reads the baseline's file, and writes nothing.
func (c NoRegression) Check(now *llmbench.Runs) Verdict {
	_, v := c.judge(now)
	return v
}

// rememberRuns leaves the verdict with the last of the runs, for its reports.
func rememberRuns(now *llmbench.Runs, v Verdict) {
	if now == nil {
		return
	}
	if results := now.Results(); len(results) > 0 {
		v.Claim = "NoRegression"
		remember(results[len(results)-1], v)
	}
}

// judge compares and says what it comes to. The comparison is nil where there was
// none.
func (c NoRegression) judge(now *llmbench.Runs) (*llmbench.Comparison, Verdict) {
	m := &message{subject: "no regression"}
	if v, ok := c.wrong(m, now); !ok {
		return nil, v
	}
	base := c.Base
	if c.Baseline != "" {
		var err error
		if base, err = llmbench.ReadBaseline(c.Baseline); err != nil {
			return nil, c.unread(m, err)
		}
	}
	comparison, err := c.Comparer.Compare(base, now)
	if err != nil {
		return nil, m.badClaim("%s", strings.TrimPrefix(err.Error(), "llmbench: compare: "))
	}
	return comparison, c.verdict(m, comparison)
}

// wrong says what makes the claim none; ok when nothing does.
func (c NoRegression) wrong(m *message, now *llmbench.Runs) (v Verdict, ok bool) {
	switch {
	case now == nil:
		return m.cannot("there are no runs (nil)"), false
	case (c.Baseline == "") == (c.Base == nil):
		return m.badClaim("Baseline is %q and Base has %s, want exactly one of them",
			c.Baseline, plural(runsIn(c.Base), "run")), false
	case !(c.ErrorRate >= 0 && c.ErrorRate <= 1):
		return m.badClaim("ErrorRate is %v, want a share in [0,1]", c.ErrorRate), false
	}
	return Verdict{}, true
}

func runsIn(r *llmbench.Runs) int {
	if r == nil {
		return 0
	}
	return r.N()
}

func (c NoRegression) unread(m *message, err error) Verdict {
	m.hint("LLMBENCH_UPDATE=1 before the rerun writes the baseline")
	if errors.Is(err, fs.ErrNotExist) {
		return m.cannot("there is no baseline %s", c.Baseline)
	}
	return m.cannot("%v", err)
}

// verdict goes from what forbids a comparison to what it found.
func (c NoRegression) verdict(m *message, all *llmbench.Comparison) Verdict {
	windowOfRuns(m, all)
	if len(all.Unlike) > 0 {
		return c.unlike(m, all)
	}
	for _, side := range []struct {
		name string
		runs *llmbench.Runs
	}{{"the base", all.Base}, {"now", all.Now}} {
		if v, ok := c.healthy(m, side.name, side.runs); !ok {
			return v
		}
	}
	if all.Found(llmbench.TooFewRuns) != nil {
		return tooFewRuns(m, all)
	}
	changeRows(m, all)
	if regressed := all.Found(llmbench.Regressed); len(regressed) > 0 {
		return c.fails(m, all, regressed)
	}
	if v, ok := usable(m, all); !ok {
		return v
	}
	if v, ok := conclusive(m, all); !ok {
		return v
	}
	return m.verdict(Holds, "%s %s no worse than the base: %s", plural(len(all.Changes), "figure"),
		map[bool]string{true: "is", false: "are"}[len(all.Changes) == 1], names(all.Changes))
}

// windowOfRuns says how much was compared, and of what.
func windowOfRuns(m *message, all *llmbench.Comparison) {
	text := fmt.Sprintf("%d + %d runs", all.Base.N(), all.Now.N())
	switch {
	case all.Paired:
		text = plural(all.Now.N(), "pair") + " of runs"
	case all.Exact:
		text += " that repeat each other to the bit"
	}
	if results := all.Now.Results(); len(results) > 0 && results[0].Schedule != nil {
		text += fmt.Sprintf(" of %v", results[0].Schedule)
	}
	m.window("window", "%s, window rule %s", text, all.Now.Identity().Window)
	base, now := all.Base.Identity().Server, all.Now.Identity().Server
	if base != now {
		m.window("server", "%s -> %s", orUnknown(base), orUnknown(now))
	}
}

func orUnknown(server string) string {
	if server == "" {
		return "unknown"
	}
	return server
}

// unlike shows in what the two sides differ.
func (c NoRegression) unlike(m *message, all *llmbench.Comparison) Verdict {
	diff := strings.TrimSpace(cmp.Diff(all.BaseIdentity, all.NowIdentity))
	m.evidence("differs", "(-base +now)\n    %s", strings.ReplaceAll(diff, "\n", "\n    "))
	hint := "list in Comparer.MayDiffer what may differ"
	if c.Baseline != "" {
		hint = "LLMBENCH_UPDATE=1 before the rerun writes a baseline of what runs now; or " + hint
	}
	m.hint("%s", hint)
	var traits []string
	for _, t := range all.Unlike {
		traits = append(traits, string(t))
	}
	return m.cannot("the base and now differ in %s", strings.Join(traits, ", "))
}

// healthy reports whether the runs tell about the server at all.
func (c NoRegression) healthy(m *message, side string, runs *llmbench.Runs) (v Verdict, ok bool) {
	failed, most := 0, 0.0
	for _, share := range runs.Values(llmbench.ErrorRate.Mean()) {
		if s := share.Or(0); s > c.ErrorRate {
			failed, most = failed+1, max(most, s)
		}
	}
	if failed > 0 {
		m.effect("requests that fail make room for the rest: latencies of the ok ones are not those of the load")
		m.hint("ErrorRate allows a share of them")
		return m.cannot("requests failed in %d of %s of %s, up to %s of a run, want at most %s",
			failed, plural(runs.N(), "run"), side, share(most), share(c.ErrorRate)), false
	}
	for i, r := range runs.Results() {
		if why := unfit(r); why != "" {
			return m.cannot("in run %d of %d of %s %s", i+1, runs.N(), side, why), false
		}
	}
	return Verdict{}, true
}

// tooFewRuns says how many runs it takes.
func tooFewRuns(m *message, all *llmbench.Comparison) Verdict {
	needed := all.Needed()
	size, more := fmt.Sprintf("%d + %d runs reach", all.Base.N(), all.Now.N()), fmt.Sprintf("%d + %d", needed, needed)
	if all.Paired {
		size, more = plural(all.Now.N(), "pair")+" of runs reach", plural(needed, "pair")
	}
	return m.cannot("%s p = %s at best after Holm over %s; run %s or more",
		size, figure(precise, all.LeastP()), plural(len(all.Changes), "metric"), more)
}

// findingLabels are what the rows call the findings, the worst first.
var findingLabels = []struct {
	finding llmbench.Finding
	label   string
}{
	{llmbench.Regressed, "worse"}, {llmbench.Missing, "missing"}, {llmbench.NotFinite, "not finite"},
	{llmbench.Zero, "zero"}, {llmbench.Inconclusive, "unclear"}, {llmbench.Improved, "better"},
	{llmbench.Small, "small"}, {llmbench.Unchanged, "unchanged"},
}

// changeRows gives a row to every figure, and the terms on which it was judged.
func changeRows(m *message, all *llmbench.Comparison) {
	for _, l := range findingLabels {
		for _, ch := range all.Found(l.finding) {
			m.evidence(l.label, "%v", &ch)
		}
	}
	if !all.Exact {
		m.limit("p is after Holm over %s, level %s; an interval is for one figure alone",
			plural(len(all.Changes), "figure"), figure(precise, all.Alpha))
	}
}

// fails words the regressions, the largest first.
func (c NoRegression) fails(m *message, all *llmbench.Comparison, regressed []llmbench.Change) Verdict {
	if c.Baseline != "" {
		m.hint("if this is meant, LLMBENCH_UPDATE=1 before the rerun makes it the new base")
	}
	worst := slices.MaxFunc(regressed, func(a, b llmbench.Change) int {
		return int(sign(a.Worse().Or(1e308) - b.Worse().Or(1e308)))
	})
	text := worseText(worst)
	if len(regressed) == 1 {
		return m.verdict(Fails, "%s", text)
	}
	return m.verdict(Fails, "%d of %s are worse than the base, most of all: %s",
		len(regressed), plural(len(all.Changes), "figure"), text)
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// worseText is a regression in one sentence, observed before wanted.
func worseText(ch llmbench.Change) string {
	unit := ch.Figure.Metric().Unit()
	now, base := apart(ch.Now.Median, ch.Base.Median, unit)
	worse, ok := ch.Worse().Get()
	if !ok {
		return fmt.Sprintf("%v is %s after %s in the base, want at most %s more", ch.Figure, now, base,
			amount(ch.Absolute, unit))
	}
	text := fmt.Sprintf("%v is %s, %s worse than %s in the base, want at most %s",
		ch.Figure, now, share(worse), base, share(ch.Slack))
	if ch.Absolute > 0 {
		text += " or " + amount(ch.Absolute, unit)
	}
	return text
}

// usable names the first figure that no test could judge.
func usable(m *message, all *llmbench.Comparison) (v Verdict, ok bool) {
	for _, ch := range all.Changes {
		switch ch.Finding {
		case llmbench.Missing:
			return m.cannot("%v is missing in %s", ch.Figure, missingIn(all, ch)), false
		case llmbench.NotFinite:
			return m.cannot("%v is NaN or infinite in a run", ch.Figure), false
		case llmbench.Zero:
			m.hint("Comparer.Absolute gives the figure a limit in its own unit where 0 is an ordinary value")
			return m.cannot("%v is 0 on one side: %v", ch.Figure, &ch), false
		}
	}
	return Verdict{}, true
}

func missingIn(all *llmbench.Comparison, ch llmbench.Change) string {
	var parts []string
	for _, side := range []struct {
		name    string
		n, have int
	}{{"the base", all.Base.N(), ch.Base.N}, {"now", all.Now.N(), ch.Now.N}} {
		if side.have < side.n {
			parts = append(parts, fmt.Sprintf("%d of %s of %s", side.n-side.have, plural(side.n, "run"), side.name))
		}
	}
	return strings.Join(parts, " and ")
}

// conclusive reports whether noise leaves no figure open that looks worse.
func conclusive(m *message, all *llmbench.Comparison) (v Verdict, ok bool) {
	for _, ch := range all.Found(llmbench.Inconclusive) {
		if ch.Worse().Or(1) <= 0 {
			continue // it looks better; that it is not worse needs no more proof than a small change
		}
		if n, ok := all.ToTell(ch).Get(); ok {
			m.hint("about %d runs a side would tell such a change from noise like this in 4 of 5 cases (z test on the spread between runs)", n)
		}
		return m.cannot("%v looks worse by %s, beyond the slack of %s, but p = %s: noise may have made it",
			ch.Figure, share(ch.Worse().Or(0)), share(ch.Slack), figure(precise, ch.Adjusted)), false
	}
	return Verdict{}, true
}

func names(changes []llmbench.Change) string {
	var all []string
	for _, ch := range changes {
		all = append(all, ch.Figure.String())
	}
	return strings.Join(all, ", ")
}

// refresh is the command that makes the runs of now the base.
func refresh(t T) string {
	command := "go test"
	if rows := withRerun(nil, t); len(rows) > 0 {
		command = rows[0].Value
	}
	return "LLMBENCH_UPDATE=1 " + command
}

// logf logs where the test can.
func logf(t T, format string, args ...any) {
	helper(t)()
	if l, ok := t.(interface{ Logf(string, ...any) }); ok {
		l.Logf(format, args...)
	}
}
