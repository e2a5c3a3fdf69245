package llmbench

import "time"

// An admission decides, in the order of their instants, which phase each request
// belongs to and where the sending ends. What it admits is a session: one
// request for most loads, its turns for others. A session belongs to the phase
// in which it begins.
type admission struct {
	schedule *Schedule
	session  int
	index    int
	measured int
	// start is when the measured part began; known from its first request on.
	start Known[time.Duration]
	// closed is when it ended.
	closed Known[time.Duration]
}

func (s *Schedule) admission() *admission { return &admission{schedule: s} }

// admit returns the next session, whose first request is due at the instant
// given, or nothing when the profile is spent.
func (a *admission) admit(at time.Duration) []Planned {
	p := a.schedule.profile
	phase, ok := a.phase(at)
	if !ok {
		return nil
	}
	turns := a.schedule.turns(a.session)
	if phase == Measure {
		if p.Requests > 0 && len(turns) > p.Requests-a.measured {
			turns = turns[:p.Requests-a.measured]
		}
		a.measured += len(turns)
	}
	for i := range turns {
		turns[i].Index, turns[i].Phase = a.index+i, phase
	}
	turns[0].At = at
	a.session++
	a.index += len(turns)
	return turns
}

// phase is that of a session which begins at the instant; false when none does
// any more.
func (a *admission) phase(at time.Duration) (Phase, bool) {
	p := a.schedule.profile
	switch {
	case a.index < p.Warmup.Requests, at < p.Warmup.Duration:
		return Warmup, true
	case !a.closed.Ok() && a.open(at):
		return Measure, true
	case !a.closed.Ok():
		a.closed = Is(at)
		if end := a.start.Or(0) + p.Duration; p.Duration > 0 {
			a.closed = Is(min(at, end))
		}
	}
	return Cooldown, at-a.closed.Or(0) < p.Cooldown
}

// open reports whether the measured part still takes a request at the instant.
func (a *admission) open(at time.Duration) bool {
	p := a.schedule.profile
	if !a.start.Ok() {
		a.start = Is(max(at, p.Warmup.Duration))
	}
	if p.Requests > 0 && a.measured >= p.Requests {
		return false
	}
	return p.Duration == 0 || at-a.start.Or(0) < p.Duration
}
