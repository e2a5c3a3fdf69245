package gateway

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

var script = mock.Script{TTFT: 30 * time.Millisecond, ITL: 10 * time.Millisecond}

func load() llmbench.Profile {
	return llmbench.Profile{
		Arrivals: llmbench.Closed(4),
		Requests: 20,
		Input:    llmbench.Tokens(50),
		Output:   llmbench.Tokens(15),
		Warmup:   llmbench.WarmupPart{Requests: 4}, // opens the connections
		Seed:     7,
	}
}

func address(t *testing.T, server *mock.Server) *url.URL {
	t.Helper()
	upstream, err := url.Parse(strings.TrimSuffix(server.URL(), "/v1"))
	require.NoError(t, err)
	return upstream
}

// against compares the median of a figure with that of direct access.
func against(direct *llmbench.Result, metric llmbench.Metric, atLeast, atMost float64) assert.Ratio {
	return assert.Ratio{Metric: metric, Stat: "p50", Base: direct, AtLeast: atLeast, AtMost: atMost}
}

// In virtual time the work of the processor takes none, so what remains is what
// the gateway waits for, to the nanosecond: its look-up, once, and nothing per
// token.
func TestAGatewayCostsItsLookupAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, script)
		const lookup = 3 * time.Millisecond
		gateway := New(address(t, server), server.Client().Transport, lookup)
		pairs := llmbench.Pair(t, 2, server, behind(server, gateway), load())

		for i, through := range pairs.B.Results() {
			direct := pairs.A.Results()[i]
			assert.RequireNoErrors(t, through)
			for metric, more := range map[llmbench.Metric]time.Duration{
				llmbench.TTFT: lookup, llmbench.RequestLatency: lookup, llmbench.ICL: 0, llmbench.TPOT: 0,
			} {
				before, now := direct.Stats(metric), through.Stats(metric)
				require.InDelta(t, before.Max().Or(-1)+llmbench.Millis(more), now.Max().Or(-1), 1e-9, metric.Tag())
				require.InDelta(t, before.Min().Or(-1)+llmbench.Millis(more), now.Min().Or(-1), 1e-9, metric.Tag())
			}
			assert.Require(t, through, // as a team would hold its gateway
				against(direct, llmbench.TTFT, 0, 1.1),
				against(direct, llmbench.ICL, 0.9, 1.1))
		}
	})
}

func TestAGatewayThatBuffersIsCaught(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, script)
		gateway := NewBuffering(address(t, server), server.Client().Transport)
		pairs := llmbench.Pair(t, 2, server, behind(server, gateway), load())
		direct, through := pairs.A.Results()[0], pairs.B.Results()[0]

		// All seems well: right answers, in the same time.
		assert.RequireNoErrors(t, through)
		assert.Require(t, through, against(direct, llmbench.RequestLatency, 0, 1.01))

		for _, c := range []struct {
			why   string
			claim assert.Claim
			want  string
		}{
			{"the first token comes with the last", against(direct, llmbench.TTFT, 0, 1.1), "TTFT p50 ratio is 5.67 (170ms / 30.0ms), want at most 1.10"},
			{"and all of them at once", against(direct, llmbench.ICL, 0.9, 1.1), "ICL p50 ratio is 0 (0s / 10.0ms), want at least 0.900"},
			{"nor does a plain limit let it pass", assert.TTFT{P50: 100 * time.Millisecond}, "TTFT p50 is 170ms, want at most 100ms"},
		} {
			verdict := c.claim.Check(through)
			t.Logf("%s:\n%v", c.why, verdict)
			require.Equal(t, c.want, verdict.Line, c.why)
		}
	})
}

// behind is the gateway as a target, reached without sockets.
func behind(server *mock.Server, gateway http.Handler) llmbench.Endpoint {
	return llmbench.Endpoint{
		URL: "http://gateway.invalid/v1", Model: server.Model(), HTTP: &http.Client{Transport: inProcess{gateway}},
	}
}

// Over real sockets, what the processor does for a proxy shows as well. How much
// that is depends on the machine, so the test reports it and holds the order only:
// tokens still come one by one, long before the end.
func TestTheOverheadOverSockets(t *testing.T) {
	server := mock.Listen(t, script)
	transport := &http.Transport{MaxIdleConnsPerHost: 16} // the default of 2 opens a new one for most requests
	defer transport.CloseIdleConnections()
	front := httptest.NewServer(New(address(t, server), transport, 0))
	defer front.Close()
	pairs := llmbench.Pair(t, 4, server, llmbench.Endpoint{URL: front.URL + "/v1", Model: server.Model()}, load())

	for _, change := range llmbench.Compare(pairs.A, pairs.B).Changes {
		t.Log(change.String())
	}
	for _, through := range pairs.B.Results() {
		assert.RequireNoErrors(t, through)
		ttft, latency := through.Stats(llmbench.TTFT).Quantile(0.5).Or(0), through.Stats(llmbench.RequestLatency).Quantile(0.5).Or(0)
		require.Less(t, ttft, latency/2, "a stream, not a parcel")
	}
}
