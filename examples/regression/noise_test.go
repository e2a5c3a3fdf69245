package regression

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// The engine of this file draws each of its times a little anew, as engines do:
// the tail of one run of 64 requests is a third slower than that of another
// though nothing changed. So a run is one number, ten runs a side are compared,
// and what is within their noise is no news. Then a release reads prompts a fifth
// slower.
//
//	LLMBENCH_OUT=old.txt go test -count=10 ./serving
//	LLMBENCH_OUT=new.txt go test -count=10 ./serving   # after the release
//	benchstat old.txt new.txt
//
// shows it to a reader, and RequireNoRegression stops the build: the time to first
// token is worse, the pace of decode is not. Two runs a side could show neither,
// and the gate says so instead of passing.

// release is a server that reads half of the prompts within the given time; the
// seed is the weather of the day.
func release(prefill time.Duration, seed uint64) mock.Script {
	const spread = 0.25
	return mock.Script{
		TTFTs: mock.LogNormal(prefill, spread), ITLs: mock.LogNormal(20*time.Millisecond, spread), Seed: seed,
	}
}

// repeat runs the load n times: Repeat gives each run words of its own, so that
// the script draws anew.
func repeat(t *testing.T, n int, server mock.Script) (runs *llmbench.Runs) {
	synctest.Test(t, func(t *testing.T) {
		runs = llmbench.Repeat(t, n, mock.Start(t, server), load)
	})
	return runs
}

// gate is the claim: what is worse by less than 5 % matters to nobody here.
func gate(baseline string) assert.NoRegression {
	return assert.NoRegression{Baseline: baseline, Comparer: llmbench.Comparer{Slack: 0.05}}
}

func TestReleaseInNoise(t *testing.T) {
	t.Setenv("LLMBENCH_SEED", "") // the figures are those of the seeds above
	dir := t.TempDir()
	t.Setenv("LLMBENCH_OUT", filepath.Join(dir, "old.txt"))
	before := repeat(t, 10, release(100*time.Millisecond, 1))
	t.Setenv("LLMBENCH_OUT", filepath.Join(dir, "new.txt"))
	after := repeat(t, 10, release(120*time.Millisecond, 3))
	t.Setenv("LLMBENCH_OUT", "")

	var tails []float64
	for _, p99 := range before.Values(llmbench.TTFT.Quantile(0.99)) {
		tails = append(tails, p99.Or(0))
	}
	t.Logf("TTFT p99 of ten runs before the release: %.0f ms", tails)
	require.Greater(t, slices.Max(tails)/slices.Min(tails), 1.3, "nothing changed, and the tail did by a third")

	baseline := filepath.Join(dir, "serve.baseline.json") // testdata/ in a repository
	require.NoError(t, llmbench.WriteBaseline(baseline, before))
	assert.RequireNoRegression(t, repeat(t, 10, release(100*time.Millisecond, 2)), gate(baseline))
	gateStops(t, baseline, after)
	benchstatReads(t, dir)
}

// gateStops holds the gate to what it must say of ten slow runs and of two.
func gateStops(t *testing.T, baseline string, after *llmbench.Runs) {
	t.Helper()
	verdict := gate(baseline).Check(after)
	t.Logf("\n%v", verdict)
	require.Equal(t, assert.Fails, verdict.State)
	require.Equal(t, []string{"TTFT p50"}, regressed(t, baseline, after))

	verdict = gate(baseline).Check(repeat(t, 2, release(120*time.Millisecond, 3)))
	t.Logf("\n%v", verdict)
	require.Equal(t, assert.CannotJudge, verdict.State, "a fifth slower, and two runs cannot tell")
}

// regressed are the figures that the comparison behind the gate calls worse.
func regressed(t *testing.T, baseline string, now *llmbench.Runs) (figures []string) {
	t.Helper()
	base, err := llmbench.ReadBaseline(baseline)
	require.NoError(t, err)
	comparison, err := gate(baseline).Comparer.Compare(base, now)
	require.NoError(t, err)
	for _, change := range comparison.Found(llmbench.Regressed) {
		figures = append(figures, change.Figure.String())
	}
	return figures
}

// benchstatReads holds what LLMBENCH_OUT collected to what benchstat needs: ten
// lines of one name in each file, and for every unit the direction that is better.
func benchstatReads(t *testing.T, dir string) {
	t.Helper()
	names := map[string]bool{}
	for _, file := range []string{"old.txt", "new.txt"} {
		results, better := read(t, filepath.Join(dir, file))
		require.Len(t, results, 10)
		for _, r := range results {
			names[r.Name.String()] = true
		}
		require.Equal(t, "lower", better["ttft-p50-sec"])
		require.Equal(t, "higher", better["tok/s"])
	}
	require.Len(t, names, 1, "benchstat puts side by side what has one name: %v", names)
}

// read reads a file as benchstat does.
func read(t *testing.T, path string) (results []*benchfmt.Result, better map[string]string) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	better = map[string]string{}
	for reader := benchfmt.NewReader(file, path); reader.Scan(); {
		switch line := reader.Result().(type) {
		case *benchfmt.Result:
			results = append(results, line.Clone())
		case *benchfmt.UnitMetadata:
			if line.Key == "better" {
				better[line.Unit] = line.Value
			}
		default:
			t.Fatalf("benchstat would complain: %v", line)
		}
	}
	return results, better
}
