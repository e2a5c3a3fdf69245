package assert

import (
	"github.com/llmbench/go/llmbench"
)

// AllOf makes a judge of claims for llmbench.Ladder: a rung holds if all of
// them do, fails if one does, and cannot be judged otherwise. The line is that
// of the claim that decided.
func AllOf(claims ...Claim) func(*llmbench.Result) llmbench.Judgement {
	return func(r *llmbench.Result) llmbench.Judgement {
		if len(claims) == 0 {
			return judgement(Judge(nil, r))
		}
		severity := map[State]int{Holds: 0, CannotJudge: 1, Fails: 2}
		worst := Judge(claims[0], r)
		for _, claim := range claims[1:] {
			if v := Judge(claim, r); severity[v.State] > severity[worst.State] {
				worst = v
			}
		}
		return judgement(worst)
	}
}

// judgement is a verdict as a result keeps it.
func judgement(v Verdict) llmbench.Judgement {
	j := llmbench.Judgement{Claim: v.Claim, State: v.State.String(), Line: v.Line}
	for _, row := range v.Rows {
		j.Rows = append(j.Rows, [2]string{row.Label, row.Value})
	}
	return j
}

// Capacity claims what a ladder must have found. At least one field must be set.
type Capacity struct {
	// AtLeast is the least load, in the ladder's unit, that must hold.
	AtLeast float64
	// Keeps is the least share of the greatest goodput, in (0,1], that must be
	// left at a load beyond what holds: the server must not collapse.
	Keeps float64
}

// RequireCapacity stops the test unless the ladder found what c claims.
func RequireCapacity(t T, found *llmbench.Capacity, c Capacity) {
	helper(t)()
	Require(t, lastOf(found), ladderClaim{c, found})
}

// CheckCapacity is RequireCapacity that lets the test go on; it returns whether
// the claim holds.
func CheckCapacity(t T, found *llmbench.Capacity, c Capacity) bool {
	helper(t)()
	return Check(t, lastOf(found), ladderClaim{c, found})
}

// lastOf is the result that keeps the verdict for its reports; an empty one
// where there is none.
func lastOf(found *llmbench.Capacity) *llmbench.Result {
	if found == nil || len(found.Rungs) == 0 {
		return &llmbench.Result{}
	}
	return found.Rungs[len(found.Rungs)-1].Result
}

// ladderClaim is a Capacity claim about one ladder, whatever result it is asked
// about.
type ladderClaim struct {
	Capacity
	found *llmbench.Capacity
}

func (ladderClaim) claimName() string { return "Capacity" }

// Check judges the claim.
func (c ladderClaim) Check(*llmbench.Result) Verdict { return c.Judge(c.found) }

// Judge judges what a ladder found.
func (c Capacity) Judge(found *llmbench.Capacity) Verdict {
	m := &message{subject: "capacity"}
	switch {
	case !(c.AtLeast >= 0 && c.Keeps >= 0 && c.Keeps <= 1):
		return m.badClaim("Capacity: AtLeast is %v and Keeps %v, want >= 0, and Keeps <= 1", c.AtLeast, c.Keeps)
	case c.AtLeast == 0 && c.Keeps == 0:
		return m.badClaim("Capacity: AtLeast and Keeps are both 0, want at least one of them > 0")
	case found == nil || len(found.Rungs) == 0:
		return m.cannot("the ladder has no rung")
	}
	c.explain(m, found)
	holds, any := found.Holds.Get()
	if c.AtLeast > 0 && holds < c.AtLeast {
		if !found.Breaks.Ok() {
			return m.cannot("the ladder ended at %s without a load that breaks, want at least %s", amount(holds, found.Unit), amount(c.AtLeast, found.Unit))
		}
		if breaks := found.Breaks.Or(0); breaks > c.AtLeast {
			return m.cannot("it is between %s and %s, want at least %s: the ladder must be more precise",
				amount(holds, found.Unit), amount(breaks, found.Unit), amount(c.AtLeast, found.Unit))
		}
		if !any {
			return m.verdict(Fails, "no load holds, down to %s, want at least %s", amount(found.Breaks.Or(0), found.Unit), amount(c.AtLeast, found.Unit))
		}
		observed, wanted := apart(holds, c.AtLeast, found.Unit)
		return m.verdict(Fails, "capacity is %s, want at least %s", observed, wanted)
	}
	return c.keeps(m, found, holds)
}

// keeps judges what is left beyond the capacity.
func (c Capacity) keeps(m *message, found *llmbench.Capacity, holds float64) Verdict {
	if c.Keeps == 0 {
		return m.verdict(Holds, "capacity is %s, want at least %s", amount(holds, found.Unit), amount(c.AtLeast, found.Unit))
	}
	kept, ok := found.Kept().Get()
	if !ok {
		return m.cannot("no load beyond it was tried, so nothing is known of a collapse")
	}
	state := Fails
	if kept >= c.Keeps {
		state = Holds
	}
	observed, wanted := apart(100*kept, 100*c.Keeps, "%")
	return m.verdict(state, "beyond its capacity the server keeps %s of its best goodput, want at least %s", observed, wanted)
}

// explain shows the search, and why the load that broke did.
func (c Capacity) explain(m *message, found *llmbench.Capacity) {
	first, last := found.Rungs[0], found.Rungs[len(found.Rungs)-1]
	m.window("ladder", "%s from %s to %s, the last rung at %s", plural(len(found.Rungs), "rung"), amount(first.Load, found.Unit),
		amount(most(found), found.Unit), amount(last.Load, found.Unit))
	m.evidence("holds", "%s; breaks: %s", loadOr(found.Holds, found.Unit), loadOr(found.Breaks, found.Unit))
	if knee, ok := found.Knee(); ok {
		m.evidence("knee", "%s, where throughput / latency is greatest", amount(knee.Load, found.Unit))
	}
	if kept, ok := found.Kept().Get(); ok {
		m.evidence("beyond", "%s of the best goodput at %s", share(kept), amount(most(found), found.Unit))
	}
	for _, rung := range found.Rungs {
		if llmbench.Is(rung.Load).Equal(found.Breaks) && !rung.Judgement.Holds() && rung.Judgement.Line != "" {
			m.cause("at %s: %s", amount(rung.Load, found.Unit), rung.Judgement.Line)
			break
		}
	}
	if found.Stopped != "" {
		m.limit("the search was stopped: %s", found.Stopped)
	}
}

func most(found *llmbench.Capacity) float64 {
	top := 0.0
	for _, rung := range found.Rungs {
		top = max(top, rung.Load)
	}
	return top
}

func loadOr(load llmbench.Known[float64], unit string) string {
	if v, ok := load.Get(); ok {
		return amount(v, unit)
	}
	return "none that was tried"
}
