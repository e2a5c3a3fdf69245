package llmbench

import (
	"context"
	"fmt"
	"math"
	"time"
)

// DefaultPrecision is LadderOptions.Precision when that is zero.
const DefaultPrecision = 0.05

const (
	// steepest bounds the doubling and the halving: 1024 times the load that the
	// profile begins with, and 1024 times less.
	steepest = 1024
	// retries is how often a rung that cannot be judged is run again, each time
	// twice as long: eight times the profile's own length at most.
	retries = 3
	// probes bounds the requests that wait for a server to settle.
	probes = 10
)

// LadderOptions say how a ladder is climbed.
type LadderOptions struct {
	// Judge says whether a rung holds; assert.AllOf makes one of claims. Required.
	Judge func(*Result) Judgement
	// At is the arrivals at a load, in req/s or users. nil keeps the kind of the
	// profile's arrivals, which must then be Closed, Constant, Poisson or Gamma.
	At func(load float64) Arrivals
	// Precision is the relative width between a load that holds and one that does
	// not at which the search ends, in (0,1); 0 is DefaultPrecision. Users are
	// whole numbers.
	Precision float64
	// Most is the greatest load to try; 0 is 1024 times that of the profile.
	Most float64
	// Budget bounds the time of the whole ladder: no rung is begun that would end
	// beyond it, if it takes as long as the one before. 0 is no bound.
	Budget time.Duration
}

// A Rung is one run of a ladder.
type Rung struct {
	// Load is in req/s, or users of a closed loop.
	Load      float64
	Result    *Result
	Judgement Judgement
}

// goodput is what the server did well: requests that kept the SLOs where there
// are some, else ok ones, per second.
func (r Rung) goodput() float64 {
	ok := r.Result.Stats(RequestThroughput).Mean().Or(0)
	return r.Result.Stats(Goodput).Mean().Or(ok)
}

// latency is what a request took, in ms: from the schedule where it is known.
func (r Rung) latency() float64 {
	sent := r.Result.Stats(RequestLatency).Mean().Or(math.NaN())
	return r.Result.Stats(EffectiveLatency).Mean().Or(sent)
}

// A Capacity is what a ladder found.
type Capacity struct {
	// Unit of loads: "req/s", or "users".
	Unit string
	// Rungs are the runs in the order in which they were made; what had to be run
	// again for a verdict is there as often.
	Rungs []Rung
	// Holds is the highest load that was seen to hold, Breaks the lowest above it
	// that was not. Each is absent where there is none.
	Holds, Breaks Known[float64]
	// Stopped says why the search ended before its precision; empty if it did not.
	Stopped string
}

// Knee is the rung at which throughput / latency is greatest: beyond it, more
// load buys waiting rather than work (Kleinrock, "Power and deterministic rules
// of thumb for probabilistic problems in computer communications", ICC 1979).
// It is false with fewer than three rungs that have both.
func (c *Capacity) Knee() (Rung, bool) {
	var knee Rung
	best, seen := 0.0, 0
	for _, r := range c.Rungs {
		power := r.goodput() / r.latency()
		if math.IsNaN(power) || math.IsInf(power, 0) {
			continue
		}
		seen++
		if power > best {
			best, knee = power, r
		}
	}
	return knee, seen >= 3
}

// Kept is the share of the greatest goodput of all rungs that is left at the
// greatest load that was tried: about 1 for a server that goes on at its pace or
// sheds what it cannot carry, much less for one that collapses. It is absent
// unless that load is beyond Holds.
func (c *Capacity) Kept() Known[float64] {
	var peak float64
	var top Rung
	for _, r := range c.Rungs {
		peak = max(peak, r.goodput())
		if r.Load >= top.Load {
			top = r
		}
	}
	if peak == 0 || top.Result == nil || top.Judgement.Holds() {
		return Known[float64]{}
	}
	return Is(top.goodput() / peak)
}

