package assert

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

func TestNoErrorsTexts(t *testing.T) {
	refusing := mock.ResponderFunc(func(r *mock.Request) mock.Reply {
		switch {
		case r.Number%10 == 3:
			return mock.Reply{Status: http.StatusInternalServerError, Body: []byte(`{"error":{"message":"CUDA out of memory"}}`)}
		case r.Number%10 == 7:
			return mock.Reply{Status: http.StatusTooManyRequests, Body: []byte("slow down")}
		}
		return mock.Script{TTFT: 10 * ms}.Respond(r)
	})
	for _, c := range []struct {
		name, why string
		result    func(*testing.T) *llmbench.Result
	}{
		{"errors", "each kind with its number, and the first one whole", func(t *testing.T) *llmbench.Result {
			return run(t, refusing, llmbench.Profile{Arrivals: llmbench.Closed(2), Requests: 20})
		}},
		{"errors-none", "no request, no claim", func(t *testing.T) *llmbench.Result { return made(t) }},
		{"errors-unfinished", "requests that did not end tell nothing", func(t *testing.T) *llmbench.Result {
			return made(t, shot{outcome: llmbench.Unsent}, shot{outcome: llmbench.Cancelled, last: 5})
		}},
		{"errors-stopped", "what holds of a part does not hold of the run", func(t *testing.T) *llmbench.Result {
			r := made(t, ttfts(100)...)
			r.Stopped = "context canceled"
			return r
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden(t, c.name, failure(t, c.result(t), NoErrors{}))
		})
	}
}

func TestNoErrorsVerdicts(t *testing.T) {
	for _, c := range []struct {
		why   string
		shots []shot
		want  State
	}{
		{"all well", ttfts(100, 100), Holds},
		{"one error", append(ttfts(100), failed(1)...), Fails},
		{"an empty reply is a failure", append(ttfts(100), shot{outcome: llmbench.Empty, last: 5}), Fails},
		{"our own cancellation is none", append(ttfts(100), shot{outcome: llmbench.Cancelled, last: 5}), Holds},
		{"nothing but cancellations says nothing", []shot{{outcome: llmbench.Cancelled, last: 5}}, CannotJudge},
	} {
		v := NoErrors{}.Check(made(t, c.shots...))
		require.Equal(t, c.want, v.State, "%s:\n%s", c.why, v)
	}
}

func TestClip(t *testing.T) {
	require.Equal(t, "short", clip("short", 5))
	require.Equal(t, "äöü…", clip("äöüßx", 4), "runes, not bytes")
	require.Len(t, []rune(clip(strings.Repeat("x", 500), 120)), 120)
}
