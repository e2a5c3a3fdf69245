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
	r.AddJudgement(Judgement{State: "cannot judge", Line: "too few"})

	t.Setenv("GITHUB_ACTIONS", "")
	r.tellGitHub(annotated{})
	require.Empty(t, out.String(), "not in a workflow")
	t.Setenv("GITHUB_ACTIONS", "true")
	r.tellGitHub(annotated{})
	require.Equal(t, "\n::error title=TestA/b%2Cc%3Ad::100%25 \\x1b[2Jbad  ::error::forged%0Awindow     whole\n"+
		"\n::warning title=TestA/b%2Cc%3Ad::too few\n", out.String())
}
