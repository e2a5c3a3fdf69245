package assert

import (
	"fmt"
	"os"
	"strings"

	"github.com/llmbench/go/llmbench"
)

// T is what a claim needs of a test: any testify TestingT, so *testing.T,
// *testing.B, ginkgo's GinkgoT() and rapid's *T. Where it has them, Helper,
// Name, Attr, Logf and Skipf are used too.
type T interface {
	Errorf(format string, args ...any)
	FailNow()
}

// Require judges the claims and stops the test if any of them does not hold.
// All of them are judged and reported first, each with a text of its own. A
// claim that cannot be judged does not hold.
//
// LLMBENCH_CANNOT_JUDGE=skip makes claims that cannot be judged skip the test
// where no claim failed, for a laptop too slow to tell; it is not heard where
// CI is set. A claim that is wrong in itself still fails.
func Require(t T, result *llmbench.Result, claims ...Claim) {
	helper(t)()
	switch report(t, result, claims) {
	case Fails:
		t.FailNow()
	case CannotJudge:
		if s, ok := t.(interface{ Skipf(string, ...any) }); ok {
			s.Skipf("%s", "a claim cannot be judged, and LLMBENCH_CANNOT_JUDGE is skip")
		}
	}
}

// Check judges the claims and reports those that do not hold with t.Errorf; the
// test goes on. It returns whether all of them hold. To claim nothing is a
// mistake and reported as one. With LLMBENCH_CANNOT_JUDGE=skip, see Require,
// what cannot be judged is logged only, and still no reason to return true.
func Check(t T, result *llmbench.Result, claims ...Claim) bool {
	helper(t)()
	return report(t, result, claims) == Holds
}

// Each is Check with a sub-test for each claim, named after it, so that each
// has a line of its own in reports: assert.Each(t, result, claims...) with a
// *testing.T or *testing.B. It cannot be used in a synctest bubble, which has no
// sub-tests; take the result out of it.
func Each[S interface {
	T
	Run(name string, f func(S)) bool
}](t S, result *llmbench.Result, claims ...Claim) bool {
	helper(t)()
	if len(claims) == 0 {
		return Check(t, result)
	}
	all := true
	for _, claim := range claims {
		held := false
		t.Run(claimName(claim), func(t S) {
			helper(t)()
			held = Check(t, result, claim)
		})
		all = all && held
	}
	return all
}

// report judges the claims and reports what does not hold. It returns Holds if
// all do, Fails if the test has failed, and CannotJudge if it is only to be
// skipped.
func report(t T, result *llmbench.Result, claims []Claim) State {
	helper(t)()
	if len(claims) == 0 {
		claims = []Claim{nil}
	}
	worst := Holds
	for _, claim := range claims {
		v := Judge(claim, result)
		remember(result, v)
		attribute(t, claim, v)
		switch text := layout(v.Line, withRerun(v.allRows(), t)); {
		case v.State == Holds:
		case v.State == CannotJudge && !v.Misuse && lenient():
			if l, ok := t.(interface{ Logf(string, ...any) }); ok {
				l.Logf("%s", text)
			}
			if worst == Holds {
				worst = CannotJudge
			}
		default:
			t.Errorf("%s", text)
			worst = Fails
		}
	}
	return worst
}

// lenient reports whether claims that cannot be judged may pass by.
func lenient() bool {
	return os.Getenv("LLMBENCH_CANNOT_JUDGE") == "skip" && os.Getenv("CI") == ""
}

// attribute leaves the figure of a claim in the test's attributes, where go test
// -json and what reads it finds it.
func attribute(t T, claim Claim, v Verdict) {
	if a, ok := t.(interface{ Attr(key, value string) }); ok {
		line := strings.NewReplacer("\n", " ", "\r", " ").Replace(v.Line)
		key := strings.Join(strings.Fields(claimName(claim)), "_") // white space in a key fails the test
		a.Attr("llmbench."+key, v.State.String()+": "+line)
	}
}

// claimName is what a claim is called where there is room for one word.
func claimName(claim Claim) string {
	if named, ok := claim.(interface{ claimName() string }); ok {
		return named.claimName()
	}
	name := fmt.Sprintf("%T", claim)
	if claim == nil {
		name = "nothing"
	}
	return strings.TrimLeft(name[strings.LastIndex(name, ".")+1:], "*")
}

// Judge is claim.Check(result) for any claim and any result, nil included:
// neither is ever true of nothing. It puts the claim's name into the verdict.
func Judge(claim Claim, result *llmbench.Result) Verdict {
	v := judged(claim, result)
	v.Claim = claimName(claim)
	return v
}

func judged(claim Claim, result *llmbench.Result) Verdict {
	switch {
	case claim == nil:
		return mistake("bad claim: nothing is claimed, want at least one claim")
	case result == nil:
		return mistake("cannot judge anything: there is no result (nil)")
	}
	return claim.Check(result)
}

// mistake is the verdict of a test that claims nothing, or of nothing.
func mistake(line string) Verdict { return Verdict{Line: line, Misuse: true, Docs: docsOf(line)} }

// remember leaves the verdict with the result, for its reports.
func remember(result *llmbench.Result, v Verdict) {
	if result == nil {
		return
	}
	result.AddJudgement(judgement(v))
}

// helper keeps this package out of the line numbers that a failure shows. It
// returns the test's Helper, to be called at once: Helper marks the function that
// calls it, so a call in here would mark this function alone.
func helper(t T) func() {
	if h, ok := t.(interface{ Helper() }); ok {
		return h.Helper
	}
	return func() {}
}
