package assert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/llmbench/go/llmbench"
)

// rank is the place of a row in the text. The order is fixed, so that a reader
// who has seen one failure knows where to look in the next.
type rank uint8

const (
	inWindow rank = iota
	inEvidence
	inCause
	inEffect
	inLimit
	inHint
)

// maxRows leaves two of ten rows to the link to the docs and the rerun.
const maxRows = 8

// A message collects what a verdict has to say about a subject. Rows may be
// added in any order; those of one rank keep theirs.
type message struct {
	subject string
	// stopped is why the run ended early: what holds of a part need not hold of
	// the whole. Empty if it did not.
	stopped string
	rows    []Row
	ranks   []rank
}

// about starts the message of a claim on a result.
func about(subject string, r *llmbench.Result) *message {
	return &message{subject: subject, stopped: r.Stopped}
}

func (m *message) add(at rank, label, format string, args ...any) {
	i := len(m.ranks)
	for i > 0 && m.ranks[i-1] > at {
		i--
	}
	m.ranks = slices.Insert(m.ranks, i, at)
	m.rows = slices.Insert(m.rows, i, Row{Label: label, Value: fmt.Sprintf(format, args...)})
}

// window says which part of the run was judged, and how much of it there was.
func (m *message) window(label, format string, args ...any) {
	m.add(inWindow, label, format, args...)
}

// evidence is a number that could have contradicted the claim.
func (m *message) evidence(label, format string, args ...any) {
	m.add(inEvidence, label, format, args...)
}

// cause is why the claim does not hold, where the result tells.
func (m *message) cause(format string, args ...any) { m.add(inCause, "cause", format, args...) }

// effect is what the users of the server felt.
func (m *message) effect(format string, args ...any) { m.add(inEffect, "effect", format, args...) }

// limit is what the claim cannot see.
func (m *message) limit(format string, args ...any) { m.add(inLimit, "limit", format, args...) }

// hint is a number to try, and the model it comes from.
func (m *message) hint(format string, args ...any) { m.add(inHint, "hint", format, args...) }

// verdict closes the message. Evidence beyond the space is left out from its
// end: what comes first was thought the most telling.
func (m *message) verdict(state State, format string, args ...any) Verdict {
	if state == Holds && m.stopped != "" {
		return m.cannot("the run was stopped before its end: %s", m.stopped)
	}
	for len(m.rows) > maxRows {
		last := len(m.rows) - 1
		for last > 0 && m.ranks[last] > inEvidence {
			last--
		}
		m.ranks = slices.Delete(m.ranks, last, last+1)
		m.rows = slices.Delete(m.rows, last, last+1)
	}
	v := Verdict{State: state, Line: fmt.Sprintf(format, args...), Rows: m.rows}
	if state != Holds {
		v.Docs = docsOf(v.Line)
	}
	return v
}

// cannot closes the message with the first line of a verdict that is none.
func (m *message) cannot(format string, args ...any) Verdict {
	return m.verdict(CannotJudge, "cannot judge %s: %s", m.subject, fmt.Sprintf(format, args...))
}

// badClaim closes the message of a claim that is wrong in itself, whatever the
// server did.
func (m *message) badClaim(format string, args ...any) Verdict {
	v := m.verdict(CannotJudge, "bad claim: %s: %s", m.subject, fmt.Sprintf(format, args...))
	v.Misuse = true
	return v
}

// layout is the one place that knows how a failure looks.
func layout(line string, rows []Row) string {
	var b strings.Builder
	b.WriteString(line)
	for _, r := range rows {
		fmt.Fprintf(&b, "\n  %-10s %s", r.Label, r.Value)
	}
	return b.String()
}

// plural returns "1 request" or "3 requests", "2 replies".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "ly"); ok {
		return fmt.Sprintf("%d %slies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
