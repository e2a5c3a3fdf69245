package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// rowJSON is a row of our own format, schema llmbench.trace/v1: JSON Lines, times
// in integer nanoseconds from the start.
type rowJSON struct {
	At          *int64   `json:"at_ns,omitempty"`
	Input       int      `json:"input_tokens,omitempty"`
	Output      int      `json:"output_tokens,omitempty"`
	BlockTokens int      `json:"block_tokens,omitempty"`
	Blocks      []uint64 `json:"blocks,omitempty"`
	Session     string   `json:"session,omitempty"`
	Turn        int      `json:"turn,omitempty"`
	Label       string   `json:"label,omitempty"`
	Prompt      string   `json:"prompt,omitempty"`
	Reply       string   `json:"reply,omitempty"`
	Images      int      `json:"images,omitempty"`
	Failed      bool     `json:"failed,omitempty"`
}

// Read reads this package's own format: JSON Lines with at_ns, input_tokens,
// output_tokens, and as far as known block_tokens, blocks, session, turn, label,
// prompt, reply, images, failed. Either every row has at_ns or none; rows with
// blocks agree on block_tokens. Unknown fields are passed over.
func Read(r io.Reader) (*Trace, error) {
	t := &Trace{Name: "llmbench"}
	err := eachLine(r, t.Name, func(line []byte) error {
		var in rowJSON
		if err := json.Unmarshal(line, &in); err != nil {
			return err
		}
		if err := in.check(t); err != nil {
			return err
		}
		t.Rows = append(t.Rows, in.row())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sorted(t), nil
}

// check holds the row against itself and those before it, and lets the first
// ones settle what the trace has.
func (in *rowJSON) check(t *Trace) error {
	if len(t.Rows) == 0 {
		t.Timed = in.At != nil
	}
	if len(in.Blocks) > 0 && t.BlockTokens == 0 {
		t.BlockTokens = in.BlockTokens
	}
	switch {
	case t.Timed != (in.At != nil):
		return fmt.Errorf("at_ns is there in some rows and not in others")
	case in.At != nil && *in.At < 0:
		return fmt.Errorf("at_ns is %d, want >= 0", *in.At)
	case in.Input < 0 || in.Output < 0 || in.Turn < 0 || in.Images < 0:
		return fmt.Errorf("input_tokens, output_tokens, turn, images are %d, %d, %d, %d, want >= 0",
			in.Input, in.Output, in.Turn, in.Images)
	case in.Input == 0 && in.Prompt == "":
		return fmt.Errorf("input_tokens and prompt are both missing, want one of them")
	case len(in.Blocks) > 0 && (in.BlockTokens < 1 || in.BlockTokens != t.BlockTokens):
		return fmt.Errorf("block_tokens is %d, want %d as before, > 0", in.BlockTokens, t.BlockTokens)
	case len(in.Blocks) > 0 && len(in.Blocks) != (in.Input+in.BlockTokens-1)/in.BlockTokens:
		return fmt.Errorf("blocks has %d hashes for %d tokens in blocks of %d", len(in.Blocks), in.Input, in.BlockTokens)
	}
	return nil
}

func (in *rowJSON) row() Row {
	row := Row{
		Input: in.Input, Output: in.Output, Blocks: in.Blocks, Session: in.Session, Turn: in.Turn,
		Label: in.Label, Prompt: in.Prompt, Reply: in.Reply, Images: in.Images, Failed: in.Failed,
	}
	if in.At != nil {
		row.At = time.Duration(*in.At)
	}
	return row
}

// Write writes the trace in this package's own format; [Read] gives it back.
func Write(w io.Writer, t *Trace) error {
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for i, row := range t.Rows {
		line := rowJSON{
			Input: row.Input, Output: row.Output, Blocks: row.Blocks, Session: row.Session, Turn: row.Turn,
			Label: row.Label, Prompt: row.Prompt, Reply: row.Reply, Images: row.Images, Failed: row.Failed,
		}
		if t.Timed {
			at := int64(row.At)
			line.At = &at
		}
		if len(row.Blocks) > 0 {
			line.BlockTokens = t.BlockTokens
		}
		if err := lines.Encode(line); err != nil {
			return fmt.Errorf("trace: write: row %d: %w", i+1, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("trace: write: %w", err)
	}
	return nil
}
