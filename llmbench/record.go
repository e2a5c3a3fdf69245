package llmbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A Record is one request as it happened: its instants, its chunks, its token
// counts and how it ended. All instants are nanoseconds from the start of the
// run on one monotonic clock. It marshals to one line of schema
// llmbench.record/v1. What is not known is absent, never 0.
type Record struct {
	// ID is unique within a run.
	ID string `json:"id"`
	// Session and Turn place the request in a conversation.
	Session string `json:"session,omitempty"`
	Turn    int    `json:"turn,omitempty"`
	// Label is the class the request belongs to, for per-class figures.
	Label string `json:"label,omitempty"`
	// Phase is Warmup, Measure or Cooldown; empty means Measure.
	Phase Phase `json:"phase,omitempty"`

	// Scheduled is when the schedule wanted the request sent, also when no slot
	// was free then. In a closed loop it is when the user became ready.
	Scheduled Known[time.Duration] `json:"scheduled_ns,omitzero"`
	// Sent is just before the transport wrote the request; absent if it never left.
	Sent Known[time.Duration] `json:"sent_ns,omitzero"`
	// Headers is when the response headers were read.
	Headers Known[time.Duration] `json:"headers_ns,omitzero"`
	// End is when the last byte was read, or the failure was seen.
	End Known[time.Duration] `json:"end_ns,omitzero"`

	// Streamed says that the reply came as a stream.
	Streamed bool    `json:"streamed"`
	Outcome  Outcome `json:"outcome"`
	// Status is the HTTP status; 0 if no response came.
	Status int `json:"status,omitempty"`
	// Error says what went wrong, bounded in length, with control characters
	// escaped.
	Error        string `json:"error,omitempty"`
	FinishReason string `json:"finish_reason,omitempty"`
	// RetryAfter is the wait a shedding server asked for.
	RetryAfter Known[time.Duration] `json:"retry_after_ns,omitzero"`

	// Chunks are the data events of a streamed reply in order of arrival.
	Chunks []Chunk `json:"chunks,omitempty"`
	// Sparse says that Chunks hold the first and the last content only, as
	// records of other tools do: then there are no gaps to speak of.
	Sparse bool `json:"sparse,omitempty"`

	InputTokens           Known[int] `json:"input_tokens,omitzero"`
	OutputTokens          Known[int] `json:"output_tokens,omitzero"`
	ReasoningTokens       Known[int] `json:"reasoning_tokens,omitzero"`
	CachedTokens          Known[int] `json:"cached_tokens,omitzero"`
	InputFrom             Source     `json:"input_from,omitempty"`
	OutputFrom            Source     `json:"output_from,omitempty"`
	RequestedOutputTokens Known[int] `json:"requested_output_tokens,omitzero"`
	// TokenizedOutput is a tokenizer's count of the reply's text, also where the
	// server's usage is what counts.
	TokenizedOutput Known[int] `json:"tokenized_output_tokens,omitzero"`

	// Usage is the server's last usage report, as it stood.
	Usage *Usage `json:"usage,omitempty"`
	// Server holds the times the engine reported itself, where it does.
	Server *ServerTimings `json:"server,omitempty"`
	// HTTP is the connection's part of the time.
	HTTP *HTTPTrace `json:"http,omitempty"`

	// extra holds fields this version does not know; they are kept on rewrite.
	extra map[string]json.RawMessage
}

// Usage is a server's token report. Absent fields were not reported.
type Usage struct {
	Prompt             Known[int] `json:"prompt_tokens,omitzero"`
	Completion         Known[int] `json:"completion_tokens,omitzero"`
	Total              Known[int] `json:"total_tokens,omitzero"`
	Reasoning          Known[int] `json:"reasoning_tokens,omitzero"`
	Cached             Known[int] `json:"cached_tokens,omitzero"`
	Audio              Known[int] `json:"audio_tokens,omitzero"`
	AcceptedPrediction Known[int] `json:"accepted_prediction_tokens,omitzero"`
	RejectedPrediction Known[int] `json:"rejected_prediction_tokens,omitzero"`
}

// ServerTimings are an engine's own times for one request.
type ServerTimings struct {
	PromptTokens Known[int]           `json:"prompt_tokens,omitzero"`
	Prompt       Known[time.Duration] `json:"prompt_ns,omitzero"`
	OutputTokens Known[int]           `json:"output_tokens,omitzero"`
	Decode       Known[time.Duration] `json:"decode_ns,omitzero"`
}

