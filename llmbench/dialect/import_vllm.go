package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/llmbench/go/llmbench"
)

// vllmFile is the part of `vllm bench serve --save-result --save-detailed` that
// tells of single requests; spans are in seconds.
type vllmFile struct {
	Starts  []float64   `json:"start_times"`
	TTFTs   []float64   `json:"ttfts"`
	ITLs    [][]float64 `json:"itls"`
	Inputs  []int       `json:"input_lens"`
	Outputs []int       `json:"output_lens"`
	Errors  []string    `json:"errors"`
}

// check names the first thing that keeps the file from being read.
func (f *vllmFile) check() error {
	n := len(f.Inputs)
	switch {
	case n == 0:
		return errors.New("no input_lens: not a result of vllm bench serve, or one without requests")
	case f.TTFTs == nil || f.ITLs == nil:
		return errors.New("no ttfts and itls: written without --save-detailed")
	case f.Starts == nil:
		return errors.New("no start_times: this version of vllm bench kept no instants, and spans alone make no records")
	}
	for name, length := range map[string]int{
		"start_times": len(f.Starts), "ttfts": len(f.TTFTs), "itls": len(f.ITLs), "output_lens": len(f.Outputs),
	} {
		if length != n {
			return fmt.Errorf("%s has %d elements, want %d as input_lens", name, length, n)
		}
	}
	if f.Errors != nil && len(f.Errors) != n {
		return fmt.Errorf("errors has %d elements, want %d as input_lens", len(f.Errors), n)
	}
	return nil
}

// ReadVLLM reads the JSON result of `vllm bench serve --save-result
// --save-detailed`. Its events are those with a choice, so the first chunk of a
// record can be a role chunk; a failed request has a start and no end.
func ReadVLLM(r io.Reader) (*Import, error) {
	var f vllmFile
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("dialect: vllm: %w", err)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("dialect: vllm: %w", err)
	}
	m := &Import{Tool: "vLLM bench", Missing: []string{noSchedule, noHeaders, noKinds + "; a role chunk can be the first", noSource, "the end of failed requests"}}
	for i := range f.Inputs {
		record, err := f.record(i)
		if err != nil {
			return nil, fmt.Errorf("dialect: vllm: request %d: %w", i, err)
		}
		m.Records = append(m.Records, record)
	}
	m.rebase()
	return m, nil
}

func (f *vllmFile) record(i int) (llmbench.Record, error) {
	r := llmbench.Record{
		ID: fmt.Sprint("vllm-", i), Streamed: true, Outcome: llmbench.OK,
		Sent: llmbench.Is(seconds(f.Starts[i])), InputTokens: llmbench.Is(f.Inputs[i]),
	}
	if !plausible(f.Starts[i]) || f.Inputs[i] < 0 || f.Outputs[i] < 0 {
		return r, fmt.Errorf("start_times is %v, input_lens %d, output_lens %d: no measurement", f.Starts[i], f.Inputs[i], f.Outputs[i])
	}
	if f.Errors != nil && f.Errors[i] != "" {
		r.Outcome, r.Error = llmbench.Error, lastLine(f.Errors[i])
		return r, nil
	}
	r.OutputTokens = llmbench.Is(f.Outputs[i])
	at := f.Starts[i]
	for k, gap := range append([]float64{f.TTFTs[i]}, f.ITLs[i]...) {
		if gap < 0 || !plausible(gap) {
			return r, fmt.Errorf("span %d is %v s, want >= 0", k, gap)
		}
		at += gap
		r.Chunks = append(r.Chunks, llmbench.Chunk{At: seconds(at), Kind: llmbench.ContentChunk})
	}
	r.End = llmbench.Is(r.Chunks[len(r.Chunks)-1].At)
	return r, nil
}

// lastLine is the message of a Python traceback.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
