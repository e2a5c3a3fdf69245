package llmbench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// answered is a request of 10 prompt and 4 output tokens, its first token after 100 ms and its last after 160.
func answered() llmbench.Record {
	return llmbench.Record{
		Outcome: llmbench.OK, Streamed: true, Sent: llmbench.Is(time.Duration(0)), End: llmbench.Is(165 * time.Millisecond),
		InputTokens: llmbench.Is(10), OutputTokens: llmbench.Is(4), CachedTokens: llmbench.Is(2),
		Chunks: []llmbench.Chunk{
			{At: 100 * time.Millisecond, Kind: llmbench.ContentChunk}, {At: 160 * time.Millisecond, Kind: llmbench.ContentChunk},
		},
		Server: &llmbench.ServerTimings{Prompt: llmbench.Is(90 * time.Millisecond), Decode: llmbench.Is(60 * time.Millisecond)},
	}
}

// said is a server side whose counters began somewhere and grew by what two such requests cost.
func said(change func(*llmbench.ServerReading)) *llmbench.ServerSide {
	is := llmbench.Is[float64]
	last := llmbench.ServerReading{
		At: time.Second, Requests: is(1002), PromptTokens: is(1020), CachedTokens: is(4), OutputTokens: is(508),
		TTFTSeconds: is(50.19), TTFTCount: is(1002),
	}
	if change != nil {
		change(&last)
	}
	return &llmbench.ServerSide{Engine: "vllm", Readings: []llmbench.ServerReading{
		{Requests: is(1000), PromptTokens: is(1000), OutputTokens: is(500), TTFTSeconds: is(50), TTFTCount: is(1000)}, last,
	}}
}

func compared(t *testing.T, side *llmbench.ServerSide, records ...llmbench.Record) *llmbench.Result {
	t.Helper()
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	result.ServerSide = side
	return result
}

func disagreements(result *llmbench.Result) (found []string) {
	for _, a := range result.Agreements() {
		if !a.Agrees() {
			found = append(found, a.String())
		}
	}
	return found
}

func TestAgreementsCompareAllThatTheServerSaid(t *testing.T) {
	result := compared(t, said(nil), answered(), answered())
	var all []string
	for _, a := range result.Agreements() {
		all = append(all, a.String())
	}
	require.Equal(t, []string{
		"prompt tokens: 20 by us, 20 by the server",
		"cached tokens: 4 by us, 4 by the server",
		"output tokens: 8 by us, 8 by the server",
		"requests: 2 by us, 2 by the server",
		"mean time to first token: 100.0 ms by us, 95.0 ms by the server",
		"mean time to first token against the prefill of the replies: 100.0 ms by us, 90.0 ms by the server",
		"mean decode time against that of the replies: 60.0 ms by us, 60.0 ms by the server",
	}, all)
	require.Empty(t, disagreements(result))
	require.NotContains(t, result.Summary(), "warning")
}

func TestAgreementsSeeEachDisagreement(t *testing.T) {
	is := llmbench.Is[float64]
	late := answered()
	late.Chunks[1].At += 40 * time.Millisecond
	early := answered()
	early.Chunks[0].At, early.Chunks[1].At = 30*time.Millisecond, 90*time.Millisecond
	for _, c := range []struct {
		why, want string
		change    func(*llmbench.ServerReading)
		record    llmbench.Record
	}{
		{"a token lost in our count", "output tokens: 8 by us, 9 by the server",
			func(s *llmbench.ServerReading) { s.OutputTokens = is(509) }, answered()},
		{"another client", "requests: 2 by us, 3 by the server",
			func(s *llmbench.ServerReading) { s.Requests = is(1003) }, answered()},
		{"a clock that starts late", "mean time to first token: 100.0 ms by us, 150.0 ms by the server",
			func(s *llmbench.ServerReading) { s.TTFTSeconds = is(50.3) }, answered()},
		{"a first token before its prefill is over", "mean time to first token against the prefill of the replies: 30.0 ms by us, 90.0 ms by the server",
			func(s *llmbench.ServerReading) { s.TTFTSeconds = is(50.06) }, early},
		{"chunks stamped late", "mean decode time against that of the replies: 100.0 ms by us, 60.0 ms by the server", nil, late},
	} {
		result := compared(t, said(c.change), c.record, c.record)
		require.Equal(t, []string{c.want}, disagreements(result), c.why)
		require.Contains(t, result.Summary(), "  warning    disagrees on "+c.want, c.why)
	}
}

// What cannot be compared is left out: a cut reply cost tokens that nobody saw, a restarted server counts from 0.
func TestAgreementsLeaveOutWhatCannotBeCompared(t *testing.T) {
	failed := answered()
	failed.Outcome = llmbench.Error
	unsent := llmbench.Record{Outcome: llmbench.Unsent}
	uncounted := answered()
	uncounted.OutputTokens = llmbench.Known[int]{}
	restarted := said(func(s *llmbench.ServerReading) { s.OutputTokens = llmbench.Is(8.0) })

	names := func(r *llmbench.Result) (all []string) {
		for _, a := range r.Agreements() {
			if a.Unit != "ms" {
				all = append(all, a.What)
			}
		}
		return all
	}
	require.Empty(t, names(compared(t, said(nil), answered(), failed)))
	require.Len(t, names(compared(t, said(nil), answered(), answered(), unsent)), 4, "an unsent request cost nothing")
	require.NotContains(t, names(compared(t, said(nil), answered(), uncounted)), "output tokens")
	require.NotContains(t, names(compared(t, restarted, answered(), answered())), "output tokens")
	require.Empty(t, names(compared(t, nil, answered())))
	require.Empty(t, compared(t, said(nil)).Agreements(), "no request, nothing to compare")
}

// Waiting is in our time to first token and not in the engine's prefill: above is fine by any amount.
func TestAgreementAllowsWaitingBeforePrefill(t *testing.T) {
	waited := answered()
	for i := range waited.Chunks {
		waited.Chunks[i].At += time.Hour
	}
	require.Empty(t, disagreements(compared(t, nil, waited)))
}
