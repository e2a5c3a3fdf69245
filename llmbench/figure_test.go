package llmbench_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

func TestFigureKeys(t *testing.T) {
	for _, row := range []struct {
		figure    llmbench.Figure
		key, name string
	}{
		{llmbench.TTFT.Quantile(0.99), "time_to_first_token:p99", "TTFT p99"},
		{llmbench.TTFT.Quantile(0.999), "time_to_first_token:p99.9", "TTFT p99.9"},
		{llmbench.TTFT.Quantile(0.29), "time_to_first_token:p29", "TTFT p29"}, // 100·0.29 is not 29
		{llmbench.TTFT.Quantile(0), "time_to_first_token:p0", "TTFT p0"},
		{llmbench.TTFT.Mean(), "time_to_first_token", "TTFT"},
		{llmbench.ActivePrefillThroughput.Mean(), "active_prefill_throughput", "active prefill throughput"},
	} {
		require.Equal(t, row.key, row.figure.Key())
		require.Equal(t, row.name, row.figure.String())
		read, err := llmbench.FigureByKey(row.key)
		require.NoError(t, err)
		require.Equal(t, row.figure, read, "a figure is the key of a map")
	}
	require.Equal(t, "no figure", llmbench.Figure{}.String())
	require.False(t, llmbench.Figure{}.Of(&llmbench.Result{}).Ok())
}

func TestFigureKeyErrors(t *testing.T) {
	for _, row := range []struct{ key, want string }{
		{"speed:p50", `llmbench: figure: key is "speed:p50", want the tag of a metric before any colon`},
		{"time_to_first_token:50", `llmbench: figure: key is "time_to_first_token:50", want a percentile such as :p99 after the tag`},
		{"time_to_first_token:p101", `llmbench: figure: key is "time_to_first_token:p101", want a percentile such as :p99 after the tag`},
		{"time_to_first_token:pNaN", `llmbench: figure: key is "time_to_first_token:pNaN", want a percentile such as :p99 after the tag`},
	} {
		_, err := llmbench.FigureByKey(row.key)
		require.EqualError(t, err, row.want)
	}
}

// What is compared by default is also what a baseline keeps.
func TestDefaultFiguresAreKept(t *testing.T) {
	require.Subset(t, llmbench.Figures(), llmbench.DefaultFigures())
	for _, f := range llmbench.Figures() {
		require.NotEqual(t, llmbench.None, f.Metric().Better(), "%v could not be compared", f)
	}
}
