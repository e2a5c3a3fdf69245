package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/schema"
	"github.com/llmbench/go/mock"
)

func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("schema.json", document))
	s, err := compiler.Compile("schema.json")
	require.NoError(t, err)
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, line []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	require.NoError(t, err)
	return s.Validate(value)
}

// run is a small run with one refused request, so that most fields are there.
func run(t *testing.T) (result *llmbench.Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		result, err = llmbench.Do(t.Context(), mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond}),
			llmbench.Profile{Arrivals: llmbench.Poisson(5), Requests: 6, Output: llmbench.Tokens(3), Warmup: llmbench.WarmupPart{Requests: 1}})
		require.NoError(t, err)
	})
	result.Records = append(result.Records, llmbench.Record{ID: "x", Outcome: llmbench.Rejected, Status: 429, RetryAfter: llmbench.Is(time.Second)})
	result.AddJudgement(llmbench.Judgement{State: "fails", Line: "no", Rows: [][2]string{{"window", "whole"}}})
	result.ServerSide = &llmbench.ServerSide{Engine: "vllm", Readings: []llmbench.ServerReading{{At: -1, Running: llmbench.Is(1.0)}}}
	result.Stopped, result.Test = "interrupt", "TestX"
	return result
}

func TestFilesFollowTheirSchemas(t *testing.T) {
	result := run(t)
	text, err := json.Marshal(result)
	require.NoError(t, err)
	require.NoError(t, validate(t, compiled(t, schema.Result), text))

	empty, err := llmbench.Analyze(nil, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	text, err = json.Marshal(empty)
	require.NoError(t, err)
	require.NoError(t, validate(t, compiled(t, schema.Result), text), "no record at all is a valid result")

	var lines bytes.Buffer
	require.NoError(t, llmbench.WriteRecords(&lines, result.Records))
	s := compiled(t, schema.Record)
	for line := range bytes.Lines(lines.Bytes()) {
		require.NoError(t, validate(t, s, line))
	}
}

// A schema that let these pass would say nothing.
func TestSchemasRefuse(t *testing.T) {
	record, result := compiled(t, schema.Record), compiled(t, schema.Result)
	for _, row := range []struct{ why, line string }{
		{"an unknown outcome", `{"id":"a","streamed":true,"outcome":"good"}`},
		{"a negative count", `{"id":"a","streamed":true,"outcome":"ok","input_tokens":-1}`},
		{"times that are no integers", `{"id":"a","streamed":true,"outcome":"ok","sent_ns":0.5}`},
		{"a chunk without its instant", `{"id":"a","streamed":true,"outcome":"ok","chunks":[{"kind":"content"}]}`},
		{"an unknown kind", `{"id":"a","streamed":true,"outcome":"ok","chunks":[{"t_ns":1,"kind":"text"}]}`},
		{"no id", `{"streamed":true,"outcome":"ok"}`},
	} {
		require.Error(t, validate(t, record, []byte(row.line)), row.why)
	}
	require.Error(t, validate(t, result, []byte(`{"schema":"llmbench.result/v2","window":{},"counts":{},"metrics":{},"absent":{}}`)), "another version")
	require.NoError(t, validate(t, record, []byte(`{"id":"a","streamed":true,"outcome":"ok","vendor":{"x":1}}`)), "unknown fields are kept, so they are allowed")
}

// A field that the code writes and the schema does not describe is a field that
// no reader in another language learns of.
func TestEveryFieldIsDescribed(t *testing.T) {
	var record struct{ Properties map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(schema.Record, &record))
	fields := reflect.TypeFor[llmbench.Record]()
	for i := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		if name != "" {
			require.NotNil(t, record.Properties[name], "llmbench/schema/record.v1.schema.json has no %s", name)
		}
	}
	var result struct{ Properties map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(schema.Result, &result))
	text, err := json.Marshal(run(t))
	require.NoError(t, err)
	var written map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &written))
	for name := range written {
		require.NotNil(t, result.Properties[name], "llmbench/schema/result.v1.schema.json has no %s", name)
	}
}
