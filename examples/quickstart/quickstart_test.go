// Package quickstart is the main job in one file: start a server, load it,
// measure it, and hold it to claims.
//
//	go test -v ./examples/quickstart
//
// The server is the mock and time is virtual (testing/synctest), so 27 seconds
// of load take well under one and every figure is exact.
package quickstart

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// chat is the load of NVIDIA's AIPerf brief: 16 users, 200 requests.
var chat = llmbench.Profile{
	Arrivals: llmbench.Closed(16),
	Requests: 200,
	Input:    llmbench.Tokens(200),
	Output:   llmbench.Tokens(100),
	Seed:     7,
}

// TestServing prints the tables and holds the server to two claims.
func TestServing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})

		result := llmbench.Run(t, server, chat)
		t.Logf("every metric, by group:\n%v", result)

		assert.RequireNoErrors(t, result)
		assert.RequireActivePrefill(t, result, assert.Floor{Mean: 25_000})
		assert.RequireTTFT(t, result, assert.Ceiling{P99: 150 * time.Millisecond})
	})
}

// TestBrokenClaim shows what a regression looks like: the same claims on a
// server whose prefill got slower. Check, not Require, lets this test pass and
// print the text that would have failed it.
func TestBrokenClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 180 * time.Millisecond, ITL: 20 * time.Millisecond})

		result, err := llmbench.Do(t.Context(), server, chat)
		if err != nil {
			t.Fatal(err)
		}
		verdict := assert.ActivePrefill{Mean: 25_000}.Check(result)
		if verdict.State == assert.Holds {
			t.Fatal("a prefill of 180 ms must break a floor of 25k tok/s")
		}
		t.Logf("this is how a broken claim reads:\n%v", verdict)
	})
}

// TestUsersWhoDoNotWait sends at a rate whatever the server does, which is what
// users do, and asks whether the generator kept its schedule.
func TestUsersWhoDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})

		profile := chat
		profile.Arrivals, profile.Requests, profile.Duration = llmbench.Poisson(7), 0, 30*time.Second
		result, err := llmbench.Do(t.Context(), server, profile)
		if err != nil {
			t.Fatal(err)
		}
		assert.RequireNoCoordinatedOmission(t, result)
	})
}
