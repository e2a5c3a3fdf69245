package dialect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/internal/lines"
)

// aiperfLine is one line of profile_export.jsonl, as AIPerf's documentation of
// its profile exports has it.
type aiperfLine struct {
	Metadata *struct {
		Request   string `json:"x_request_id"`
		Session   string `json:"x_correlation_id"`
		Turn      int    `json:"turn_index"`
		Start     *int64 `json:"request_start_ns"`
		Ack       *int64 `json:"request_ack_ns"`
		End       *int64 `json:"request_end_ns"`
		Phase     string `json:"benchmark_phase"`
		Cancelled bool   `json:"was_cancelled"`
	} `json:"metadata"`
	Metrics map[string]aiperfValue `json:"metrics"`
	Error   *struct {
		Code    int    `json:"code"`
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

type aiperfValue struct {
	Value json.RawMessage `json:"value"`
	Unit  string          `json:"unit"`
}

// ReadAIPerf reads AIPerf's profile_export.jsonl: one request per line, blank
// lines passed over. Chunks come from the list of inter_chunk_latency; without
// it a record is sparse. The credit's instant is not taken for the schedule, as
// AIPerf stamps it after a slot is won. At a line of another shape it stops with
// an error that names the line, and returns what it read before.
func ReadAIPerf(r io.Reader) (*Import, error) {
	m := &Import{Tool: "AIPerf", Missing: []string{noSchedule + ": the credit is stamped after a slot is won", noKinds, noSource}}
	defer m.rebase()
	err := lines.Each(r, func(line []byte) error {
		record, err := m.aiperfRecord(line)
		if err == nil {
			m.Records = append(m.Records, record)
		}
		return err
	})
	if err != nil {
		return m, fmt.Errorf("dialect: aiperf: %w", err)
	}
	return m, nil
}

func (m *Import) aiperfRecord(data []byte) (llmbench.Record, error) {
	var line aiperfLine
	if err := json.Unmarshal(data, &line); err != nil {
		return llmbench.Record{}, err
	}
	meta := line.Metadata
	if meta == nil || meta.Start == nil {
		return llmbench.Record{}, errors.New("no metadata.request_start_ns: not a record of profile_export.jsonl")
	}
	r := llmbench.Record{
		ID: meta.Request, Session: meta.Session, Turn: meta.Turn,
		Sent: llmbench.Is(time.Duration(*meta.Start)), Outcome: line.outcome(),
	}
	if meta.Phase == "warmup" {
		r.Phase = llmbench.Warmup
	}
	if meta.Ack != nil {
		r.Headers = llmbench.Is(time.Duration(*meta.Ack))
	}
	if meta.End != nil {
		r.End = llmbench.Is(time.Duration(*meta.End))
	}
	if line.Error != nil {
		r.Status, r.Error = line.Error.Code, line.Error.Message
	}
	return r, m.aiperfMetrics(&r, line.Metrics)
}

func (l *aiperfLine) outcome() llmbench.Outcome {
	switch {
	case l.Metadata.Cancelled:
		return llmbench.Cancelled
	case l.Error == nil:
		return llmbench.OK
	case l.Error.Code == 429 || l.Error.Code == 503:
		return llmbench.Rejected
	case strings.Contains(strings.ToLower(l.Error.Type), "timeout"):
		return llmbench.Timeout
	}
	return llmbench.Error
}

func (m *Import) aiperfMetrics(r *llmbench.Record, metrics map[string]aiperfValue) error {
	for name, count := range map[string]*llmbench.Known[int]{
		"input_sequence_length": &r.InputTokens, "output_sequence_length": &r.OutputTokens,
		"reasoning_token_count": &r.ReasoningTokens,
	} {
		if v, ok := metrics[name]; ok {
			var n float64
			if err := json.Unmarshal(v.Value, &n); err != nil || n < 0 || n > 1e12 {
				return fmt.Errorf("metrics.%s is %s, want a count", name, v.Value)
			}
			*count = llmbench.Is(int(n))
		}
	}
	ttft, streamed, err := aiperfSpans(metrics, "time_to_first_token")
	if err != nil || !streamed {
		return err
	}
	gaps, dense, err := aiperfSpans(metrics, "inter_chunk_latency")
	if err != nil {
		return err
	}
	latency, timed, err := aiperfSpans(metrics, "request_latency")
	if err != nil {
		return err
	}
	if !dense && timed && latency[0] > ttft[0] {
		gaps, r.Sparse = []time.Duration{latency[0] - ttft[0]}, true
		m.missing(noMiddle)
	}
	r.Streamed = true
	at := r.Sent.Or(0) + ttft[0]
	r.Chunks = []llmbench.Chunk{{At: at, Kind: llmbench.ContentChunk}}
	for _, gap := range gaps {
		at += gap
		r.Chunks = append(r.Chunks, llmbench.Chunk{At: at, Kind: llmbench.ContentChunk})
	}
	// The metrics are float milliseconds and the end is a clock reading, so the
	// last chunk can come out some nanoseconds late.
	r.End = llmbench.Is(max(r.End.Or(at), at))
	return nil
}

var aiperfUnits = map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "sec": 1, "s": 1}

// aiperfSpans reads a metric of one or several spans; ok is false where there
// is none.
func aiperfSpans(metrics map[string]aiperfValue, name string) (spans []time.Duration, ok bool, err error) {
	v, ok := metrics[name]
	if !ok {
		return nil, false, nil
	}
	unit, known := aiperfUnits[v.Unit]
	var many []float64
	var one float64
	switch {
	case !known:
		return nil, false, fmt.Errorf("metrics.%s has unit %q, want ns, us, ms or sec", name, v.Unit)
	case json.Unmarshal(v.Value, &one) == nil:
		many = []float64{one}
	case json.Unmarshal(v.Value, &many) != nil:
		return nil, false, fmt.Errorf("metrics.%s is neither a number nor a list of numbers", name)
	}
	for _, n := range many {
		if n < 0 || !plausible(n*unit) {
			return nil, false, fmt.Errorf("metrics.%s is %v, want >= 0", name, n)
		}
		spans = append(spans, seconds(n*unit))
	}
	return spans, len(spans) > 0, nil
}
