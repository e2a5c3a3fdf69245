package llmbench_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// tokenizer counts 1.3 tokens per word and 12 for its chat template.
type tokenizer struct{ mock.Script }

func (s tokenizer) Respond(r *mock.Request) mock.Reply {
	reply := s.Script.Respond(r)
	reply.Usage.InputTokens = 12 + (13*r.InputTokens+5)/10
	return reply
}

func TestCalibrationFindsHowTheServerCounts(t *testing.T) {
	profile := llmbench.Profile{
		Arrivals: llmbench.Constant(10), Requests: 50, Input: llmbench.Uniform(100, 1000), Output: llmbench.Tokens(1),
	}
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, tokenizer{}), profile)
		require.InDelta(t, 0.33, result.Generator.InputError.Or(0), 0.02, "a third too long: 1.3 per word and the template")
		require.Nil(t, result.Environment.Calibration)
	})
	synctest.Test(t, func(t *testing.T) {
		profile.Prompt.Calibrate = true
		result := llmbench.Run(t, mock.Start(t, tokenizer{}), profile)
		got := result.Environment.Calibration
		require.InDelta(t, 1.3, got.TokensPerWord, 0.003)
		require.InDelta(t, 12, got.TemplateTokens, 1)
		require.Less(t, result.Generator.InputError.Or(1), 0.005)
		require.Len(t, result.Records, 50, "the two requests before are no part of the run")
		for i, r := range result.Records {
			require.InDelta(t, result.Schedule.Requests[i].Input, r.InputTokens.Or(0), 4)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		talks := profile
		talks.Sessions = llmbench.Sessions{Turns: llmbench.Tokens(2)}
		result := llmbench.Run(t, mock.Start(t, tokenizer{}), talks)
		require.Less(t, result.Generator.InputError.Or(1), 0.005, "the history of a second turn is not the harness's to measure by")
	})
	synctest.Test(t, func(t *testing.T) {
		_, err := llmbench.Do(t.Context(), mock.Start(t, mock.With(mock.Script{}, mock.Refuse(503, "loading"))), profile)
		require.ErrorContains(t, err, "llmbench: calibrate: a prompt of 64 words: ")
		require.ErrorContains(t, err, "loading")
	})
	synctest.Test(t, func(t *testing.T) {
		_, err := llmbench.Do(t.Context(), mock.Start(t, mock.Script{Usage: mock.UsageNever}), profile)
		require.EqualError(t, err, "llmbench: calibrate: the server reports no usage, want it for Prompt.Calibrate; set Prompt.TokensPerWord instead")
	})
}
