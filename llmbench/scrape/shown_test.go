package scrape_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/scrape"
	"github.com/llmbench/go/mock"
)

// What the package documentation shows; the mock's client leads to it whatever
// the host.
func TestShownTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
		profile := llmbench.Profile{Requests: 10, Input: llmbench.Tokens(20), Output: llmbench.Tokens(10)}
		watched := scrape.Target(server, "http://host:8000/metrics")
		result := llmbench.Run(t, watched, profile)
		for _, a := range result.Agreements() {
			t.Log(a) // counters against records, as assert.RequireAgreement does
		}
		require.Len(t, result.Agreements(), 4)
	})
}
