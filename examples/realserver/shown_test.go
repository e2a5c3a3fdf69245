package realserver

import (
	"testing"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/fixtures/servers"
	"github.com/llmbench/go/llmbench"
)

// TestServing is the one that package servers shows.
func TestServing(t *testing.T) {
	server := servers.LlamaCPP(t)
	result := llmbench.Run(t, server, llmbench.Profile{
		Arrivals: llmbench.Closed(8), Requests: 50,
		Output: llmbench.Tokens(20), Body: llmbench.Body{IgnoreEOS: true}, // random weights may end before the first word
	})
	assert.RequireNoErrors(t, result)
}
