package assert

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The order of rows is fixed, whatever the order in which a claim adds them.
func TestMessageOrder(t *testing.T) {
	var m message
	m.hint("try 8")
	m.limit("seen from the client")
	m.evidence("spread", "p50 %d", 1)
	m.cause("cap full")
	m.window("window", "30.0s")
	m.effect("slow")
	m.evidence("interval", "wide")
	v := m.verdict(Fails, "x is %d, want 2", 1)
	require.Equal(t, `x is 1, want 2
  window     30.0s
  spread     p50 1
  interval   wide
  cause      cap full
  effect     slow
  limit      seen from the client
  hint       try 8
  docs       https://github.com/llmbench/go/blob/main/llmbench/docs/troubleshooting.md`, v.String())
	require.Equal(t, Fails, v.State)
}

// Eight rows, the docs and the rerun are ten. What goes is the last evidence; a
// cause or a hint never does.
func TestMessageKeepsEightRows(t *testing.T) {
	var m message
	m.window("window", "w")
	for i := range 12 {
		m.evidence("e", "%d", i)
	}
	m.cause("c")
	m.hint("h")
	v := m.verdict(Fails, "x")
	require.Len(t, v.Rows, maxRows)
	require.Equal(t, Row{"window", "w"}, v.Rows[0])
	require.Equal(t, Row{"e", "4"}, v.Rows[5])
	require.Equal(t, Row{"hint", "h"}, v.Rows[7])
}

// A verdict that nobody filled in must not pass.
func TestZeroVerdictCannotJudge(t *testing.T) {
	require.Equal(t, CannotJudge, Verdict{}.State)
	require.Equal(t, "cannot judge holds fails",
		fmt.Sprint(Verdict{}.State, " ", Holds, " ", Fails))
}

func TestFirstLinesOfNoVerdict(t *testing.T) {
	m := message{subject: "TTFT p99"}
	require.Equal(t, "cannot judge TTFT p99: no samples", m.cannot("no %s", "samples").Line)
	require.Equal(t, "bad claim: TTFT p99: P99 is -1s, want > 0", m.badClaim("P99 is %s, want > 0", "-1s").Line)
}

// What holds of the part of a run that took place is no verdict on the run;
// what fails there fails.
func TestStoppedRunNeverHolds(t *testing.T) {
	m := message{subject: "TTFT", stopped: "context canceled"}
	require.Equal(t, Verdict{State: CannotJudge, Line: "cannot judge TTFT: the run was stopped before its end: context canceled",
		Docs: docsPage + "#stopped"},
		m.verdict(Holds, "TTFT is fine"))
	require.Equal(t, Verdict{State: Fails, Line: "TTFT is bad", Docs: docsPage}, m.verdict(Fails, "TTFT is bad"))
}

func TestPlural(t *testing.T) {
	require.Equal(t, "1 request, 0 requests, 2 requests",
		plural(1, "request")+", "+plural(0, "request")+", "+plural(2, "request"))
}
