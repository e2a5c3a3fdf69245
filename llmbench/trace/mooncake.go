package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// mooncakeBlock is the number of tokens that one hash of Mooncake's traces
// stands for (Qin et al., "Mooncake", FAST 2025, section 4).
const mooncakeBlock = 512

// Mooncake reads the JSON Lines of Mooncake's traces: timestamp in milliseconds,
// input_length, output_length, and hash_ids with one hash per 512 tokens. Its
// clock is coarse: see [llmbench.Trace.Jitter].
func Mooncake(r io.Reader) (*Trace, error) {
	t := &Trace{Name: "mooncake", Timed: true, BlockTokens: mooncakeBlock}
	err := eachLine(r, t.Name, func(line []byte) error {
		row, err := mooncakeRow(line)
		if err == nil {
			t.Rows = append(t.Rows, row)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return sorted(t), nil
}

func mooncakeRow(line []byte) (Row, error) {
	var in struct {
		Timestamp *float64 `json:"timestamp"`
		Input     *int     `json:"input_length"`
		Output    *int     `json:"output_length"`
		Hashes    []uint64 `json:"hash_ids"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return Row{}, err
	}
	switch {
	case in.Timestamp == nil || in.Input == nil || in.Output == nil:
		return Row{}, fmt.Errorf("timestamp, input_length or output_length is missing")
	case *in.Timestamp < 0 || *in.Timestamp > 1e13:
		return Row{}, fmt.Errorf("timestamp is %v, want milliseconds >= 0", *in.Timestamp)
	case *in.Input < 1:
		return Row{}, fmt.Errorf("input_length is %d, want >= 1", *in.Input)
	case *in.Output < 0:
		return Row{}, fmt.Errorf("output_length is %d, want >= 0", *in.Output)
	}
	if want := (*in.Input + mooncakeBlock - 1) / mooncakeBlock; len(in.Hashes) != want {
		return Row{}, fmt.Errorf("hash_ids has %d hashes, want %d: one per %d of %d tokens",
			len(in.Hashes), want, mooncakeBlock, *in.Input)
	}
	at := time.Duration(*in.Timestamp * float64(time.Millisecond))
	return Row{At: at, Input: *in.Input, Output: *in.Output, Blocks: in.Hashes}, nil
}
