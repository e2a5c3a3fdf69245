package llmbench_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
)

// quantileKeys are the statistics that files name.
var quantileKeys = map[string]float64{
	"p1": 0.01, "p5": 0.05, "p10": 0.1, "p25": 0.25, "p50": 0.5, "p75": 0.75,
	"p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999,
}

// stat reads one statistic by the name that files give it.
func stat(s llmbench.Stats, key string) llmbench.Known[float64] {
	switch key {
	case "avg":
		return s.Mean()
	case "std":
		return s.Std()
	case "min":
		return s.Min()
	case "max":
		return s.Max()
	}
	return s.Quantile(quantileKeys[key])
}

// near demands a relative error of at most 1e-9; 0 must be 0.
func near(t require.TestingT, want float64, got llmbench.Known[float64], what ...any) {
	value, ok := got.Get()
	require.True(t, ok, what...)
	require.LessOrEqual(t, math.Abs(value-want), 1e-9*math.Abs(want), append(what, value, want)...)
}

func metric(t require.TestingT, tag string) llmbench.Metric {
	m, ok := llmbench.MetricByTag(tag)
	require.True(t, ok, tag)
	return m
}

func analyze(t require.TestingT, records []llmbench.Record) *llmbench.Result {
	r, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	return r
}

// TestEffectiveVectors holds the curves to figures that an independent program
// computed in exact rational arithmetic.
func TestEffectiveVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors/effective.json")
	require.NoError(t, err)
	var file struct {
		Vectors map[string]struct {
			Window   [2]time.Duration              `json:"window_ns"`
			Records  []llmbench.Record             `json:"records"`
			Expected map[string]map[string]float64 `json:"expected"`
		} `json:"vectors"`
	}
	require.NoError(t, json.Unmarshal(data, &file))
	require.Len(t, file.Vectors, 11)
	for name, v := range file.Vectors {
		t.Run(name, func(t *testing.T) {
			opts := llmbench.AnalyzeOptions{From: v.Window[0], To: v.Window[1]}
			r, err := llmbench.Analyze(v.Records, opts)
			require.NoError(t, err)
			slices.Reverse(v.Records)
			reversed, err := llmbench.Analyze(v.Records, opts)
			require.NoError(t, err)
			require.Len(t, v.Expected, 14)
			for tag, figures := range v.Expected {
				got := r.Stats(metric(t, tag))
				if figures == nil {
					require.NotEmpty(t, got.Absent(), tag)
					require.False(t, got.Mean().Ok(), tag)
					continue
				}
				require.Empty(t, got.Absent(), tag)
				for key, want := range figures {
					near(t, want, stat(got, key), tag, key)
					require.Equal(t, stat(got, key), stat(reversed.Stats(got.Metric()), key), "%s %s in other order", tag, key)
				}
			}
		})
	}
}
