package assert

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// recorder is a T that keeps what it is told. FailNow ends its goroutine as the
// real one does.
type recorder struct {
	name           string
	errors, logged []string
	attrs          []string
	stopped        bool
	skipped        bool
	helped         int
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Logf(format string, args ...any) {
	r.logged = append(r.logged, fmt.Sprintf(format, args...))
}
func (r *recorder) FailNow()               { r.stopped = true; runtime.Goexit() }
func (r *recorder) Skipf(string, ...any)   { r.skipped = true; runtime.Goexit() }
func (r *recorder) Helper()                { r.helped++ }
func (r *recorder) Name() string           { return r.name }
func (r *recorder) Attr(key, value string) { r.attrs = append(r.attrs, key+"="+value) }

// Run is a sub-test of the recorder, whose errors are its parent's.
func (r *recorder) Run(name string, f func(*recorder)) bool {
	sub := watch(r.name+"/"+name, func(t T) { f(t.(*recorder)) })
	r.errors = append(r.errors, sub.errors...)
	return len(sub.errors) == 0
}

// watch runs a test body against a recorder, in a goroutine of its own because
// of FailNow.
func watch(name string, body func(T)) *recorder {
	r := &recorder{name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		body(r)
	}()
	<-done
	return r
}

// said is a claim with a verdict of its own, for tests of what is done with it.
type said struct{ Verdict }

func (s said) Check(*llmbench.Result) Verdict { return s.Verdict }

var (
	holding = said{Verdict{State: Holds, Line: "all is well"}}
	failing = said{Verdict{State: Fails, Line: "x is 2, want at most 1", Rows: []Row{{"window", "30.0s"}}}}
	unclear = said{Verdict{Line: "cannot judge x: no samples"}}
)

func TestRequireReportsAllClaimsThenStops(t *testing.T) {
	t.Setenv("LLMBENCH_SEED", "")
	reached := false
	r := watch("TestX", func(t T) {
		Require(t, &llmbench.Result{}, failing, holding, unclear)
		reached = true
	})
	require.True(t, r.stopped)
	require.False(t, reached, "the test must stop at Require")
	require.Equal(t, []string{
		"x is 2, want at most 1\n  window     30.0s\n  rerun      go test -run '^TestX$' ./assert",
		"cannot judge x: no samples\n  rerun      go test -run '^TestX$' ./assert",
	}, r.errors)
	require.Positive(t, r.helped, "the line number must be the caller's")
	require.Len(t, failing.Rows, 1, "the rerun must not be written into the claim's own rows")
}

// What claims said is with the result, those that hold too, for the reports.
func TestVerdictsAreLeftWithTheResult(t *testing.T) {
	result := &llmbench.Result{}
	watch("TestX", func(t T) { Check(t, result, failing, holding, unclear) })
	require.Equal(t, []llmbench.Judgement{
		{Claim: "said", State: "fails", Line: "x is 2, want at most 1", Rows: [][2]string{{"window", "30.0s"}}},
		{Claim: "said", State: "holds", Line: "all is well"},
		{Claim: "said", State: "cannot judge", Line: "cannot judge x: no samples"},
	}, result.Judgements())
}

// A verdict is called as a sub-test of its claim would be.
func TestVerdictsSayWhichClaim(t *testing.T) {
	contract, err := ParseContract("x.slo.yaml", []byte("contract: x\nclaims:\n- {name: first token, metric: ttft, p99: 1s}\n- {metric: ttft, p99: 1s, among: {label: a}}\n"))
	require.NoError(t, err)
	for name, claim := range map[string]Claim{
		"TTFT": TTFT{P99: time.Second}, "NoErrors": Among(Class{Label: "a"}, NoErrors{}), "nothing": nil,
		"first token": contract.Claims[0], "time_to_first_token": contract.Claims[1],
	} {
		require.Equal(t, name, Judge(claim, steady(t)).Claim)
		require.Equal(t, name, Judge(claim, nil).Claim, "there is no result, and still it is this claim")
	}
}

func TestCheckGoesOn(t *testing.T) {
	var first, second bool
	r := watch("TestX", func(t T) {
		first = Check(t, &llmbench.Result{}, failing)
		second = Check(t, &llmbench.Result{}, holding, holding)
	})
	require.False(t, r.stopped)
	require.False(t, first)
	require.True(t, second)
	require.Len(t, r.errors, 1)
}

// Nothing passes on nothing.
func TestNothingNeverHolds(t *testing.T) {
	for _, c := range []struct {
		why    string
		body   func(T) bool
		expect string
	}{
		{"no claims", func(t T) bool { return Check(t, &llmbench.Result{}) }, "bad claim: nothing is claimed"},
		{"a nil claim", func(t T) bool { return Check(t, &llmbench.Result{}, nil) }, "bad claim: nothing is claimed"},
		{"no result", func(t T) bool { return Check(t, nil, holding) }, "cannot judge anything: there is no result"},
		{"a verdict nobody filled in", func(t T) bool { return Check(t, &llmbench.Result{}, said{}) }, ""},
	} {
		held := true
		r := watch("TestX", func(t T) { held = c.body(t) })
		require.False(t, held, c.why)
		require.Len(t, r.errors, 1, c.why)
		require.True(t, strings.HasPrefix(r.errors[0], c.expect), "%s: %s", c.why, r.errors[0])
	}
}

func TestEachIsASubtestPerClaim(t *testing.T) {
	r := &recorder{name: "TestX"}
	require.False(t, Each(r, &llmbench.Result{}, Claim(failing), holding, TTFT{}))
	require.Equal(t, []string{
		"x is 2, want at most 1\n  window     30.0s\n  rerun      go test -run '^TestX$/^said$' ./assert",
		"bad claim: TTFT: Ceiling sets no limit, want at least one field > 0\n  docs       https://github.com/llmbench/go/blob/main/llmbench/docs/troubleshooting.md#bad-claim\n  rerun      go test -run '^TestX$/^TTFT$' ./assert",
	}, r.errors)
	require.True(t, Each(&recorder{}, &llmbench.Result{}, Claim(holding)))
	require.False(t, Each(&recorder{}, &llmbench.Result{}), "nothing is claimed")
	require.True(t, Each(t, &llmbench.Result{}, Claim(holding)), "a real test will do")
}

// What go test -json carries is one line per claim.
func TestAttributes(t *testing.T) {
	r := watch("TestX", func(t T) {
		Check(t, &llmbench.Result{}, holding, said{Verdict{State: Fails, Line: "a\nb"}}, &failing, term{name: "first token of chat", claim: NoErrors{}})
	})
	require.Equal(t, []string{"llmbench.said=holds: all is well", "llmbench.said=fails: a b", "llmbench.said=fails: x is 2, want at most 1",
		"llmbench.first_token_of_chat=cannot judge: cannot judge errors: no request was measured"}, r.attrs)
	for _, attr := range r.attrs {
		key, _, _ := strings.Cut(attr, "=")
		require.NotContains(t, key, " ", "white space in a key fails the test")
	}
}

func TestCannotJudgeMaySkip(t *testing.T) {
	misuse := said{Verdict{Line: "bad claim: x", Misuse: true}}
	for _, c := range []struct {
		why              string
		value, ci        string
		claims           []Claim
		stopped, skipped bool
		errors, logged   int
	}{
		{"by default it fails", "", "", []Claim{unclear}, true, false, 1, 0},
		{"on request it skips", "skip", "", []Claim{holding, unclear}, false, true, 0, 1},
		{"but not in CI", "skip", "true", []Claim{unclear}, true, false, 1, 0},
		{"a failure is still one", "skip", "", []Claim{unclear, failing}, true, false, 1, 1},
		{"and so is a wrong claim", "skip", "", []Claim{misuse}, true, false, 1, 0},
		{"nothing to skip", "skip", "", []Claim{holding}, false, false, 0, 0},
		{"another word is no request", "yes", "", []Claim{unclear}, true, false, 1, 0},
	} {
		t.Setenv("LLMBENCH_CANNOT_JUDGE", c.value)
		t.Setenv("CI", c.ci)
		r := watch("TestX", func(t T) { Require(t, &llmbench.Result{}, c.claims...) })
		require.Equal(t, [2]bool{c.stopped, c.skipped}, [2]bool{r.stopped, r.skipped}, c.why)
		require.Len(t, r.errors, c.errors, c.why)
		require.Len(t, r.logged, c.logged, c.why)
	}
	t.Setenv("LLMBENCH_CANNOT_JUDGE", "skip")
	t.Setenv("CI", "")
	require.False(t, Check(&plainT{}, &llmbench.Result{}, unclear), "what is skipped does not hold")
}

// plainT has Errorf and FailNow only, as the smallest TestingT of other tools.
type plainT struct{ errors []string }

func (p *plainT) Errorf(format string, args ...any) {
	p.errors = append(p.errors, fmt.Sprintf(format, args...))
}
func (p *plainT) FailNow() {}

func TestSmallestT(t *testing.T) {
	p := &plainT{}
	Require(p, &llmbench.Result{}, failing)
	require.Equal(t, []string{"x is 2, want at most 1\n  window     30.0s"}, p.errors, "no name, no rerun")
}
