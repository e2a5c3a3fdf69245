package assert

import "github.com/llmbench/go/llmbench"

// A Claim says something about a result that is true or not. Every claim of
// this package is a plain struct whose fields are its limits; a type of your
// own with this method works wherever they do.
type Claim interface {
	// Check judges the result. It reads the result only, and the verdict of the
	// same claim on the same result is always the same.
	Check(*llmbench.Result) Verdict
}

// A State is one of the three outcomes of a claim. The zero State is
// CannotJudge, so that a verdict nobody filled in never passes.
type State uint8

const (
	// CannotJudge says that the result does not tell: no sample, too few of
	// them, a metric the server did not report, a generator that was the
	// bottleneck, or a claim that makes no sense for the load.
	CannotJudge State = iota
	// Holds says that the claim is true of the result.
	Holds
	// Fails says that the claim is not true of the result.
	Fails
)

// String returns the state as texts have it: "cannot judge", "holds", "fails".
func (s State) String() string {
	switch s {
	case Holds:
		return "holds"
	case Fails:
		return "fails"
	}
	return "cannot judge"
}

// A Verdict is a claim judged, with the text that explains it.
type Verdict struct {
	// Claim is what the claim is called: the name that its contract gives it, else
	// that of its type or metric. [Judge] fills it in; a Check need not.
	Claim string
	State State
	// Misuse says that the claim itself is at fault: a negative limit, or a load
	// that it does not fit. The State is CannotJudge then.
	Misuse bool
	// Line is one full sentence, what was observed before what was wanted, that
	// makes sense without the rows.
	Line string
	// Rows explain the line: the window and the numbers behind it, the cause,
	// the effect, how far the claim can see, and what to try. At most eight, as
	// Docs and the rerun are the last two of ten.
	Rows []Row
	// Docs is the address of the page that explains the line, for a row of its
	// own; empty where there is none, as for a claim that holds.
	Docs string
}

// A Row is one labelled line of an explanation.
type Row struct {
	// Label is one word of at most ten bytes.
	Label string
	Value string
}

// String returns the text of the verdict: the line, and one indented line for
// each row. It has no line feed at the end.
func (v Verdict) String() string { return layout(v.Line, v.allRows()) }

// allRows are the rows with Docs as the last.
func (v Verdict) allRows() []Row {
	if v.Docs == "" {
		return v.Rows
	}
	return append(v.Rows[:len(v.Rows):len(v.Rows)], Row{"docs", v.Docs})
}
