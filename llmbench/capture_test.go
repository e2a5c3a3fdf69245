package llmbench_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// What a server did once, broken stream included, comes again from the capture:
// the same outcome, the same chunks, each at the same distance from the send.
func TestCaptureBecomesATest(t *testing.T) {
	profile := llmbench.Profile{Requests: 4, Output: llmbench.Tokens(6), Capture: 2}
	var saved bytes.Buffer
	var before, after []llmbench.Record
	synctest.Test(t, func(t *testing.T) {
		healthy := mock.Script{TTFT: 30 * time.Millisecond, ITL: 7 * time.Millisecond}
		broken := healthy
		broken.Faults = []mock.Fault{mock.DropAfter(3)}
		result := llmbench.Run(t, mock.Start(t, mock.ByNumber(2, broken, healthy)), profile)
		require.Len(t, result.Captures, 2)
		require.Equal(t, "r2", result.Captures[0].ID, "the failed one took the place of the first")
		require.NoError(t, llmbench.WriteCaptures(&saved, result.Captures))
		before = []llmbench.Record{result.Records[2], result.Records[1]}
	})
	synctest.Test(t, func(t *testing.T) {
		replay, err := mock.Captured(&saved)
		require.NoError(t, err)
		after = llmbench.Run(t, mock.Start(t, replay), profile).Records[:2]
	})
	for i := range before {
		require.Equal(t, before[i].Outcome, after[i].Outcome, after[i].Error)
		require.Equal(t, since(before[i]), since(after[i]))
	}
	require.Equal(t, llmbench.Error, before[0].Outcome)
	require.Equal(t, llmbench.OK, before[1].Outcome)
}

// since tells a record's chunks by their distance from the send.
func since(r llmbench.Record) (chunks []llmbench.Chunk) {
	for _, c := range r.Chunks {
		c.At -= r.Sent.Or(0)
		chunks = append(chunks, c)
	}
	return chunks
}
