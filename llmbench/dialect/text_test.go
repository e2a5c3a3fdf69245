package dialect_test

import (
	"os"
	"testing"

	"github.com/llmbench/go/llmbench/dialect"
	"github.com/stretchr/testify/require"
)

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	want, err := os.ReadFile("testdata/" + name)
	if os.Getenv("LLMBENCH_UPDATE") != "" {
		require.NoError(t, os.WriteFile("testdata/"+name, []byte(got), 0o644))
		return
	}
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// TestAISBenchText prints the teaching case: 2.175 shown as 2 is marked, and
// the strict figures stand under the table.
func TestAISBenchText(t *testing.T) {
	v := vectors(t)["F3_teaching_C2"]
	r := dialect.AISBench(v.result(t))
	require.True(t, r.Capped)
	require.False(t, r.ZeroLength)
	golden(t, "aisbench_teaching.golden", r.Text())
}

// TestAISBenchMarks: what the original hides is marked.
func TestAISBenchMarks(t *testing.T) {
	all := vectors(t)
	for name, want := range map[string]struct {
		capped, zero bool
		reason       string
	}{
		"S5_tie_end_row_first":       {capped: true, zero: true},
		"S2_C1_sequential_three":     {},
		"S6_end_event_closes_window": {capped: true},
		"S4_reaches_once":            {reason: "no stable stage: 2 in flight reached once"},
		"S3_never_reaches":           {reason: "no stable stage: 10 in flight never reached"},
	} {
		r := dialect.AISBench(all[name].result(t))
		require.Equal(t, want.capped, r.Capped, name)
		require.Equal(t, want.zero, r.ZeroLength, name)
		require.Equal(t, want.reason, r.NoStable, name)
	}
	r := dialect.AISBench(analyzed(t, all["S3_never_reaches"].records(), 0))
	require.Equal(t, "no stable stage: the concurrency is not given", r.NoStable)
	require.Contains(t, r.Text(), "no stable stage")
}

// TestAISBenchPercentiles: any percentile on request.
func TestAISBenchPercentiles(t *testing.T) {
	v := vectors(t)["F5_one_token_mixed"]
	row, ok := dialect.AISBench(v.result(t)).Whole.Row("E2EL")
	require.True(t, ok)
	near(t, 0.138, row.Sample.Quantile(0.95).Or(0))
	require.False(t, row.Sample.Quantile(95).Ok(), "a quantile, not a percentage")
	_, ok = dialect.AISBench(analyzed(t, nil, 1)).Whole.Row("E2EL")
	require.False(t, ok, "no sample, no row")
	e, ok := dialect.AISBench(analyzed(t, nil, 1)).Whole.Entry("Request Throughput")
	require.True(t, ok)
	require.False(t, e.Value.Ok(), "absent, not 0/0")
}
