package llmbench

import "time"

// PromptRate is the engine's own prefill rate in tok/s; absent where it does
// not report both the tokens and a time above 0.
func (s ServerTimings) PromptRate() Known[float64] { return reportedRate(s.PromptTokens, s.Prompt) }

// DecodeRate is the engine's own decode rate in tok/s; absent as PromptRate.
func (s ServerTimings) DecodeRate() Known[float64] { return reportedRate(s.OutputTokens, s.Decode) }

func reportedRate(tokens Known[int], span Known[time.Duration]) Known[float64] {
	n, counted := tokens.Get()
	d, timed := span.Get()
	if !counted || !timed || d <= 0 {
		return Known[float64]{}
	}
	return Is(float64(n) / d.Seconds())
}
