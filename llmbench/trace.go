package llmbench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// A TraceRow is one request of a trace.
type TraceRow struct {
	// At is when it came, from the start of the trace.
	At time.Duration
	// Input and Output are the lengths of prompt and reply in tokens; 0 is not
	// known.
	Input, Output int
	// Blocks are hashes of the prompt's blocks of Trace.BlockTokens tokens, the
	// last one often partial. Rows whose first hashes agree begin with the same
	// text.
	Blocks []uint64
	// Session and Turn place the request in a conversation.
	Session string
	Turn    int
	// Label is the class of the request: a model, a kind of log.
	Label string
	// Prompt is the text of the request and Reply that of the answer, where the
	// trace has them.
	Prompt, Reply string
	// Images is the number of pictures in the prompt.
	Images int
	// Failed says that the service did not answer. The length of the reply is
	// then not known, and a replay leaves the row out.
	Failed bool
}

// A Trace is recorded traffic in the order of its instants, to be played by
// [Replay] or drawn from by Profile.Dataset. Package llmbench/trace reads the
// public ones. Methods that change a trace return a new one; a Trace is safe for
// concurrent use as long as nobody writes to it.
type Trace struct {
	// Name says where it comes from: "mooncake".
	Name string
	// Timed says that rows have instants; else At is 0 everywhere.
	Timed bool
	// BlockTokens is the size of a block of TraceRow.Blocks; 0 where rows have none.
	BlockTokens int
	Rows        []TraceRow
}

// String describes the trace in a few words: "mooncake trace, 120 requests over 3m0s".
func (t *Trace) String() string {
	text := fmt.Sprintf("%s trace, %d requests", t.Name, len(t.Rows))
	if t.Timed {
		text += fmt.Sprintf(" over %v", t.Length())
	}
	return text
}

// Length is the instant of the last row; 0 for a trace without rows or times.
func (t *Trace) Length() time.Duration {
	if len(t.Rows) == 0 {
		return 0
	}
	return t.Rows[len(t.Rows)-1].At
}

// copied is the trace with rows of its own.
func (t *Trace) copied() *Trace {
	out := *t
	out.Rows = slices.Clone(t.Rows)
	return &out
}

// Keep is the trace with the rows for which keep reports true.
func (t *Trace) Keep(keep func(TraceRow) bool) *Trace {
	out := *t
	out.Rows = nil
	for _, row := range t.Rows {
		if keep(row) {
			out.Rows = append(out.Rows, row)
		}
	}
	return &out
}

// Window is the part of the trace from one instant up to, not including, the
// instant so much later, with its clock set back to the start of the window.
func (t *Trace) Window(from, length time.Duration) *Trace {
	out := t.Keep(func(r TraceRow) bool { return r.At >= from && r.At-from < length })
	for i := range out.Rows {
		out.Rows[i].At -= from
	}
	return out
}

// Speed is the trace with its instants divided by the factor: 2 plays it twice
// as fast. It panics when the factor is not above 0.
func (t *Trace) Speed(factor float64) *Trace {
	if !(factor > 0) {
		panic(fmt.Sprintf("llmbench: trace: speed: factor is %v, want > 0", factor))
	}
	out := t.copied()
	for i := range out.Rows {
		out.Rows[i].At = time.Duration(math.Round(float64(out.Rows[i].At) / factor))
	}
	return out
}

// Loop is the trace played so many times, each round beginning so long after the
// last row of the one before. Sessions of later rounds are sessions of their
// own; blocks and prompts are the same again, so a server with a prefix cache
// finds them.
func (t *Trace) Loop(rounds int, pause time.Duration) *Trace {
	out := *t
	out.Rows = nil
	var begin time.Duration
	for round := range rounds {
		for _, row := range t.Rows {
			row.At += begin
			if row.Session != "" && round > 0 {
				row.Session = fmt.Sprintf("%s/%d", row.Session, round+1)
			}
			out.Rows = append(out.Rows, row)
		}
		begin += t.Length() + pause
	}
	return &out
}

// Cap is the trace with lengths above the limits cut to them, in tokens; 0 is no
// limit. A prompt that is cut keeps its first blocks.
func (t *Trace) Cap(input, output int) *Trace {
	out := t.copied()
	for i := range out.Rows {
		row := &out.Rows[i]
		if output > 0 {
			row.Output = min(row.Output, output)
		}
		if input > 0 && row.Input > input {
			row.Input = input
			if t.BlockTokens > 0 {
				row.Blocks = row.Blocks[:min(len(row.Blocks), (input+t.BlockTokens-1)/t.BlockTokens)]
			}
		}
	}
	return out
}

// Jitter is the trace with every instant moved later by an even draw below the
// bound, and put in order again. Traces with coarse clocks need it: in
// Mooncake's many requests share an instant, and would be sent as one burst that
// never was. The same seed gives the same trace.
func (t *Trace) Jitter(within time.Duration, seed uint64) *Trace {
	out := t.copied()
	stream := draw.New(seed, draw.Jitter)
	for i := range out.Rows {
		out.Rows[i].At += time.Duration(float64(within) * stream.Float())
	}
	slices.SortStableFunc(out.Rows, func(a, b TraceRow) int { return cmp.Compare(a.At, b.At) })
	return out
}

// PrefixBlocks counts the blocks of the trace's prompts, and those that a cache
// without bounds would have held when they came: the theoretical prefix cache
// hit. A block is held when it came before and the blocks in front of it are
// held too. Both are 0 when rows have no blocks.
func (t *Trace) PrefixBlocks() Blocks {
	var count Blocks
	seen := map[uint64]bool{}
	for _, row := range t.Rows {
		held := true
		for _, block := range row.Blocks {
			held = held && seen[block]
			if held {
				count.Hit++
			}
			seen[block] = true
		}
		count.Total += len(row.Blocks)
	}
	return count
}

// Inputs are the prompt lengths of the rows that have one, in tokens, to draw from:
// llmbench.From(t.Inputs()). It is nil where no row has one.
func (t *Trace) Inputs() []int {
	return t.lengths(func(r TraceRow) int { return r.Input })
}

// Outputs are the reply lengths, see Inputs.
func (t *Trace) Outputs() []int {
	return t.lengths(func(r TraceRow) int { return r.Output })
}

func (t *Trace) lengths(of func(TraceRow) int) []int {
	var all []int
	for _, row := range t.Rows {
		if n := of(row); n > 0 {
			all = append(all, n)
		}
	}
	return all
}

// Trace is the measured requests of the run as a trace: when they were wanted,
// how long they were, their sessions and labels. [Replay] plays it again, in an
// open loop, also when the run was a closed one: a run that went wrong becomes a
// case. A reply whose length is not known has the one that was asked for.
func (r *Result) Trace() *Trace {
	t := &Trace{Name: "run", Timed: true}
	for i := range r.Records {
		record := &r.Records[i]
		at, ok := record.Scheduled.Get()
		if !ok {
			at, ok = record.Sent.Get()
		}
		if !ok || !record.Measured() {
			continue
		}
		t.Rows = append(t.Rows, TraceRow{
			At: at, Input: record.InputTokens.Or(0), Output: record.OutputTokens.Or(record.RequestedOutputTokens.Or(0)),
			Session: record.Session, Turn: record.Turn, Label: record.Label,
		})
	}
	slices.SortStableFunc(t.Rows, func(a, b TraceRow) int { return cmp.Compare(a.At, b.At) })
	for i := range t.Rows {
		t.Rows[len(t.Rows)-1-i].At -= t.Rows[0].At
	}
	return t
}