// String lists the rungs in the order of their runs, and what was found.
func (c *Capacity) String() string {
	text := fmt.Sprintf("%10s  %12s  %12s  %s\n", "load", "goodput", "latency", "verdict")
	for _, r := range c.Rungs {
		text += fmt.Sprintf("%10.4g  %6.4g req/s  %9.4g ms  %s\n", r.Load, r.goodput(), r.latency(), r.Judgement.Line)
	}
	text += "highest load that holds: " + c.load(c.Holds) + "; lowest that does not: " + c.load(c.Breaks)
	if c.Stopped != "" {
		text += "; stopped: " + c.Stopped
	}
	return text
}

func (c *Capacity) load(l Known[float64]) string {
	if v, ok := l.Get(); ok {
		return fmt.Sprintf("%.4g %s", v, c.Unit)
	}
	return "none"
}

// Ladder runs the profile at rising loads until the judge says no, and searches
// the highest load that holds: doubling, then bisection. What goes wrong stops
// the test. See [DoLadder].
func Ladder(t T, target Target, profile Profile, opts LadderOptions) *Capacity {
	t.Helper()
	capacity, err := DoLadder(t.Context(), target, profile, opts)
	if err != nil {
		t.Errorf("%v", err)
		t.FailNow()
		return nil
	}
	t.Logf("%v", capacity)
	return capacity
}

// DoLadder is Ladder without a test. The load that the profile states is the first
// rung. While rungs hold, the load is doubled; if the first does not, it is
// halved until one does; then the interval is halved, in ratio, down to the
// precision. A rung that the judge cannot judge is run again twice as long, three
// times at most, and counts as one that does not hold. Where the target has no
// HTTP client of its own, one is kept for all rungs, so that connections and the
// server's caches stay warm. After a rung that does not hold, single requests
// are sent until one takes no longer than the one before: a server may still be
// at work on what was given up, and the next rung must not pay for it. The search
// trusts that a server which holds at a load holds below it.
//
// An error is one of the options, or of a run; when ctx ends, what was found
// until then is in the Capacity with the reason in Stopped, and the error wraps
// the cause.
func DoLadder(ctx context.Context, target Target, profile Profile, opts LadderOptions) (*Capacity, error) {
	l := &ladder{profile: profile.withDefaults(), opts: opts, capacity: &Capacity{Unit: "req/s"}}
	if err := l.prepare(); err != nil {
		return nil, fmt.Errorf("llmbench: ladder: %w", err)
	}
	endpoint, err := resolve(target)
	if err != nil {
		return nil, err
	}
	if endpoint.HTTP == nil {
		endpoint.kept = endpoint.connect(0)
		defer endpoint.kept.close()
	}
	l.profile, l.target = profile, endpoint
	l.began = time.Now()
	err = l.climb(ctx)
	return l.capacity, err
}

// A ladder is a search in the making.
type ladder struct {
	target   Target
	profile  Profile
	opts     LadderOptions
	users    bool
	start    float64
	began    time.Time
	lastRung time.Duration // how long the last rung took
	capacity *Capacity
}

// prepare checks the options and sets their defaults.
func (l *ladder) prepare() error {
	arrivals := l.profile.Arrivals
	if l.users = arrivals.Users() > 0; l.users {
		l.capacity.Unit = "users"
	}
	l.start = max(float64(arrivals.Rate()), float64(arrivals.Users()))
	switch {
	case l.opts.Judge == nil:
		return wrong("Judge", "is nil, want a function such as assert.AllOf(claims...)")
	case !(l.opts.Precision >= 0 && l.opts.Precision < 1):
		return wrong("Precision", "is %v, want >= 0 and < 1", l.opts.Precision)
	case !(l.opts.Most >= 0):
		return wrong("Most", "is %v, want >= 0", l.opts.Most)
	case l.opts.Budget < 0:
		return wrong("Budget", "is %v, want >= 0", l.opts.Budget)
	case !(l.start > 0) || math.IsInf(l.start, 0):
		return wrong("Arrivals", "are %v, want a finite rate or users to begin with", arrivals)
	}
	if l.opts.At == nil {
		if l.opts.At = sameKind(arrivals); l.opts.At == nil {
			return wrong("Arrivals", "are %v, want Closed, Constant, Poisson or Gamma, or LadderOptions.At", arrivals)
		}
	}
	if l.opts.Precision == 0 {
		l.opts.Precision = DefaultPrecision
	}
	if l.opts.Most == 0 {
		l.opts.Most = l.start * steepest
	}
	return nil
}

