package llmbench

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/llmbench/go/llmbench/internal/prompt"
	"github.com/llmbench/go/llmbench/internal/wire"
)

// A Calibration is how a server counts the harness's prompts: so many words are
// words·TokensPerWord + TemplateTokens. The residual error of a run's prompts is
// Generator.InputError.
type Calibration struct {
	TokensPerWord float64 `json:"tokens_per_word"`
	// TemplateTokens are those that the chat template adds to a prompt.
	TemplateTokens int `json:"template_tokens"`
}

// String describes the calibration in one line.
func (c Calibration) String() string {
	return fmt.Sprintf("%.4g tokens per word and %d per prompt", c.TokensPerWord, c.TemplateTokens)
}

// calibrationWords are the lengths of the two prompts that are measured: far
// enough apart that rounding does not matter, and short enough for any context.
var calibrationWords = [2]int{64, 512}

// calibrationTime bounds one of the two requests: a server that is still
// loading its model is not ready for a run.
const calibrationTime = time.Minute

// calibrate asks the server how it counts words and lets the writer know.
func (c *client) calibrate(ctx context.Context) error {
	start := time.Now()
	c.now = func() time.Duration { return time.Since(start) }
	var counted [2]float64
	for i, words := range calibrationWords {
		tokens, err := c.count(ctx, i, words)
		if err != nil {
			return fmt.Errorf("llmbench: calibrate: %w", err)
		}
		counted[i] = float64(tokens)
	}
	perWord := (counted[1] - counted[0]) / float64(calibrationWords[1]-calibrationWords[0])
	if !(perWord > 0) {
		return fmt.Errorf("llmbench: calibrate: the server counts %v tokens for %d words and %v for %d, want more for more",
			counted[0], calibrationWords[0], counted[1], calibrationWords[1])
	}
	c.writer.perWord = perWord
	c.writer.template = max(0, int(math.Round(counted[0]-perWord*float64(calibrationWords[0]))))
	c.calibration = &Calibration{TokensPerWord: perWord, TemplateTokens: c.writer.template}
	return nil
}

// count is how many tokens the server finds in a prompt of so many words. The
// words are none of those of the run, so that its cache stays cold.
func (c *client) count(ctx context.Context, which, words int) (int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, calibrationTime, errTimeout)
	defer cancel()
	text := prompt.Words(c.writer.seed+1, 1<<59+uint64(which), words)
	call := c.call
	call.Now = c.now
	reply := call.Do(ctx, wire.Request{
		Model: c.model, Messages: []wire.Message{{Role: "user", Content: text}}, MaxTokens: 1,
		MaxTokensField: c.writer.profile.Body.LimitField, Stream: !c.writer.profile.Body.NoStream,
		Extra: c.writer.profile.Body.Extra,
	})
	switch {
	case reply.Usage != nil && reply.Usage.Prompt.Known:
		return int(reply.Usage.Prompt.V), nil
	case reply.Err != "":
		return 0, fmt.Errorf("a prompt of %d words: %s", words, reply.Err)
	}
	return 0, fmt.Errorf("the server reports no usage, want it for Prompt.Calibrate; set Prompt.TokensPerWord instead")
}
