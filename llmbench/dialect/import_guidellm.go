package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/llmbench/go/llmbench"
)

// guidellmFile is the part of guidellm's JSON report that tells of single
// requests, as its schema of request statistics has it; instants are Unix
// seconds.
type guidellmFile struct {
	Benchmarks []struct {
		Requests *struct {
			Successful []guidellmRequest `json:"successful"`
			Errored    []guidellmRequest `json:"errored"`
			Incomplete []guidellmRequest `json:"incomplete"`
		} `json:"requests"`
	} `json:"benchmarks"`
}

type guidellmRequest struct {
	ID     string `json:"request_id"`
	Prompt *int   `json:"prompt_tokens"`
	Output *int   `json:"output_tokens"`
	Info   *struct {
		Conversation string           `json:"conversation_id"`
		Turn         int              `json:"turn_index"`
		Error        string           `json:"error"`
		Timings      *guidellmTimings `json:"timings"`
	} `json:"info"`
}

type guidellmTimings struct {
	Targeted     *float64 `json:"targeted_start"`
	ResolveStart *float64 `json:"resolve_start"`
	RequestStart *float64 `json:"request_start"`
	FirstToken   *float64 `json:"first_token_iteration"`
	FirstOutput  *float64 `json:"first_output_token_iteration"`
	LastToken    *float64 `json:"last_token_iteration"`
	Iterations   int      `json:"token_iterations"`
	RequestEnd   *float64 `json:"request_end"`
	ResolveEnd   *float64 `json:"resolve_end"`
}

// ReadGuideLLM reads guidellm's JSON report: one Import per benchmark of it, in
// order. A targeted start is the schedule. Of the chunks only the first and the
// last are known, so records are sparse; an incomplete request, cut off when
// the benchmark ended, is a cancelled one. An error names the benchmark and the
// request.
func ReadGuideLLM(r io.Reader) ([]Import, error) {
	var f guidellmFile
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("dialect: guidellm: %w", err)
	}
	if len(f.Benchmarks) == 0 {
		return nil, errors.New("dialect: guidellm: no benchmarks: not a report of guidellm")
	}
	var all []Import
	for i, b := range f.Benchmarks {
		if b.Requests == nil {
			return nil, fmt.Errorf("dialect: guidellm: benchmark %d: no requests: the report was written without them", i)
		}
		m := Import{Tool: "guidellm", Missing: []string{noHeaders, noMiddle, noSource, "instants below 0.24 µs, as they are Unix seconds in floats"}}
		for _, group := range []struct {
			outcome  llmbench.Outcome
			requests []guidellmRequest
		}{{llmbench.OK, b.Requests.Successful}, {llmbench.Error, b.Requests.Errored}, {llmbench.Cancelled, b.Requests.Incomplete}} {
			for k, q := range group.requests {
				record, err := q.record(group.outcome)
				if err != nil {
					return nil, fmt.Errorf("dialect: guidellm: benchmark %d: %s request %d: %w", i, group.outcome, k, err)
				}
				m.Records = append(m.Records, record)
			}
		}
		m.rebase()
		all = append(all, m)
	}
	return all, nil
}

func (q *guidellmRequest) record(outcome llmbench.Outcome) (llmbench.Record, error) {
	if q.Info == nil || q.Info.Timings == nil {
		return llmbench.Record{}, errors.New("no info.timings: written by a guidellm of another schema")
	}
	r := llmbench.Record{
		ID: q.ID, Session: q.Info.Conversation, Turn: q.Info.Turn, Outcome: outcome, Error: q.Info.Error,
		InputTokens: count(q.Prompt), OutputTokens: count(q.Output),
	}
	return r, q.Info.Timings.fill(&r)
}

// count takes a count that is there and is one.
func count(n *int) llmbench.Known[int] {
	if n == nil || *n < 0 {
		return llmbench.Known[int]{}
	}
	return llmbench.Is(*n)
}

func (t *guidellmTimings) fill(r *llmbench.Record) error {
	start, end := first(t.RequestStart, t.ResolveStart), first(t.RequestEnd, t.ResolveEnd)
	if start == nil {
		if r.Outcome == llmbench.Cancelled {
			r.Outcome = llmbench.Unsent
			return nil
		}
		return errors.New("no request_start and no resolve_start")
	}
	for _, at := range []*float64{start, end, t.Targeted, t.FirstToken, t.FirstOutput, t.LastToken} {
		if at != nil && !plausible(*at) {
			return fmt.Errorf("instant is %v, want Unix seconds", *at)
		}
	}
	r.Sent = llmbench.Is(seconds(*start))
	if t.Targeted != nil {
		r.Scheduled = llmbench.Is(seconds(*t.Targeted))
	}
	if end != nil {
		r.End = llmbench.Is(seconds(*end))
	}
	if t.FirstToken != nil {
		t.chunks(r)
	}
	return nil
}

// chunks are the first token, the first that is not reasoning, and the last.
func (t *guidellmTimings) chunks(r *llmbench.Record) {
	r.Streamed = true
	kind := llmbench.ContentChunk
	reasoned := t.FirstOutput != nil && *t.FirstOutput > *t.FirstToken
	if reasoned {
		kind = llmbench.ReasoningChunk
	}
	r.Chunks = append(r.Chunks, llmbench.Chunk{At: seconds(*t.FirstToken), Kind: kind})
	if reasoned {
		r.Chunks = append(r.Chunks, llmbench.Chunk{At: seconds(*t.FirstOutput), Kind: llmbench.ContentChunk})
	}
	if t.LastToken != nil && *t.LastToken > *t.FirstToken && (!reasoned || *t.LastToken > *t.FirstOutput) {
		r.Chunks = append(r.Chunks, llmbench.Chunk{At: seconds(*t.LastToken), Kind: llmbench.ContentChunk})
	}
	r.Sparse = t.Iterations != len(r.Chunks)
}

func first(a, b *float64) *float64 {
	if a != nil {
		return a
	}
	return b
}
