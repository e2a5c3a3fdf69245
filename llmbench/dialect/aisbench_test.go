package dialect_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/dialect"
	"github.com/stretchr/testify/require"
)

// stage is whole or stable of a vector: null is absent, and so is "inf".
type stage struct {
	Window   []float64
	Selected []string
	Table    map[string]map[string]float64
	Common   map[string]any
}

type vector struct {
	Users   int `json:"C"`
	Stream  *bool
	Records []struct {
		ID      string
		Success bool
		At      []int64 `json:"t_ns"`
		Tokens  []int32 `json:"tok"`
		In, Out int
	}
	Expected struct {
		Whole  stage
		Stable json.RawMessage
		Fixed  map[string]any  `json:"stable_fixed_success_count"`
		Audit  json.RawMessage `json:"audit_stable_window"`
	}
}

func vectors(t *testing.T) map[string]vector {
	data, err := os.ReadFile("testdata/aisbench.json")
	require.NoError(t, err)
	var file struct{ Vectors map[string]vector }
	require.NoError(t, json.Unmarshal(data, &file))
	require.Len(t, file.Vectors, 17)
	return file.Vectors
}

// records turns a vector's rows into records: an event with tokens is content,
// one without carries nothing.
func (v vector) records() []llmbench.Record {
	var records []llmbench.Record
	for _, row := range v.Records {
		r := llmbench.Record{ID: row.ID, Outcome: llmbench.Error, Streamed: v.Stream == nil || *v.Stream}
		if row.Success {
			r.Outcome = llmbench.OK
			r.InputTokens, r.OutputTokens = llmbench.Is(row.In), llmbench.Is(row.Out)
			r.Sent, r.End = llmbench.Is(time.Duration(row.At[0])), llmbench.Is(time.Duration(row.At[len(row.At)-1]))
		}
		for i, n := range row.Tokens {
			kind := llmbench.ContentChunk
			if n == 0 {
				kind = llmbench.OtherChunk
			}
			r.Chunks = append(r.Chunks, llmbench.Chunk{At: time.Duration(row.At[i+1]), Kind: kind, Tokens: n, Counted: true})
		}
		records = append(records, r)
	}
	return records
}

// result is the vector as a run.
func (v vector) result(t *testing.T) *llmbench.Result {
	t.Helper()
	return analyzed(t, v.records(), v.Users)
}

func analyzed(t *testing.T, records []llmbench.Record, users int) *llmbench.Result {
	t.Helper()
	r, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{Concurrency: users})
	require.NoError(t, err)
	return r
}

// extraRows are rows that the original drops and should not: F6's first record
// has no tokens, F7's first record has gaps of 0 only.
var extraRows = map[string]string{"F6_zero_tokens_no_usage": "TPOT", "F7_itl_row_dropped": "ITL"}

// TestAISBenchVectors holds the dialect to an independent program's figures,
// through its JSON.
func TestAISBenchVectors(t *testing.T) {
	for name, v := range vectors(t) {
		t.Run(name, func(t *testing.T) {
			out, err := json.Marshal(dialect.AISBench(v.result(t)))
			require.NoError(t, err)
			var got struct {
				Whole         stage
				Stable        json.RawMessage
				NoStableStage string `json:"no_stable_stage"`
				Audit         json.RawMessage
			}
			require.NoError(t, json.Unmarshal(out, &got))
			if row := extraRows[name]; row != "" {
				require.Contains(t, got.Whole.Table, row, "not dropped")
				delete(got.Whole.Table, row)
			}
			compareStage(t, v.Expected.Whole, got.Whole, v.Expected.Whole.Common)
			if string(v.Expected.Stable) == `"NO_STABLE_STAGE"` {
				require.JSONEq(t, `"NO_STABLE_STAGE"`, string(got.Stable))
				require.NotEmpty(t, got.NoStableStage)
				require.JSONEq(t, "null", string(got.Audit))
				return
			}
			var want, stable stage
			require.NoError(t, json.Unmarshal(v.Expected.Stable, &want))
			require.NoError(t, json.Unmarshal(got.Stable, &stable))
			require.Equal(t, want.Selected, stable.Selected)
			require.InDeltaSlice(t, want.Window, stable.Window, 1e-9)
			if name == "F3b_teaching_with_failure_row2" {
				for row, figures := range want.Table {
					if row != "TPOT" && row != "ITL" {
						figures["N"] = 3 // the original's success marks shift
					}
				}
			}
			compareStage(t, want, stable, v.Expected.Fixed)
			compareAudit(t, v.Expected.Audit, got.Audit)
		})
	}
}

func compareStage(t *testing.T, want, got stage, common map[string]any) {
	require.Len(t, got.Table, len(want.Table))
	for row, figures := range want.Table {
		require.Len(t, got.Table[row], len(figures), row)
		for key, figure := range figures {
			near(t, figure, got.Table[row][key], row, key)
		}
	}
	for key, figure := range common {
		if number, ok := figure.(float64); ok {
			require.NotNil(t, got.Common[key], key)
			near(t, number, got.Common[key].(float64), key)
			continue
		}
		require.Equal(t, "inf", figure)
		require.Contains(t, got.Common, key)
		require.Nil(t, got.Common[key], "%s: absent, never infinite", key)
	}
	for key, figure := range got.Common {
		if _, ok := common[key]; !ok {
			require.Nil(t, figure, "%s: the original leaves it out", key)
		}
	}
}

func compareAudit(t *testing.T, want, got json.RawMessage) {
	var expected, figures map[string]any
	require.NoError(t, json.Unmarshal(want, &expected))
	require.NoError(t, json.Unmarshal(got, &figures))
	require.Len(t, figures, len(expected))
	for key, value := range expected {
		number, ok := value.(float64)
		if !ok {
			require.Equal(t, value, figures[key], key)
			continue
		}
		require.NotNil(t, figures[key], key)
		near(t, number, figures[key].(float64), key)
	}
}

// near demands 1e-9 relative; the vectors' seconds are float sums themselves,
// so values near 0 are compared absolutely.
func near(t *testing.T, want, got float64, what ...any) {
	require.LessOrEqual(t, math.Abs(got-want), 1e-9*math.Abs(want)+1e-12, append(what, want, got)...)
}
