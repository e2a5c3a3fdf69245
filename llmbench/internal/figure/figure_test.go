package figure

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRowScale(t *testing.T) {
	for _, row := range []struct {
		why, unit string
		values    []float64
		want      []string
		shown     string
	}{
		{"milliseconds stay as other tools print them", "ms", []float64{2080, 28140.8123}, []string{"2,080.00", "28,140.81"}, "ms"},
		{"a new value in microseconds is no 0.00ms (case 131)", "ms", []float64{0.00146}, []string{"1.46"}, "us"},
		{"a row has one unit, so a small value beside a large one keeps its digits", "ms", []float64{1164, 0.00146}, []string{"1,164.00", "0.00146"}, "ms"},
		{"minutes of milliseconds", "ms", []float64{123456.7, 5}, []string{"123.46", "0.005"}, "s"},
		{"zeros are in the base unit", "ms", []float64{0}, []string{"0.00"}, "ms"},
		{"NVIDIA's figures keep their look", "tok/s", []float64{28140.81}, []string{"28,140.81"}, "tok/s"},
		{"rates of a cluster", "tok/s", []float64{12345678}, []string{"12,345.68"}, "k tok/s"},
		{"counts have no decimals", "requests", []float64{1176, 0}, []string{"1,176", "0"}, "requests"},
		{"a mean of counts has them, and so has its row", "requests", []float64{14.645, 16}, []string{"14.64", "16.00"}, "requests"},
		{"bytes", "B", []float64{3496670}, []string{"3,496.67"}, "kB"},
		{"a difference", "ms", []float64{-1234.5}, []string{"-1,234.50"}, "ms"},
	} {
		s := ScaleOf(row.unit, row.values...)
		require.Equal(t, row.shown, s.Unit, row.why)
		for i, v := range row.values {
			require.Equal(t, row.want[i], s.Format(v), row.why)
		}
	}
}

func TestBrief(t *testing.T) {
	for _, row := range []struct {
		value      float64
		unit, want string
	}{
		{5, "ms", "5.00ms"}, {1170, "ms", "1.17s"}, {0.0015, "ms", "1.50us"}, {0, "ms", "0ms"}, {119.6, "ms", "120ms"},
		{14600, "tok/s", "14.6k tok/s"}, {732.25, "tok/s", "732 tok/s"}, {7.4, "req/s", "7.40 req/s"},
		{16, "requests", "16 requests"}, {15.38, "requests", "15.4 requests"}, {27.04, "s", "27.0s"}, {44.5, "%", "44.5%"},
		{2.5e9, "tok/s", "2.50G tok/s"}, {0.00001234, "share", "0.0000123 share"}, {1e-300, "share", "1e-300 share"},
		// Just below a power of ten the digits are still three, in the scale of what is shown.
		{9.996, "ms", "10.0ms"}, {99.96, "%", "100%"}, {0.9996, "ms", "1.00ms"}, {999.7, "ms", "1.00s"}, {999.7, "tok/s", "1.00k tok/s"},
		{999_700, "tok/s", "1.00M tok/s"}, {-9.996, "ms", "-10.0ms"}, {9.994, "ms", "9.99ms"}, {999.7, "s", "1000s"},
	} {
		require.Equal(t, row.want, Brief(row.value, row.unit))
	}
}
