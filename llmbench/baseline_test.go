package llmbench

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A baseline keeps what a comparison needs: the figures of every run, and what
// they were measured on. Nothing in it changes with the time or the machine's
// name.
func TestBaselineRoundTrip(t *testing.T) {
	runs := noisyRuns(t, 1, 1)
	runs.identity.Hardware.CPU, runs.identity.Server = "Made Up 3000", "engine 1"
	path := filepath.Join(t.TempDir(), "testdata", "x.baseline.json")
	extra := TTFT.Quantile(0.999)
	require.NoError(t, WriteBaseline(path, runs, extra, latency))

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	stable := []string{`"` + version() + `"`, `"VERSION"`, runtime.Version(), "GO"}
	for _, m := range Metrics() { // a better wording must not need a new golden here
		if m.Definition() != "" {
			require.NotContains(t, m.Definition(), `"`, "JSON would escape it, and the line below not find it")
			stable = append(stable, ": "+m.Definition()+`"`, `: DEFINITION"`)
		}
	}
	golden(t, "x.baseline.json", strings.NewReplacer(stable...).Replace(string(text)))

	read, err := ReadBaseline(path)
	require.NoError(t, err)
	require.Equal(t, [2]any{"TestServe", 10}, [2]any{read.Name(), read.N()})
	require.Equal(t, "engine 1", read.Identity().Server)
	for _, f := range append(Figures(), extra) {
		require.Equal(t, runs.Values(f), read.Values(f), f)
	}
	require.Nil(t, read.Results())
	require.Len(t, read.Values(QueueWait.Mean()), 10, "a figure that it does not have is absent in every run")
	require.False(t, read.Values(QueueWait.Mean())[0].Ok())

	c := Compare(read, runs)
	require.Empty(t, c.Unlike, "what was read is like what was written")
	require.Equal(t, []Finding{Unchanged, Unchanged, Unchanged, Unchanged}, findings(c))
	again := filepath.Join(t.TempDir(), "again.json")
	require.NoError(t, WriteBaseline(again, runs, latency, extra))
	second, err := os.ReadFile(again)
	require.NoError(t, err)
	require.Equal(t, string(text), string(second), "the same runs are the same file")
}

// A seed of 64 bits survives the file.
func TestBaselineKeepsTheWholeSeed(t *testing.T) {
	result := madeResult(1)
	result.Profile.Seed = 1<<64 - 1
	runs, err := NewRuns("TestServe", result)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "x.json")
	require.NoError(t, WriteBaseline(path, runs))
	read, err := ReadBaseline(path)
	require.NoError(t, err)
	require.Empty(t, Compare(read, runs).Unlike)
	result.Profile.Seed--
	other, err := NewRuns("TestServe", result)
	require.NoError(t, err)
	require.Equal(t, []Trait{ProfileTrait}, Compare(read, other).Unlike)
}

func TestBrokenBaselines(t *testing.T) {
	_, err := ReadBaseline(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, row := range []struct{ why, text, want string }{
		{"cut off", `{"schema":`, "unexpected EOF"},
		{"of a later version", `{"schema":"llmbench.baseline/v9"}`, `schema is "llmbench.baseline/v9", want "llmbench.baseline/v1"`},
		{"without runs", `{"schema":"llmbench.baseline/v1"}`, "runs is 0, want > 0"},
		{"a metric of a later version", `{"schema":"llmbench.baseline/v1","runs":1,"figures":[{"figure":"speed","values":[1]}]}`,
			`llmbench: figure: key is "speed", want the tag of a metric before any colon`},
		{"a value lost by hand", `{"schema":"llmbench.baseline/v1","runs":2,"figures":[{"figure":"time_to_first_token:p50","values":[1]}]}`,
			"figure time_to_first_token:p50 has 1 values, want one for each of 2 runs"},
		{"a word for a number", `{"schema":"llmbench.baseline/v1","runs":1,"figures":[{"figure":"time_to_first_token:p50","values":["fast"]}]}`,
			"cannot unmarshal"},
	} {
		path := filepath.Join(t.TempDir(), "x.json")
		require.NoError(t, os.WriteFile(path, []byte(row.text), 0o644))
		_, err := ReadBaseline(path)
		require.ErrorContains(t, err, "llmbench: baseline "+path+": ", row.why)
		require.ErrorContains(t, err, row.want, row.why)
	}
}

func TestBaselineThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.ErrorContains(t, WriteBaseline(filepath.Join(file, "x.json"), noisyRuns(t, 1, 1)), "llmbench: baseline: ")
}

func TestCPUModel(t *testing.T) {
	for _, row := range []struct{ why, text, want string }{
		{"x86", "processor\t: 0\nmodel name\t: AMD EPYC 9B14\nflags: a b\n", "AMD EPYC 9B14"},
		{"MIPS", "cpu model\t\t: R10000\n", "R10000"},
		{"ARM servers tell none", "processor: 0\nBogoMIPS: 50.00\n", ""},
	} {
		require.Equal(t, row.want, cpuModelIn(row.text), row.why)
	}
}
