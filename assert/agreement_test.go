package assert

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// beside is three requests of 100 input and 10 output tokens, TTFT 100 ms, with what a server said of them.
func beside(t *testing.T, requests, output, ttftSeconds float64) *llmbench.Result {
	t.Helper()
	r := made(t, ttfts(100, 100, 100)...)
	is := llmbench.Is[float64]
	r.ServerSide = &llmbench.ServerSide{Engine: "vllm", Readings: []llmbench.ServerReading{{}, {
		Requests: is(requests), PromptTokens: is(300), OutputTokens: is(output),
		TTFTSeconds: is(ttftSeconds), TTFTCount: is(requests),
	}}}
	return r
}

func TestAgreementTexts(t *testing.T) {
	for _, c := range []struct {
		name, why string
		result    func() *llmbench.Result
	}{
		{"agreement", "each figure that is apart, then those that are not", func() *llmbench.Result {
			return beside(t, 3, 36, 0.6)
		}},
		{"agreement-others", "more requests than were sent have a cause", func() *llmbench.Result {
			return beside(t, 5, 50, 0.5)
		}},
		{"agreement-none", "a server that tells nothing cannot be held to it", func() *llmbench.Result {
			return made(t, ttfts(100)...)
		}},
		{"agreement-trouble", "nor one whose page could not be read, and why", func() *llmbench.Result {
			r := made(t, ttfts(100)...)
			r.ServerSide = &llmbench.ServerSide{Missed: 2, Trouble: "http://127.0.0.1:1/metrics: status is 404 Not Found, want 200"}
			return r
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, failure(t, c.result(), Agreement{}))
		})
	}
}

func TestAgreementVerdicts(t *testing.T) {
	require.Equal(t, Holds, Agreement{}.Check(beside(t, 3, 30, 0.3)).State)
	require.Equal(t, Holds, Agreement{}.Check(beside(t, 3, 30, 0.24)).State, "20 ms of the mean are within the bound")
	require.Equal(t, Fails, Agreement{}.Check(beside(t, 3, 30, 0.2)).State)
	require.Equal(t, Fails, Agreement{}.Check(beside(t, 3, 29, 0.3)).State)

	guessed := beside(t, 3, 30, 0.3)
	guessed.Stopped = "context canceled"
	require.Equal(t, CannotJudge, Agreement{}.Check(guessed).State, "what holds of a part need not hold of the whole")
}
