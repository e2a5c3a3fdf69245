package llmbench_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
)

// TestCatalogue holds every row of the table to what its readers rely on.
func TestCatalogue(t *testing.T) {
	tags, groups := map[string]bool{}, map[llmbench.Group]bool{}
	for _, g := range llmbench.Groups() {
		groups[g] = true
	}
	for _, m := range llmbench.Metrics() {
		require.Regexp(t, `^[a-z][a-z0-9_]*$`, m.Tag())
		require.False(t, tags[m.Tag()], "tag %s twice", m.Tag())
		tags[m.Tag()] = true
		require.NotEmpty(t, m.Name(), m.Tag())
		require.NotEmpty(t, m.Unit(), m.Tag())
		require.NotEmpty(t, m.Definition(), m.Tag())
		require.NotEmpty(t, m.Source(), m.Tag())
		require.True(t, groups[m.Group()], m.Tag())
		found, ok := llmbench.MetricByTag(m.Tag())
		require.True(t, ok)
		require.Equal(t, m, found)
	}
	_, ok := llmbench.MetricByTag("goodness")
	require.False(t, ok)
	require.Equal(t, "time_to_first_token", llmbench.TTFT.String())
	require.Equal(t, "lower", llmbench.TTFT.Better().String())
	require.Empty(t, llmbench.Metric{}.Tag())
	r := &llmbench.Result{}
	require.Equal(t, "not analysed", r.Stats(llmbench.TTFT).Absent())
}

// TestEveryMetricHasAName reads names.go: a row that no package value draws
// could not be claimed.
func TestEveryMetricHasAName(t *testing.T) {
	source, err := os.ReadFile("names.go")
	require.NoError(t, err)
	var drawn, listed []string
	for _, m := range regexp.MustCompile(`= drawn\("(.*)"\)`).FindAllSubmatch(source, -1) {
		drawn = append(drawn, string(m[1]))
	}
	for _, m := range llmbench.Metrics() {
		listed = append(listed, m.Tag())
	}
	require.ElementsMatch(t, listed, drawn)
}
