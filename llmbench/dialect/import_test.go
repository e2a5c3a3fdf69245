package dialect_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/dialect"
	"github.com/stretchr/testify/require"
)

func open(t *testing.T, name string) *os.File {
	f, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func outcomes(records []llmbench.Record) []llmbench.Outcome {
	var all []llmbench.Outcome
	for _, r := range records {
		all = append(all, r.Outcome)
	}
	return all
}

func mean(t *testing.T, r *llmbench.Result, m llmbench.Metric, want float64) {
	got, ok := r.Stats(m).Mean().Get()
	require.True(t, ok, "%s: %s", m.Tag(), r.Stats(m).Absent())
	require.InDelta(t, want, got, 1e-3, m.Tag())
}

// TestReadAIPerf: a warm-up, a dense, a sparse and a plain reply, and three that
// failed, from 1 s on.
func TestReadAIPerf(t *testing.T) {
	m, err := dialect.ReadAIPerf(open(t, "aiperf_profile_export.jsonl"))
	require.NoError(t, err)
	require.Equal(t, []llmbench.Outcome{llmbench.OK, llmbench.OK, llmbench.OK, llmbench.OK, llmbench.Cancelled, llmbench.Rejected, llmbench.Timeout}, outcomes(m.Records))
	require.Equal(t, llmbench.Warmup, m.Records[0].Phase)
	require.Equal(t, llmbench.Is(time.Second), m.Records[1].Sent, "from the first send of the file")
	require.Len(t, m.Records[1].Chunks, 4)
	require.True(t, m.Records[2].Sparse)
	require.False(t, m.Records[3].Streamed, "no first token")
	require.Contains(t, m.Missing, "the chunks between the first and the last")

	r, err := llmbench.Analyze(m.Records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	mean(t, r, llmbench.TTFT, 150)
	mean(t, r, llmbench.RequestLatency, (300.0+500+100)/3)
	mean(t, r, llmbench.ICL, 200.0/3)
	mean(t, r, llmbench.TPOT, (200.0/6+300.0/10)/2)
	mean(t, r, llmbench.EffectiveDecodeThroughput, (6.0+10)/0.901)
	mean(t, r, llmbench.ActivePrefillThroughput, 300/0.3)
	require.Equal(t, map[string]int{"reply was not streamed": 1, "chunks between the first and the last were not kept": 1}, r.Stats(llmbench.ICL).LeftOut())
	require.NotEmpty(t, r.Stats(llmbench.EffectiveLatency).Absent(), "the schedule is unknown")
}

func TestReadVLLM(t *testing.T) {
	m, err := dialect.ReadVLLM(open(t, "vllm_detailed.json"))
	require.NoError(t, err)
	require.Equal(t, []llmbench.Outcome{llmbench.OK, llmbench.OK, llmbench.Error}, outcomes(m.Records))
	require.Equal(t, "ClientConnectorError: refused", m.Records[2].Error)
	r, err := llmbench.Analyze(m.Records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	require.Equal(t, 750*time.Millisecond, r.Window.Length())
	mean(t, r, llmbench.TTFT, 175)
	mean(t, r, llmbench.RequestLatency, (300.0+750)/2)
	mean(t, r, llmbench.ICL, 700.0/4)
	mean(t, r, llmbench.TPOT, (200.0/4+500.0/6)/2)
	mean(t, r, llmbench.OutputTokenThroughput, 16)
	mean(t, r, llmbench.EffectivePrefillThroughput, 300/0.75)
	require.Equal(t, map[string]int{"end instant unknown": 1}, r.Stats(llmbench.EffectiveConcurrency).LeftOut())
}

func TestReadGuideLLM(t *testing.T) {
	all, err := dialect.ReadGuideLLM(open(t, "guidellm_report.json"))
	require.NoError(t, err)
	require.Len(t, all, 1)
	m := all[0]
	require.Equal(t, []llmbench.Outcome{llmbench.OK, llmbench.OK, llmbench.Error, llmbench.Cancelled, llmbench.Unsent}, outcomes(m.Records))
	require.True(t, m.Records[0].Sparse)
	require.False(t, m.Records[1].Sparse, "three tokens, all three known")
	r, err := llmbench.Analyze(m.Records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	mean(t, r, llmbench.QueueWait, (250.0+0)/2)
	mean(t, r, llmbench.TTFT, 250)
	mean(t, r, llmbench.EffectiveTTFT, (500.0+250)/2)
	mean(t, r, llmbench.TimeToFirstOutputToken, (250.0+500)/2)
	mean(t, r, llmbench.TPOT, (1000.0/8+500.0/8)/2)
	mean(t, r, llmbench.EffectiveLatency, (1750.0+750)/2)
	require.Equal(t, 1, r.Counts.Unsent)
}

// TestImportErrors: an unknown shape is a clear error, and what came before a
// broken line is kept.
func TestImportErrors(t *testing.T) {
	aiperf := func(s string) error { _, err := dialect.ReadAIPerf(strings.NewReader(s)); return err }
	vllm := func(s string) error { _, err := dialect.ReadVLLM(strings.NewReader(s)); return err }
	guide := func(s string) error { _, err := dialect.ReadGuideLLM(strings.NewReader(s)); return err }
	for _, c := range []struct {
		read       func(string) error
		file, want string
	}{
		{aiperf, `{"id":"r1"}`, "dialect: aiperf: line 1: no metadata.request_start_ns: not a record of profile_export.jsonl"},
		{aiperf, "\n{", "dialect: aiperf: line 2: unexpected end of JSON input"},
		{aiperf, `{"metadata":{"request_start_ns":1},"metrics":{"time_to_first_token":{"value":5,"unit":"parsec"}}}`, `has unit "parsec", want ns, us, ms or sec`},
		{aiperf, `{"metadata":{"request_start_ns":1},"metrics":{"time_to_first_token":{"value":-5,"unit":"ms"}}}`, "time_to_first_token is -5, want >= 0"},
		{aiperf, `{"metadata":{"request_start_ns":1},"metrics":{"output_sequence_length":{"value":"many"}}}`, `output_sequence_length is "many", want a count`},
		{vllm, `{}`, "dialect: vllm: no input_lens: not a result of vllm bench serve"},
		{vllm, `{"input_lens":[1]}`, "no ttfts and itls: written without --save-detailed"},
		{vllm, `{"input_lens":[1],"ttfts":[1],"itls":[[]]}`, "no start_times"},
		{vllm, `{"input_lens":[1],"ttfts":[1],"itls":[[]],"start_times":[1,2],"output_lens":[1]}`, "start_times has 2 elements, want 1 as input_lens"},
		{vllm, `{"input_lens":[1],"ttfts":[-1],"itls":[[]],"start_times":[1],"output_lens":[1]}`, "request 0: span 0 is -1 s, want >= 0"},
		{vllm, `[`, "dialect: vllm: unexpected EOF"},
		{guide, `{}`, "dialect: guidellm: no benchmarks: not a report of guidellm"},
		{guide, `{"benchmarks":[{}]}`, "benchmark 0: no requests"},
		{guide, `{"benchmarks":[{"requests":{"successful":[{"request_id":"a","start_time":1}]}}]}`, "benchmark 0: ok request 0: no info.timings: written by a guidellm of another schema"},
		{guide, `{"benchmarks":[{"requests":{"successful":[{"info":{"timings":{}}}]}}]}`, "no request_start and no resolve_start"},
	} {
		require.ErrorContains(t, c.read(c.file), c.want)
	}
	good, err := os.ReadFile("testdata/aiperf_profile_export.jsonl")
	require.NoError(t, err)
	m, err := dialect.ReadAIPerf(bytes.NewReader(append(good, []byte("{broken")...)))
	require.ErrorContains(t, err, "line 9")
	require.Len(t, m.Records, 7)
	require.Equal(t, llmbench.Is(time.Second), m.Records[1].Sent, "rebased all the same")
}

// FuzzImports: no file may panic, and what is read can be analysed.
func FuzzImports(f *testing.F) {
	for _, name := range []string{"aiperf_profile_export.jsonl", "vllm_detailed.json", "guidellm_report.json"} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var records []llmbench.Record
		if m, _ := dialect.ReadAIPerf(bytes.NewReader(data)); m != nil {
			records = append(records, m.Records...)
		}
		if m, _ := dialect.ReadVLLM(bytes.NewReader(data)); m != nil {
			records = append(records, m.Records...)
		}
		all, _ := dialect.ReadGuideLLM(bytes.NewReader(data))
		for _, m := range all {
			records = append(records, m.Records...)
		}
		r, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
		require.NoError(t, err)
		require.NotEmpty(t, dialect.Reconcile(r))
	})
}
