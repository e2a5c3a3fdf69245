package assert

import "github.com/llmbench/go/llmbench"

// T is what a claim needs of a test: any testify TestingT, so *testing.T,
// *testing.B, ginkgo's GinkgoT() and rapid's *T. Where it has them, Helper and
// Name are used too.
type T interface {
	Errorf(format string, args ...any)
	FailNow()
}

// Require judges the claims and stops the test if any of them does not hold.
// All of them are judged and reported first, each with a text of its own. A
// claim that cannot be judged does not hold.
func Require(t T, result *llmbench.Result, claims ...Claim) {
	helper(t)
	if !Check(t, result, claims...) {
		t.FailNow()
	}
}

// Check judges the claims and reports those that do not hold with t.Errorf; the
// test goes on. It returns whether all of them hold. To claim nothing is a
// mistake and reported as one.
func Check(t T, result *llmbench.Result, claims ...Claim) bool {
	helper(t)
	if len(claims) == 0 {
		claims = []Claim{nil}
	}
	all := true
	for _, claim := range claims {
		v := Judge(claim, result)
		remember(result, v)
		if v.State != Holds {
			t.Errorf("%s", layout(v.Line, withRerun(v.Rows, t)))
			all = false
		}
	}
	return all
}

// Judge is claim.Check(result) for any claim and any result, nil included:
// neither is ever true of nothing.
func Judge(claim Claim, result *llmbench.Result) Verdict {
	switch {
	case claim == nil:
		return Verdict{Line: "bad claim: nothing is claimed, want at least one claim"}
	case result == nil:
		return Verdict{Line: "cannot judge anything: there is no result (nil)"}
	}
	return claim.Check(result)
}

// remember leaves the verdict with the result, for its reports.
func remember(result *llmbench.Result, v Verdict) {
	if result == nil {
		return
	}
	j := llmbench.Judgement{State: v.State.String(), Line: v.Line}
	for _, row := range v.Rows {
		j.Rows = append(j.Rows, [2]string{row.Label, row.Value})
	}
	result.AddJudgement(j)
}

// helper keeps this package out of the line numbers that a failure shows.
func helper(t T) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
}
