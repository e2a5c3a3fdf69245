package assert

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// Runs are results with something wrong in each, for the tests of the package
// documentation, which call the package by its name.
var Runs = map[string]func(*testing.T) *llmbench.Result{
	"steady":         steady,
	"sparse":         sparse,
	"stuttering":     stuttering,
	"slow at times":  steadyAndSlow,
	"uncounted":      uncounted,
	"short":          short,
	"cached":         cached,
	"drowning":       drowning,
	"burst":          burst,
	"capped at 128":  func(t *testing.T) *llmbench.Result { return stall(t, 128) },
	"capped at 64":   func(t *testing.T) *llmbench.Result { return stall(t, 64) },
	"at 5 req/s":     func(t *testing.T) *llmbench.Result { return loaded(t, 5) },
	"at 10 req/s":    func(t *testing.T) *llmbench.Result { return loaded(t, 10) },
	"at 20 req/s":    func(t *testing.T) *llmbench.Result { return loaded(t, 20) },
	"classed":        func(t *testing.T) *llmbench.Result { return classed(t, 60) },
	"disagreeing":    func(t *testing.T) *llmbench.Result { return beside(t, 3, 36, 0.6) },
	"all failed":     func(t *testing.T) *llmbench.Result { return made(t, failed(2)...) },
	"one of 4 fails": func(t *testing.T) *llmbench.Result { return made(t, append(ttfts(100, 100, 100), failed(1)...)...) },
	"of 120":         func(t *testing.T) *llmbench.Result { return made(t, ttfts(series(120, 100)...)...) },
	"slow tail": func(t *testing.T) *llmbench.Result {
		return made(t, ttfts(series(195, 100, 180, 190, 200, 210, 220)...)...)
	},
	"broken off": func(t *testing.T) *llmbench.Result {
		return made(t, append(ttfts(100, 100), failed(1)[0], shot{outcome: llmbench.Unsent}, shot{outcome: llmbench.Cancelled, last: 5})...)
	},
	"shedding": func(t *testing.T) *llmbench.Result {
		return made(t, append(ttfts(100), shot{0, 0, 0, 2, llmbench.Rejected})...)
	},
	"late generator": func(t *testing.T) *llmbench.Result {
		return planned(t, made(t, ttfts(100, 100)...), llmbench.Profile{Arrivals: llmbench.Constant(1), Requests: 2},
			llmbench.Generator{LagP99: llmbench.Is(30 * ms)})
	},
	"cut": func(t *testing.T) *llmbench.Result {
		r, err := llmbench.Analyze(steady(t).Records, llmbench.AnalyzeOptions{From: 500 * ms, To: 3 * time.Second})
		require.NoError(t, err)
		return r
	},
	"refusing": func(t *testing.T) *llmbench.Result {
		return run(t, mock.ResponderFunc(func(r *mock.Request) mock.Reply {
			if r.Number%5 == 3 {
				return mock.Reply{Status: http.StatusInternalServerError}
			}
			return mock.Script{TTFT: 10 * ms}.Respond(r)
		}), llmbench.Profile{Arrivals: llmbench.Closed(2), Requests: 20})
	},
}

// Ladder found a capacity of some 10 req/s.
func Ladder(t *testing.T) *llmbench.Capacity { return climbed(t, llmbench.LadderOptions{}) }
