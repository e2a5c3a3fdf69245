package llmbench

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mixedRun is n requests of every kind that the curves tell apart, at about
// 1000 per second.
func mixedRun(rng *rand.Rand, n int) []Record {
	records := make([]Record, n)
	for i := range records {
		at := time.Duration(rng.IntN(n)) * time.Millisecond
		r := Record{ID: fmt.Sprint(i), Scheduled: Is(at), Streamed: rng.IntN(10) > 0, Outcome: OK}
		at += time.Duration(rng.IntN(3)) * 5 * time.Millisecond
		r.Sent = Is(at)
		counted, output := rng.IntN(2) == 0, 0
		for range rng.IntN(30) {
			at += time.Duration(rng.IntN(5)) * time.Millisecond
			tokens := rng.IntN(4)
			output += tokens
			kind := []ChunkKind{ContentChunk, ContentChunk, ReasoningChunk, RoleChunk}[rng.IntN(4)]
			r.Chunks = append(r.Chunks, Chunk{At: at, Kind: kind, Tokens: int32(tokens), Counted: counted})
		}
		r.End = Is(at + time.Duration(rng.IntN(4))*time.Millisecond)
		if rng.IntN(20) > 0 {
			r.InputTokens, r.OutputTokens = Is(rng.IntN(2000)), Is(output)
		}
		if rng.IntN(15) == 0 {
			r.Outcome = []Outcome{Error, Timeout, Cancelled}[rng.IntN(3)]
		}
		records[i] = r
	}
	return records
}

// withTwoLooks analyses as if the run were too large to keep its pieces.
func withTwoLooks(t *testing.T, records []Record, opts AnalyzeOptions) *Result {
	defer func(n int) { exactRun = n }(exactRun)
	exactRun = 0
	r, err := Analyze(records, opts)
	require.NoError(t, err)
	return r
}

// TestTwoLooksAreExact compares the way of large runs with the way of small
// ones: every statistic, at quantiles that the summary holds and at others.
func TestTwoLooksAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 50, 3000} {
		records := mixedRun(rng, n)
		for _, opts := range []AnalyzeOptions{{}, {From: 20 * time.Millisecond, To: 700 * time.Millisecond}} {
			want, err := Analyze(records, opts)
			require.NoError(t, err)
			compareCurves(t, want, withTwoLooks(t, records, opts))
		}
	}
}

func compareCurves(t *testing.T, want, got *Result) {
	for _, m := range Metrics() {
		if m.Kind() != Curve {
			continue
		}
		a, b := want.Stats(m), got.Stats(m)
		require.Equal(t, a.Absent(), b.Absent(), m.Tag())
		require.Equal(t, a.N(), b.N(), m.Tag())
		require.Equal(t, a.Min(), b.Min(), m.Tag())
		require.Equal(t, a.Max(), b.Max(), m.Tag())
		for _, q := range []float64{0, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 1, 0.3, 0.42, 0.998} {
			require.Equal(t, a.Quantile(q), b.Quantile(q), "%s q=%v", m.Tag(), q)
		}
		close := func(x, y Known[float64]) {
			require.LessOrEqual(t, math.Abs(x.Or(0)-y.Or(0)), 1e-12*math.Abs(x.Or(0)), m.Tag())
		}
		close(a.Mean(), b.Mean())
		close(a.Std(), b.Std())
	}
}

// TestPartsCutNoInstantTwice: parts are cut at powers of two after the first
// instant; here every instant is one, so that events lie on the cuts.
func TestPartsCutNoInstantTwice(t *testing.T) {
	records := mixedRun(rand.New(rand.NewPCG(7, 8)), 12_000)
	const unit = 1 << 20
	scale := func(at *time.Duration) { *at = *at / time.Millisecond * unit }
	for i := range records {
		r := &records[i]
		for _, at := range []*Known[time.Duration]{&r.Scheduled, &r.Sent, &r.End} {
			d, _ := at.Get()
			scale(&d)
			*at = Is(d)
		}
		for k := range r.Chunks {
			scale(&r.Chunks[k].At)
		}
	}
	want, err := Analyze(records, AnalyzeOptions{})
	require.NoError(t, err)
	compareCurves(t, want, withTwoLooks(t, records, AnalyzeOptions{}))
}

// TestVectorsByTwoLooks sends the vectors the other way as well.
func TestVectorsByTwoLooks(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors/effective.json")
	require.NoError(t, err)
	var file struct {
		Vectors map[string]struct {
			Window  [2]time.Duration `json:"window_ns"`
			Records []Record         `json:"records"`
		} `json:"vectors"`
	}
	require.NoError(t, json.Unmarshal(data, &file))
	for _, v := range file.Vectors {
		opts := AnalyzeOptions{From: v.Window[0], To: v.Window[1]}
		want, err := Analyze(v.Records, opts)
		require.NoError(t, err)
		compareCurves(t, want, withTwoLooks(t, v.Records, opts))
	}
}

// TestTwoLooksInAnyOrder: parts are cut by time, so the order of records does
// not change a bit.
func TestTwoLooksInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	records := mixedRun(rng, 2000)
	want, err := json.Marshal(withTwoLooks(t, records, AnalyzeOptions{}))
	require.NoError(t, err)
	rng.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	got, err := json.Marshal(withTwoLooks(t, records, AnalyzeOptions{}))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// TestDuplicates counts beyond the first of each ID, and no empty ones.
func TestDuplicates(t *testing.T) {
	var records []Record
	for _, id := range []string{"a", "b", "a", "", "", "a", "c", "b"} {
		records = append(records, Record{ID: id, Outcome: OK, Sent: Is(time.Duration(0))})
	}
	records = append(records, Record{ID: "c", Phase: Warmup})
	r, err := Analyze(records, AnalyzeOptions{})
	require.NoError(t, err)
	require.Equal(t, 3, r.Counts.Duplicates, "a twice more, b once; the warm-up c is none")
}
