package llmbench

import (
	"slices"
	"sync"
)

// A Judgement is what one claim said of a result, kept for the reports. Package
// assert leaves one for every claim it judges; so may any other check.
type Judgement struct {
	// Claim is what the claim is called; empty where it has no name.
	Claim string `json:"claim,omitempty"`
	// State is "holds", "fails" or "cannot judge".
	State string `json:"state"`
	// Line is one sentence that makes sense alone.
	Line string `json:"line"`
	// Rows explain the line: label and value.
	Rows [][2]string `json:"rows,omitempty"`
}

// Holds reports whether the claim is true of the result.
func (j Judgement) Holds() bool { return j.State == "holds" }

func (j Judgement) equal(other Judgement) bool {
	return j.Claim == other.Claim && j.State == other.State && j.Line == other.Line && slices.Equal(j.Rows, other.Rows)
}

// judgements are the only part of a Result that grows after the run. No figure
// depends on them.
type judgements struct {
	mu  sync.Mutex
	all []Judgement
}

// AddJudgement keeps what a claim said, once however often it is said, for the
// files that are written when the test ends. It is safe for concurrent use.
func (r *Result) AddJudgement(j Judgement) {
	j.Rows = slices.Clone(j.Rows)
	r.judged.mu.Lock()
	defer r.judged.mu.Unlock()
	if !slices.ContainsFunc(r.judged.all, j.equal) {
		r.judged.all = append(r.judged.all, j)
	}
}

// Judgements lists what claims said of the result so far, in their order.
func (r *Result) Judgements() []Judgement {
	r.judged.mu.Lock()
	defer r.judged.mu.Unlock()
	return slices.Clone(r.judged.all)
}
