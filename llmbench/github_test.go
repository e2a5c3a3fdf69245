package llmbench

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

type annotated struct{ T }

func (annotated) Helper()                  {}
func (annotated) Name() string             { return "TestA/b,c:d" }
func (annotated) Context() context.Context { return context.Background() }

// A claim's text carries what a server said: it must not end the command and
// begin another.
func TestAnnotationsAreOneCommandEach(t *testing.T) {
	var out bytes.Buffer
	stdout = &out
	t.Cleanup(func() { stdout = os.Stdout })
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	r := &Result{Test: annotated{}.Name()}
	r.AddJudgement(Judgement{State: "holds", Line: "fine"})
	r.AddJudgement(Judgement{State: "fails", Line: "100% \x1b[2Jbad\r\n::error::forged", Rows: [][2]string{{"window", "whole"}}})
	r.AddJudgement(Judgement{Claim: "TTFT", State: "cannot judge", Line: "too few"})

	t.Setenv("GITHUB_ACTIONS", "")
	r.tellGitHub(annotated{})
	require.Empty(t, out.String(), "not in a workflow")
	t.Setenv("GITHUB_ACTIONS", "true")
	r.tellGitHub(annotated{})
	require.Equal(t, "\n::error title=TestA/b%2Cc%3Ad::100%25 \\x1b[2Jbad  ::error::forged%0Awindow     whole\n"+
		"\n::warning title=TestA/b%2Cc%3Ad%3A TTFT::too few\n", out.String())
}

type ended struct {
	annotated
	cleanups *[]func()
}

func (e ended) Cleanup(f func())    { *e.cleanups = append(*e.cleanups, f) }
func (ended) Logf(string, ...any)   {}
func (ended) Errorf(string, ...any) {}

// Runs that were made together are judged after they were kept, and what does
// not hold is an annotation all the same.
func TestJudgedRunsAreAnnotated(t *testing.T) {
	var out bytes.Buffer
	stdout = &out
	t.Cleanup(func() { stdout = os.Stdout })
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("LLMBENCH_OUT", "")
	t.Setenv("LLMBENCH_REPORT", "")
	results := []*Result{{}, {}}
	runs, err := NewRuns("", results...)
	require.NoError(t, err)
	var cleanups []func()
	finish(ended{cleanups: &cleanups}, nil, runs, "/side=b")
	results[1].AddJudgement(Judgement{Claim: "NoRegression", State: "fails", Line: "worse"})
	require.Empty(t, out.String())
	for _, f := range cleanups {
		f()
	}
	require.Equal(t, "\n::error title=TestA/b%2Cc%3Ad/side=b%3A NoRegression::worse\n", out.String())
}
