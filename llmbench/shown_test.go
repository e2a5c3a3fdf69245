package llmbench_test

import (
	"net/http"
	"os"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// What the comments of the package show, run.

// The client leads to the mock whatever the address.
func TestShownRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		there := mock.Start(t, briefScript)
		server := llmbench.Endpoint{URL: "http://127.0.0.1:8000/v1", Model: "my-model"}
		server.HTTP = there.Client()
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Poisson(20), // users who do not wait for each other
			Duration: time.Minute,
			Input:    llmbench.Tokens(200),
			Output:   llmbench.Tokens(100),
		})
		p99, ok := result.Stats(llmbench.TTFT).Quantile(0.99).Get() // ms
		require.True(t, ok)
		require.Equal(t, 100.0, p99)
		require.Equal(t, "my-model", there.Requests()[0].Model)
	})
}

// talkative is a target with every optional method but the last.
type talkative struct{ *mock.Server }

func (talkative) Model() string          { return "told" }
func (talkative) API() string            { return "openai-completions" }
func (talkative) Header() http.Header    { return http.Header{"X-Tenant": {"a"}} }
func (talkative) CountTokens(string) int { return 7 }

// wrapped has that too.
type wrapped struct{ talkative }

func (w wrapped) Unwrap() llmbench.Target { return w.talkative }

// The optional methods of a target are those that are shown, and each is heard.
func TestShownMethods(t *testing.T) {
	type Target = llmbench.Target
	type optional interface {
		Client() *http.Client
		Model() string          // the model to ask for
		API() string            // the protocol, "openai-chat" if absent
		Header() http.Header    // sent with every request
		CountTokens(string) int // see Endpoint.CountTokens
		Unwrap() Target         // the target inside, which says all of the above
	}
	synctest.Test(t, func(t *testing.T) {
		there := mock.Start(t, briefScript)
		var server optional = wrapped{talkative{there}}
		result := llmbench.Run(t, server, llmbench.Profile{Requests: 1, Body: llmbench.Body{NoUsage: true}})
		seen := there.Requests()[0]
		require.Equal(t, "told", seen.Model)
		require.Equal(t, "/v1/completions", seen.Path)
		require.Equal(t, "a", seen.Header.Get("X-Tenant"))
		require.Equal(t, llmbench.Is(7), result.Records[0].OutputTokens)
	})
	source, err := os.ReadFile("target.go")
	require.NoError(t, err)
	for _, asked := range regexp.MustCompile(`(?:case |\()interface\{ (\w+)\(`).FindAllSubmatch(source, -1) {
		if name := string(asked[1]); name != "URL" { // which the text above the block has
			require.Contains(t, string(source), "\n//\t"+name+"(", "a method that is asked for is shown")
		}
	}
}
