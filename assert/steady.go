package assert

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/llmbench/go/llmbench"
)

// Defaults of StableWindow: the practice of the article that introduced
// AISBench's stable stage.
const (
	DefaultStableRequests = 128
	DefaultStableLength   = 60 * time.Second
)

// StableWindow claims that a run has a stretch of constant load that is long
// enough to speak for the server: enough requests, long enough, and no request
// that takes more than a third of it. Of a whole run of a closed loop it is the
// stretch that llmbench.StableRule finds; a result that was analysed over a
// window of its own is judged by that.
type StableWindow struct {
	// Requests is the least number of ok requests; 0 is DefaultStableRequests.
	Requests int
	// Length is the least length of the window; 0 is DefaultStableLength.
	Length time.Duration
}

// RequireStableWindow stops the test unless the window is long enough to speak for the server.
func RequireStableWindow(t T, r *llmbench.Result, c StableWindow) {
	helper(t)()
	Require(t, r, c)
}

// CheckStableWindow is RequireStableWindow that lets the test go on; it returns
// whether the claim holds.
func CheckStableWindow(t T, r *llmbench.Result, c StableWindow) bool {
	helper(t)()
	return Check(t, r, c)
}

// Check judges the claim.
func (c StableWindow) Check(r *llmbench.Result) Verdict {
	m := about("stable window", r)
	if c.Requests < 0 || c.Length < 0 {
		return m.badClaim("StableWindow: Requests is %d and Length %v, want both >= 0", c.Requests, c.Length)
	}
	if c.Requests == 0 {
		c.Requests = DefaultStableRequests
	}
	if c.Length == 0 {
		c.Length = DefaultStableLength
	}
	r, err := stableStretch(r)
	windowRow(m, r)
	if err != nil {
		return c.unstable(m, err)
	}
	latency := r.Stats(llmbench.RequestLatency)
	if latency.N() == 0 {
		failuresRow(m, r)
		return m.cannot("no samples: %s", absence(latency, r))
	}
	length := r.Window.Length()
	longest := time.Duration(latency.Max().Or(0) * 1e6)
	m.evidence("rule", "window %q, %s, longest request %s", r.Window.Rule, plural(r.Counts.OK, "ok request"), duration(longest))
	switch {
	case r.Counts.OK < c.Requests:
		m.hint("a window of %s: %d requests at the %s req/s of this window", duration(c.forRequests(r)), c.Requests,
			figure(precise, float64(r.Counts.OK)/length.Seconds()))
		return m.verdict(Fails, "window has %s, want at least %d", plural(r.Counts.OK, "ok request"), c.Requests)
	case length < c.Length:
		return m.verdict(Fails, "window is %s long, want at least %s", duration(length), duration(c.Length))
	case longest > length/3:
		m.hint("a window of %s, three times the longest request", duration(3*longest))
		return m.verdict(Fails, "longest request is %s, want at most a third of the window of %s", duration(longest), duration(length))
	}
	return m.verdict(Holds, "window is %s long with %s", duration(length), plural(r.Counts.OK, "ok request"))
}

// stableStretch is the result over the stable stage of a whole run.
func stableStretch(r *llmbench.Result) (*llmbench.Result, error) {
	if r.Window.Rule != llmbench.WholeRule || r.Counts.OK == 0 {
		return r, nil
	}
	if r.Profile == nil || r.Profile.Arrivals == nil || r.Profile.Arrivals.Users() == 0 {
		return r, errors.New("the rule for a whole run asks for a closed loop and its users, want a result of a window")
	}
	stretch, err := llmbench.Analyze(r.Records, llmbench.AnalyzeOptions{
		Rule: llmbench.StableRule, Concurrency: r.Profile.Arrivals.Users(),
	})
	if err != nil {
		return r, err
	}
	stretch.Profile, stretch.Stopped = r.Profile, r.Stopped
	return stretch, nil
}