// HTTPTrace is what net/http/httptrace saw of one request.
type HTTPTrace struct {
	// DNS is the name look-up, Connect the transport connection and TLS the
	// handshake. Each is absent where there was none, as on a kept connection.
	DNS     Known[time.Duration] `json:"dns_ns,omitzero"`
	Connect Known[time.Duration] `json:"connect_ns,omitzero"`
	TLS     Known[time.Duration] `json:"tls_ns,omitzero"`
	// Send is the writing of the request, Wait from its end to the first byte of
	// the response, and Receive from that to the last byte.
	Send    Known[time.Duration] `json:"send_ns,omitzero"`
	Wait    Known[time.Duration] `json:"wait_ns,omitzero"`
	Receive Known[time.Duration] `json:"receive_ns,omitzero"`
	// Reused says that the connection had served a request before.
	Reused bool `json:"reused"`
	// Attempts is how many connections were given the request. More than 1: a
	// kept connection had been closed by the server before any byte of a reply,
	// and a new one took its place. The clock was not restarted.
	Attempts int   `json:"attempts,omitempty"`
	BytesOut int64 `json:"bytes_out"`
	BytesIn  int64 `json:"bytes_in"`
	// Reads and CoalescedReads count the reads of the body, and those of them
	// that completed more than one content event: a reader that came late.
	Reads          int `json:"reads,omitempty"`
	CoalescedReads int `json:"coalesced_reads,omitempty"`
}

// Measured reports whether the record belongs to the measured part.
func (r *Record) Measured() bool { return r.Phase == "" || r.Phase == Measure }

// FirstContent reports the instant of the first content chunk, C1.
func (r *Record) FirstContent() (time.Duration, bool) {
	for i := range r.Chunks {
		if r.Chunks[i].Content() {
			return r.Chunks[i].At, true
		}
	}
	return 0, false
}

// LastContent reports the instant of the last content chunk, Cn.
func (r *Record) LastContent() (time.Duration, bool) {
	for _, c := range slices.Backward(r.Chunks) {
		if c.Content() {
			return c.At, true
		}
	}
	return 0, false
}

// plainRecord has the fields of Record without its methods.
type plainRecord Record

// MarshalJSON writes the record as one line of schema llmbench.record/v1, the
// unknown fields it was read with included. Chunks come last, as they are long.
func (r Record) MarshalJSON() ([]byte, error) {
	plain := plainRecord(r)
	plain.Chunks = nil
	line, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	line = line[:len(line)-1]
	for _, name := range slices.Sorted(maps.Keys(r.extra)) {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		var value bytes.Buffer // compacted, as a line break would end the line
		if err := json.Compact(&value, r.extra[name]); err != nil {
			return nil, err
		}
		line = append(append(append(append(line, ','), key...), ':'), value.Bytes()...)
	}
	return append(r.appendChunks(line), '}'), nil
}

func (r *Record) appendChunks(line []byte) []byte {
	if len(r.Chunks) == 0 {
		return line
	}
	const size = 48 // of a chunk, to allocate once
	line = slices.Grow(line, size*len(r.Chunks))
	for i, c := range r.Chunks {
		line = append(line, [...]string{`,"chunks":[`, ","}[min(i, 1)]...)
		line = c.appendJSON(line)
	}
	return append(line, ']')
}

// UnmarshalJSON reads one line of schema llmbench.record/v1 and checks it:
// see [ReadRecords] for what makes a record invalid.
func (r *Record) UnmarshalJSON(data []byte) error {
	var plain plainRecord
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	extra, err := unknownFields(data)
	if err != nil {
		return err
	}
	*r = Record(plain)
	r.extra = extra
	return r.check()
}

// check names the first thing that makes a record unusable.
func (r *Record) check() error {
	if !r.Outcome.valid() {
		return fmt.Errorf("outcome is %q, want one of %v", r.Outcome, Outcomes())
	}
	if !r.Measured() && r.Phase != Warmup && r.Phase != Cooldown {
		return fmt.Errorf("phase is %q, want %q, %q or %q", r.Phase, Warmup, Measure, Cooldown)
	}
	for _, n := range []struct {
		name  string
		count Known[int]
	}{
		{"input_tokens", r.InputTokens}, {"output_tokens", r.OutputTokens},
		{"reasoning_tokens", r.ReasoningTokens}, {"cached_tokens", r.CachedTokens},
		{"requested_output_tokens", r.RequestedOutputTokens}, {"tokenized_output_tokens", r.TokenizedOutput},
	} {
		if n.count.Or(0) < 0 {
			return fmt.Errorf("%s is %d, want >= 0", n.name, n.count.Or(0))
		}
	}
	return nil
}
