package llmbench_test

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

func TestCSVHasOneRowPerMetric(t *testing.T) {
	result := briefResult(t)
	var out bytes.Buffer
	require.NoError(t, llmbench.WriteCSV(&out, result))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+len(llmbench.Metrics()))
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for i, m := range llmbench.Metrics() {
		row, s := rows[i+1], result.Stats(m)
		require.Equal(t, m.Tag(), row[at["tag"]])
		require.Equal(t, s.Absent(), row[at["absent"]])
		if s.Absent() != "" {
			require.Empty(t, row[at["avg"]], "%v: absent is an empty cell, never 0", m)
			continue
		}
		value, err := strconv.ParseFloat(row[at["avg"]], 64)
		require.NoError(t, err)
		require.Equal(t, s.Mean().Or(-1), value, "%v: in full precision", m)
	}
}

// The brief's waves start every 2.08 s: in slices of 13.52 s there are seven, then
// six.
func TestSlicesCSV(t *testing.T) {
	result := briefResult(t)
	var out bytes.Buffer
	require.NoError(t, llmbench.WriteSlicesCSV(&out, result, 13520*time.Millisecond))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, []string{"from_s", "to_s", "planned", "ok", "failed", "effective_time_to_first_token.p50"}, rows[0][:6])
	require.Equal(t, []string{"0", "13.52", "112", "112", "0", "100"}, rows[1][:6])
	require.Equal(t, []string{"13.52", "27.04", "88", "88", "0", "100"}, rows[2][:6])
	require.Error(t, llmbench.WriteSlicesCSV(&out, result, 0))

	out.Reset()
	failed := llmbench.Record{ID: "b", Outcome: llmbench.Error, Sent: llmbench.Is(second), End: llmbench.Is(2 * second)}
	require.NoError(t, llmbench.WriteSlicesCSV(&out, analysed(t, reply("a", 0, second, 2*second), failed), 3*second))
	require.Contains(t, out.String(), "\n0,2,2,1,1,1000,", "from, to, planned, ok, failed, TTFT")

	out.Reset()
	empty, err := llmbench.Analyze(nil, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	require.NoError(t, llmbench.WriteSlicesCSV(&out, empty, time.Second))
	require.Equal(t, 1, strings.Count(out.String(), "\n"), "heads only")
}

// TestOpenMetricsReadBack reads the exposition with Prometheus' own parser.
func TestOpenMetricsReadBack(t *testing.T) {
	result := briefResult(t)
	result.Test = "Test\"Quote\\\n"
	var out bytes.Buffer
	require.NoError(t, llmbench.WriteOpenMetrics(&out, result))
	text := out.String()
	require.True(t, strings.HasSuffix(text, "\n# EOF\n"), "the format's end mark")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	require.NoError(t, err)

	ttft := families["llmbench_time_to_first_token_seconds"]
	require.NotNil(t, ttft)
	require.Equal(t, dto.MetricType_SUMMARY, ttft.GetType())
	summary := ttft.GetMetric()[0].GetSummary()
	require.EqualValues(t, 200, summary.GetSampleCount())
	require.InEpsilon(t, 20.0, summary.GetSampleSum(), 1e-9, "200 times 100 ms, in seconds")
	require.Len(t, summary.GetQuantile(), 10)
	require.Equal(t, 0.1, summary.GetQuantile()[4].GetValue())
	labels := map[string]string{}
	for _, l := range ttft.GetMetric()[0].GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	require.Equal(t, map[string]string{"test": result.Test, "model": "mock", "rule": "whole"}, labels)

	require.Equal(t, dto.MetricType_GAUGE, families["llmbench_active_prefill_throughput"].GetType())
	require.InEpsilon(t, 40000/1.3, families["llmbench_active_prefill_throughput"].GetMetric()[0].GetGauge().GetValue(), 1e-9)
	require.Contains(t, families, "llmbench_request_error_rate_ratio")
	require.Contains(t, families, "llmbench_bytes_in_bytes")
	require.NotContains(t, text, "NaN")
	for name := range families {
		require.Regexp(t, `^llmbench_[a-z0-9_]+$`, name)
	}
}

func TestMarkdownShowsStrangersTextAsItStands(t *testing.T) {
	result := briefResult(t)
	result.Environment.Model = "<img src=x>|[a](javascript:b) @team #1 `c` *d*"
	var out bytes.Buffer
	require.NoError(t, llmbench.WriteMarkdown(&out, result))
	require.Contains(t, out.String(), "model \"&#60;img src=x&#62;&#124;&#91;a&#93;(javascript:b) @\u200bteam &#35;1 &#96;c&#96; &#42;d&#42;\"")
	require.Contains(t, out.String(), "| Active Prefill Throughput (tok/s) | 30,769.23 | 16,000.00 | 32,000.00 | 32,000.00 | 32,000.00 | 32,000.00 | 200 |\n")
}
