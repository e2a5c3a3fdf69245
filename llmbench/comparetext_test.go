package llmbench

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// example is a comparison with one row of each kind of finding.
func example() *Comparison {
	spread := func(v float64) (all []float64) {
		for i := range 10 {
			all = append(all, v*(1+0.004*float64(i-5)))
		}
		return all
	}
	wide := func(v float64) (all []float64) {
		for i := range 10 {
			all = append(all, v*(1+0.1*float64(i-5)))
		}
		return all
	}
	base := map[Figure][]float64{
		TTFT.Quantile(0.5): spread(100), TPOT.Quantile(0.5): spread(20), RequestLatency.Quantile(0.99): wide(2000),
		OutputTokenThroughput.Mean(): spread(14_600), RequestThroughput.Mean(): repeated(7, 10),
		ErrorRate.Mean(): repeated(0, 10), ITL.Quantile(0.99): spread(30),
	}
	now := map[Figure][]float64{
		TTFT.Quantile(0.5): spread(112), TPOT.Quantile(0.5): spread(20.1), RequestLatency.Quantile(0.99): wide(2100),
		OutputTokenThroughput.Mean(): spread(16_100), RequestThroughput.Mean(): repeated(7, 10),
		ErrorRate.Mean(): repeated(0.02, 10),
	}
	c := Comparer{Slack: 0.03, Figures: []Figure{
		TTFT.Quantile(0.5), TPOT.Quantile(0.5), RequestLatency.Quantile(0.99), OutputTokenThroughput.Mean(),
		RequestThroughput.Mean(), ErrorRate.Mean(), ITL.Quantile(0.99),
	}}
	out, err := c.Compare(madeRuns("TestServe", base), madeRuns("TestServe", now))
	if err != nil {
		panic(err)
	}
	return out
}

func TestTexts(t *testing.T) {
	c := example()
	golden(t, "compare.txt", c.String()+"\n")
	golden(t, "compare.md", c.Markdown())
	var csv strings.Builder
	require.NoError(t, c.WriteCSV(&csv))
	golden(t, "compare.csv", csv.String())
	require.Equal(t, c.String(), example().String(), "the bootstrap is seeded")
}

// Our CSV has benchstat's columns and figures: the same two files of runs, the
// same numbers.
func TestCSVAgreesWithBenchstat(t *testing.T) {
	want, err := os.ReadFile("testdata/compare/benchstat.csv")
	require.NoError(t, err)
	var sides [2]*Runs
	for i, slower := range []float64{1, 1.1} {
		sides[i] = noisyRuns(t, slower, uint64(i+1))
	}
	c, err := Comparer{Figures: Figures()}.Compare(sides[0], sides[1])
	require.NoError(t, err)
	var ours strings.Builder
	require.NoError(t, c.WriteCSV(&ours))
	rows := 0
	for line := range strings.Lines(ours.String()) {
		if rest, ok := strings.CutPrefix(line, "TestServe,"); ok {
			rows++
			columns := strings.Split(rest, ",")
			require.Contains(t, string(want), "TestServe/model=org_tiny_7,"+strings.Join(columns[:6], ",")+"\n")
		}
	}
	require.Equal(t, len(Figures()), rows)
}
