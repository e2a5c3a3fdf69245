package llmbench_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/trace"
	"github.com/llmbench/go/mock"
)

// late answers request 3 with a first token 5 ms too late and one gap too long.
type late struct{ mock.Script }

func (s late) Respond(r *mock.Request) mock.Reply {
	if r.Number == 3 {
		s.TTFT += 5 * ms
		s.ITL += 2 * ms
	}
	return s.Script.Respond(r)
}

func TestRehearsalTellsTheError(t *testing.T) {
	profile := llmbench.Profile{Arrivals: llmbench.Constant(10), Requests: 10, Output: llmbench.Tokens(6)}
	script := mock.Script{TTFT: 40 * ms, ITL: 10 * ms}
	truth := llmbench.Truth{TTFT: 40 * ms, ITL: 10 * ms}
	synctest.Test(t, func(t *testing.T) {
		got, err := llmbench.Rehearse(t.Context(), mock.Start(t, script), profile, truth)
		require.NoError(t, err)
		require.Equal(t, &llmbench.Rehearsal{
			TTFT: &llmbench.ErrorSpread{}, ITL: &llmbench.ErrorSpread{}, Fitness: llmbench.Fit, Requests: 10,
		}, got, "in virtual time the harness is exact")
	})
	synctest.Test(t, func(t *testing.T) {
		got, err := llmbench.Rehearse(t.Context(), mock.Start(t, late{script}), profile, truth)
		require.NoError(t, err)
		require.Equal(t, &llmbench.ErrorSpread{P50: 0, P99: 5 * ms, Max: 5 * ms}, got.TTFT)
		require.Equal(t, &llmbench.ErrorSpread{P50: 0, P99: 2 * ms, Max: 2 * ms}, got.ITL)
		require.Equal(t, "p50 0s  p99 5ms  max 5ms", got.TTFT.String())

		profile.Rehearsal = got
		result := llmbench.Run(t, mock.Start(t, script), profile)
		text, err := json.Marshal(result)
		require.NoError(t, err)
		require.Contains(t, string(text), `"rehearsal":{"ttft":{"p50_ns":0,"p99_ns":5000000,"max_ns":5000000}`, "published beside the figures")
	})
	synctest.Test(t, func(t *testing.T) {
		_, err := llmbench.Rehearse(t.Context(), mock.Start(t, mock.With(script, mock.Refuse(500, "no"))), profile, truth)
		require.EqualError(t, err, "llmbench: rehearse: no reply of 10 ended well")
	})
}

// A closed run becomes a trace, goes through a file, and is played again at the
// same instants with the same lengths.
func TestARunIsPlayedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 40 * ms, ITL: 10 * ms})
		first := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(3), Requests: 12, Warmup: llmbench.WarmupPart{Requests: 3}, Seed: 7,
			Input: llmbench.Uniform(5, 50), Output: llmbench.Uniform(1, 20), Classes: []llmbench.Class{{Label: "chat", Share: 1}},
		})
		var file bytes.Buffer
		require.NoError(t, trace.Write(&file, first.Trace()))
		recorded, err := trace.Read(&file)
		require.NoError(t, err)
		again := llmbench.Run(t, server, llmbench.Profile{Arrivals: llmbench.Replay(recorded)})

		start := time.Duration(1 << 62)
		wanted := map[time.Duration][2]int{}
		for _, r := range first.Records[3:] {
			start = min(start, r.Scheduled.Or(0))
		}
		for _, r := range first.Records[3:] {
			wanted[r.Scheduled.Or(0)-start] = [2]int{r.InputTokens.Or(0), r.OutputTokens.Or(0)}
		}
		played := map[time.Duration][2]int{}
		for _, r := range again.Records {
			require.Equal(t, "chat", r.Label)
			played[r.Sent.Or(0)] = [2]int{r.InputTokens.Or(0), r.OutputTokens.Or(0)}
		}
		require.Len(t, again.Records, 12)
		require.Equal(t, wanted, played)
	})
}