// unstable words the lack of a stretch to judge.
func (c StableWindow) unstable(m *message, err error) Verdict {
	if none := (*llmbench.NoStableStage)(nil); errors.As(err, &none) {
		return m.verdict(Fails, "%v, want a stable stage of at least %s", none, plural(c.Requests, "request"))
	}
	return m.cannot("%v", err)
}

// forRequests is how long a window with enough requests is at this one's rate.
func (c StableWindow) forRequests(r *llmbench.Result) time.Duration {
	return time.Duration(float64(r.Window.Length()) * float64(c.Requests) / float64(r.Counts.OK))
}

// DefaultMaxDrift is SteadyState.AtMost when that is zero.
const DefaultMaxDrift = 0.2

// SteadyState claims that the server kept up: the requests of the last third
// of the run do not take longer than those of the first third by more than a
// share, in effective latency where the schedule is known. A queue that grows
// shows here before a percentile does: over a load the server cannot carry, any
// percentile is a matter of how long one looks.
type SteadyState struct {
	// AtMost is the share by which the mean may grow, > 0; 0 is DefaultMaxDrift.
	AtMost float64
}

// RequireSteadyState stops the test unless latency did not grow over the run.
func RequireSteadyState(t T, r *llmbench.Result, c SteadyState) {
	helper(t)()
	Require(t, r, c)
}

// CheckSteadyState is RequireSteadyState that lets the test go on; it returns
// whether the claim holds.
func CheckSteadyState(t T, r *llmbench.Result, c SteadyState) bool {
	helper(t)()
	return Check(t, r, c)
}

// thirdLeast is the least number of requests in a third: with fewer, one slow
// request is a drift.
const thirdLeast = 10

// Check judges the claim.
func (c SteadyState) Check(r *llmbench.Result) Verdict {
	m := about("steady state", r)
	if !(c.AtMost >= 0) || math.IsInf(c.AtMost, 1) {
		return m.badClaim("SteadyState: AtMost is %v, want >= 0 and finite", c.AtMost)
	}
	if c.AtMost == 0 {
		c.AtMost = DefaultMaxDrift
	}
	windowRow(m, r)
	if why := unfit(r); why != "" {
		return m.cannot("%s", why)
	}
	metric := llmbench.EffectiveLatency
	if r.Stats(metric).N() == 0 {
		metric = llmbench.RequestLatency
	}
	thirds := thirdsOf(metric, r)
	if len(thirds[0]) < thirdLeast {
		failuresRow(m, r)
		return m.cannot("a third of %s is too few, want at least %d", plural(r.Counts.OK, "ok request"), thirdLeast)
	}
	var means, bounds [3]float64
	for i, third := range thirds {
		mean, variance := moments(third)
		means[i], bounds[i] = mean, math.Sqrt(variance/float64(independent(third)))
	}
	growth := means[2]/means[0] - 1
	m.evidence("thirds", "mean %s %s, then %s, then %s", called(metric), amount(means[0], "ms"), amount(means[1], "ms"), amount(means[2], "ms"))
	failuresRow(m, r)
	// The difference of two means must be more than chance: two standard errors.
	noise := 2 * math.Hypot(bounds[0], bounds[2]) / means[0]
	m.evidence("chance", "%s of growth would be chance (two standard errors)", share(noise))
	text := fmt.Sprintf("%s grew by %s from the first to the last third of the run, want at most %s", called(metric), share(growth), share(c.AtMost))
	switch {
	case growth <= c.AtMost:
		return m.verdict(Holds, "%s", text)
	case growth-noise <= c.AtMost:
		return m.cannot("%s, and %s would be chance", text, share(noise))
	}
	return m.verdict(Fails, "%s", text)
}

// thirdsOf splits the samples of the requests, in the order of their sending.
func thirdsOf(metric llmbench.Metric, r *llmbench.Result) [3][]float64 {
	var all []float64
	for _, record := range bySend(r) {
		all = metric.AppendSamples(all, record)
	}
	third := len(all) / 3
	return [3][]float64{all[:third], all[third : 2*third], all[2*third:]}
}