// sameKind is the arrivals of the same kind at another load; nil for a kind
// that has more to it than a load.
func sameKind(a Arrivals) func(float64) Arrivals {
	switch a := a.(type) {
	case closed:
		return func(load float64) Arrivals { return Closed(int(load)) }
	case constant:
		return func(load float64) Arrivals { return Constant(Rate(load)) }
	case poisson:
		return func(load float64) Arrivals { return Poisson(Rate(load)) }
	case bursty:
		if _, even := a.arrivals.(constant); even {
			return func(load float64) Arrivals { return Gamma(Rate(load), a.shape) }
		}
	}
	return nil
}

// climb searches: up or down by doubling, then between the two.
func (l *ladder) climb(ctx context.Context) error {
	load := l.start
	for {
		holds, err := l.rung(ctx, load)
		if err != nil || l.capacity.Stopped != "" {
			return err
		}
		if holds {
			l.capacity.Holds = Is(load)
		} else {
			l.capacity.Breaks = Is(load)
			l.settle(ctx)
		}
		next, more := l.next()
		if !more {
			return nil
		}
		load = next
	}
}

// next is the load to try now, false when the search is over.
func (l *ladder) next() (float64, bool) {
	low, up := l.capacity.Holds.Get()
	high, down := l.capacity.Breaks.Get()
	switch {
	case !down: // nothing has broken yet
		next := min(2*low, l.opts.Most)
		return next, next > low
	case !up: // nothing has held yet
		next := high / 2
		if l.users {
			next = math.Floor(next)
			return next, next >= 1
		}
		return next, next >= l.start/steepest
	case l.users:
		middle := math.Floor((low + high) / 2)
		return middle, middle > low && high/low > 1+l.opts.Precision
	}
	return math.Sqrt(low * high), high/low > 1+l.opts.Precision
}

// rung runs one load, again and longer while it cannot be judged.
func (l *ladder) rung(ctx context.Context, load float64) (holds bool, err error) {
	profile := l.profile
	profile.Arrivals = l.opts.At(load)
	for try := 0; ; try++ {
		if l.opts.Budget > 0 && time.Since(l.began)+l.lastRung > l.opts.Budget {
			l.capacity.Stopped = fmt.Sprintf("the budget of %v would be spent before another rung", l.opts.Budget)
			return false, nil
		}
		began := time.Now()
		result, err := Do(ctx, l.target, profile)
		l.lastRung = time.Since(began)
		if err != nil {
			l.capacity.Stopped = err.Error()
			return false, err
		}
		judgement := l.opts.Judge(result)
		result.AddJudgement(judgement)
		l.capacity.Rungs = append(l.capacity.Rungs, Rung{load, result, judgement})
		if judgement.Holds() || judgement.State == "fails" || try == retries {
			return judgement.Holds(), nil
		}
		profile.Requests *= 2
		profile.Duration *= 2
		l.lastRung *= 2
	}
}

// settle waits until the server has worked off what an overload left behind. A
// request that is sent into a backlog waits for it, so the first one that takes
// as long as the one before found none.
func (l *ladder) settle(ctx context.Context) {
	probe := l.profile
	probe.Arrivals, probe.Requests, probe.Duration = Closed(1), 1, 0
	probe.Warmup, probe.MaxInFlight = WarmupPart{}, 0
	// As long as a whole rung took is long enough; a server that needs longer
	// than that is not there any more.
	probe.Timeout = max(l.lastRung, time.Second)
	last := math.Inf(1)
	for range probes {
		result, err := Do(ctx, l.target, probe)
		if err != nil {
			return
		}
		latency := result.Stats(RequestLatency).Mean().Or(math.Inf(1))
		if latency >= 0.8*last && !math.IsInf(latency, 1) {
			return
		}
		last = latency
	}
}
