package assert

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

const ms = time.Millisecond

// kept are the results that several tests read; none may change them. A run in
// virtual time costs real time under the race detector.
var kept = map[string]*llmbench.Result{}

func keep(name string, make func() *llmbench.Result) *llmbench.Result {
	if kept[name] == nil {
		kept[name] = make()
	}
	return kept[name]
}

// run drives a mock server in virtual time; every figure of it is exact.
func run(t *testing.T, server mock.Responder, profile llmbench.Profile) (result *llmbench.Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error // Do, as Run logs its tables
		result, err = llmbench.Do(t.Context(), mock.Start(t, server), profile)
		require.NoError(t, err)
	})
	return result
}

// steady is a server of constant times, run in a closed loop: 16 users, 200
// requests of 200 + 100 tokens, W = 27.04 s.
func steady(t *testing.T) *llmbench.Result {
	return keep("steady", func() *llmbench.Result {
		return run(t, mock.Script{TTFT: 100 * ms, ITL: 20 * ms}, llmbench.Profile{
			Arrivals: llmbench.Closed(16), Requests: 200,
			Input: llmbench.Tokens(200), Output: llmbench.Tokens(100), Seed: 7,
		})
	})
}

// stall is an open loop against a server that freezes from 12 s to 16 s.
func stall(t *testing.T, maxInFlight int) *llmbench.Result {
	reply := mock.Script{TTFT: 100 * ms, ITL: 10 * ms}
	frozen := mock.ResponderFunc(func(r *mock.Request) mock.Reply {
		script := reply
		if r.Arrived >= 12*time.Second && r.Arrived < 16*time.Second {
			script.TTFT += 16*time.Second - r.Arrived
		}
		return script.Respond(r)
	})
	return keep(fmt.Sprint("stall ", maxInFlight), func() *llmbench.Result {
		return run(t, frozen, llmbench.Profile{
			Arrivals: llmbench.Poisson(40), Duration: 30 * time.Second, MaxInFlight: maxInFlight,
			Input: llmbench.Tokens(50), Output: llmbench.Tokens(10), Seed: 7,
		})
	})
}

// A shot is a hand-made request: when it was due and sent, when its first and
// last content came, all in milliseconds.
type shot struct {
	due, sent, first, last int
	outcome                llmbench.Outcome
}

// made analyses hand-made records of 100 input and 10 output tokens.
func made(t *testing.T, shots ...shot) *llmbench.Result {
	t.Helper()
	at := func(n int) llmbench.Known[time.Duration] { return llmbench.Is(time.Duration(n) * ms) }
	var records []llmbench.Record
	for i, s := range shots {
		r := llmbench.Record{
			ID: fmt.Sprintf("r%d", i), Streamed: true, Outcome: s.outcome, Scheduled: at(s.due),
			Sent: at(s.sent), End: at(s.last), InputTokens: llmbench.Is(100),
		}
		switch r.Outcome {
		case llmbench.Unsent:
			r.Sent, r.End = llmbench.Known[time.Duration]{}, llmbench.Known[time.Duration]{}
		case "":
			r.Outcome = llmbench.OK
			r.OutputTokens = llmbench.Is(10)
			r.Chunks = []llmbench.Chunk{
				{At: time.Duration(s.first) * ms, Kind: llmbench.ContentChunk},
				{At: time.Duration(s.last) * ms, Kind: llmbench.ContentChunk},
			}
		}
		records = append(records, r)
	}
	result, err := llmbench.Analyze(records, llmbench.AnalyzeOptions{})
	require.NoError(t, err)
	return result
}

// ttfts are requests, one a second, with the TTFTs given in milliseconds.
func ttfts(times ...int) []shot {
	var shots []shot
	for i, d := range times {
		shots = append(shots, shot{due: 1000 * i, sent: 1000 * i, first: 1000*i + d, last: 1000*i + d + 90})
	}
	return shots
}

// series is n times the value, then the tail.
func series(n, value int, tail ...int) []int {
	var all []int
	for range n {
		all = append(all, value)
	}
	return append(all, tail...)
}

// planned adds the load to hand-made records, as if a run had made them.
func planned(t *testing.T, r *llmbench.Result, p llmbench.Profile, g llmbench.Generator) *llmbench.Result {
	t.Helper()
	schedule, err := llmbench.Plan(p)
	require.NoError(t, err)
	r.Profile, r.Schedule, r.Generator = &p, schedule, &g
	return r
}
