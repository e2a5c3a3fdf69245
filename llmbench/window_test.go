package llmbench_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/llmbench/go/llmbench"
	"github.com/stretchr/testify/require"
)

// span is an ok request from start to end, in milliseconds, with one token at
// each of the given instants.
func span(id string, start, end int, tokens ...int) llmbench.Record {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	r := llmbench.Record{ID: id, Streamed: true, Outcome: llmbench.OK, Scheduled: llmbench.Is(ms(start)),
		Sent: llmbench.Is(ms(start)), End: llmbench.Is(ms(end)), OutputTokens: llmbench.Is(len(tokens))}
	for _, at := range tokens {
		r.Chunks = append(r.Chunks, llmbench.Chunk{At: ms(at), Kind: llmbench.ContentChunk, Tokens: 1, Counted: true})
	}
	return r
}

// TestStableAnalysis: requests that start at the edges are covered, nothing of
// them is clipped, and the strict figures say what lies outside.
func TestStableAnalysis(t *testing.T) {
	records := []llmbench.Record{
		span("a", 1000, 1500, 1250, 1500), span("b", 2000, 2500, 2250, 2500), span("c", 3000, 3500, 3250, 3500),
	}
	r, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{Rule: llmbench.StableRule, Concurrency: 1})
	require.NoError(t, err)
	require.Equal(t, llmbench.Window{From: 2 * time.Second, To: 3 * time.Second, Rule: llmbench.StableRule}, r.Window)
	require.Equal(t, 2, r.Counts.OK, "b and c, whose start is the last instant")
	near(t, 500, r.Stats(llmbench.RequestLatency).Mean())
	near(t, 4, r.Stats(llmbench.OutputTokenThroughput).Mean(), "whole requests")
	near(t, 2, r.Stats(llmbench.WindowOutputTokenThroughput).Mean(), "b alone")
	near(t, 2, r.Stats(llmbench.SelectedTokensOutsideWindow).Mean(), "c's")
	near(t, 0.5, r.Stats(llmbench.WindowInFlightMean).Mean())
	near(t, 0.4, llmbench.Is(r.Window.Share(r.Whole())))
}

func TestNoStableStage(t *testing.T) {
	records := []llmbench.Record{span("a", 0, 100, 50, 100), span("b", 50, 150, 100)}
	for _, c := range []struct {
		users, reached int
		want           string
	}{
		{2, 1, "llmbench: analyze: no stable stage: 2 in flight reached once"},
		{3, 0, "llmbench: analyze: no stable stage: 3 in flight never reached"},
	} {
		_, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{Rule: llmbench.StableRule, Concurrency: c.users})
		require.EqualError(t, err, c.want)
		var none *llmbench.NoStableStage
		require.True(t, errors.As(err, &none))
		require.Equal(t, llmbench.NoStableStage{Concurrency: c.users, Reached: c.reached}, *none)
	}
	_, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{Rule: llmbench.StableRule})
	require.ErrorContains(t, err, "Concurrency is 0, want >= 1")
}

// trapezoid is a run that ramps up by a request each 100 ms to ten, holds, and
// drains: in flight 1..10 for 1 s, 10 for 8 s, down for 1 s.
func trapezoid() []llmbench.Record {
	var records []llmbench.Record
	for user := range 10 {
		for turn := range 9 {
			start := user*100 + turn*1000
			records = append(records, span(fmt.Sprint(user, "/", turn), start, start+1000, start+500))
		}
	}
	return records
}

func TestSteadyWindow(t *testing.T) {
	w, err := llmbench.SteadyWindow(trapezoid())
	require.NoError(t, err)
	require.Equal(t, llmbench.SteadyRule, w.Rule)
	// MSER weighs what it cuts against what it keeps: the last steps of a ramp
	// cost less than they are worth.
	require.InDelta(t, 800, w.From.Milliseconds(), 150, "the tenth user came at 900 ms")
	require.InDelta(t, 9100, w.To.Milliseconds(), 150, "the first left at 9 s")
	r, err := llmbench.Analyze(trapezoid(), llmbench.AnalyzeOptions{Rule: llmbench.SteadyRule})
	require.NoError(t, err)
	require.InDelta(t, 0.85, r.Window.Share(r.Whole()), 0.02)
	require.InDelta(t, 10, r.Stats(llmbench.EffectiveConcurrency).Mean().Or(0), 0.15)
	near(t, 10, r.Stats(llmbench.EffectiveConcurrency).Quantile(0.1))

	steady := []llmbench.Record{span("a", 0, 1000, 500), span("b", 1000, 2000, 1500)}
	w, err = llmbench.SteadyWindow(steady)
	require.NoError(t, err)
	require.Equal(t, 2*time.Second, w.Length(), "nothing to cut")
}

func TestNoSteadyWindow(t *testing.T) {
	var growing []llmbench.Record
	for i := range 100 {
		growing = append(growing, span(fmt.Sprint(i), i*100, 10_000, 10_000))
	}
	_, err := llmbench.SteadyWindow(growing)
	require.EqualError(t, err, "no steady window: the concurrency did not settle in either half of the run")
	var draining []llmbench.Record
	for i := range 100 {
		draining = append(draining, span(fmt.Sprint(i), 0, 100+i*100, 50))
	}
	_, err = llmbench.SteadyWindow(draining)
	require.ErrorContains(t, err, "did not settle")
	_, err = llmbench.SteadyWindow(nil)
	require.EqualError(t, err, "no steady window: the run lasted 0s")
}

func TestWindowOptions(t *testing.T) {
	for _, c := range []struct {
		opts llmbench.AnalyzeOptions
		want string
	}{
		{llmbench.AnalyzeOptions{Rule: "best"}, `llmbench: analyze: Rule is "best", want one of`},
		{llmbench.AnalyzeOptions{Rule: llmbench.WholeRule, To: 1}, "From and To are given, want none beside the rule whole"},
		{llmbench.AnalyzeOptions{Rule: llmbench.BetweenRule}, "To is 0s, want after From, 0s"},
	} {
		_, err := llmbench.Analyze(nil, c.opts)
		require.ErrorContains(t, err, c.want)
	}
}
