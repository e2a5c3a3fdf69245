package llmbench

import "time"

// The per-request formulas. Each takes one ok request and returns its sample,
// or the reason why it has none. Spans are in nanoseconds.

// stream is the reason why a request has no first token, if so.
func (f *facts) stream() reason {
	switch {
	case f.timing != present:
		return f.timing
	case !f.record.Streamed:
		return notStreamed
	case f.content == 0:
		return noContent
	}
	return present
}

// lastToken is Cn; a reply that was not streamed has all its content at E.
func (f *facts) lastToken() (int64, reason) {
	if !f.record.Streamed && f.timing == present {
		if !f.hasEnd {
			return 0, noEnd
		}
		return f.end, present
	}
	return f.last, f.stream()
}

// since subtracts start from at, unless one of them is missing.
func since(at, start int64, known bool, missing, why reason) (int64, reason) {
	switch {
	case why != present:
		return 0, why
	case !known:
		return 0, missing
	}
	return at - start, present
}

func requestLatency(f *facts) (int64, reason) {
	at, why := f.lastToken()
	return since(at, f.sent, f.hasSent, noSend, why)
}

func effectiveLatency(f *facts) (int64, reason) {
	why := f.timing
	if why == present && !f.hasEnd {
		why = noEnd
	}
	return since(f.end, f.scheduled, f.hasScheduled, noSchedule, why)
}

func queueWait(f *facts) (int64, reason) {
	why := f.timing
	if why == present && !f.hasSent {
		why = noSend
	}
	wait, why := since(f.sent, f.scheduled, f.hasScheduled, noSchedule, why)
	return max(wait, 0), why
}

func timeToFirstToken(f *facts) (int64, reason) {
	return since(f.first, f.sent, f.hasSent, noSend, f.stream())
}

func effectiveTimeToFirstToken(f *facts) (int64, reason) {
	return since(f.first, f.scheduled, f.hasScheduled, noSchedule, f.stream())
}

func timeToSecondToken(f *facts) (int64, reason) {
	return since(f.second, f.first, true, present, f.gaps())
}

// gaps is the reason why a request has no gap between content chunks, if so.
func (f *facts) gaps() reason {
	if why := f.stream(); why != present {
		return why
	}
	if f.content < 2 {
		return fewChunks
	}
	return f.sparse()
}

// sparse is the reason why the chunks say nothing of gaps and of their number,
// if so.
func (f *facts) sparse() reason {
	if f.record.Sparse {
		return sparseChunks
	}
	return present
}

func timeToFirstOutputToken(f *facts) (int64, reason) {
	why := f.stream()
	if why == present && !f.hasOutput {
		why = onlyReasoning
	}
	return since(f.firstOutput, f.sent, f.hasSent, noSend, why)
}

func decodeDuration(f *facts) (int64, reason) {
	return since(f.last, f.first, true, present, f.stream())
}

func maxStall(f *facts) (int64, reason) {
	if why := f.gaps(); why != present {
		return 0, why
	}
	var longest, previous time.Duration
	started := false
	for i := range f.record.Chunks {
		c := &f.record.Chunks[i]
		if !c.Content() {
			continue
		}
		if started {
			longest = max(longest, c.At-previous)
		}
		previous, started = c.At, true
	}
	return int64(longest), present
}

// decoded is the number of tokens that TPOT divides by: OSL - f.
func (f *facts) decoded() (int64, reason) {
	switch why := f.stream(); {
	case why != present:
		return 0, why
	case f.output < 0:
		return 0, noOutput
	case f.output < 2:
		return 0, shortOutput
	case f.output <= f.firstTokens:
		return 0, noGain
	}
	return f.output - f.firstTokens, present
}

// timePerOutputToken is in milliseconds, as the quotient is no whole number of
// nanoseconds.
func timePerOutputToken(f *facts) (float64, reason) {
	n, why := f.decoded()
	if why != present {
		return 0, why
	}
	return float64(f.last-f.first) / float64(n) / 1e6, present
}

// rate is tokens per second over a span.
func rate(tokens, span int64, why reason) (float64, reason) {
	switch {
	case why != present:
		return 0, why
	case span == 0:
		return 0, zeroSpan
	}
	return float64(tokens) * 1e9 / float64(span), present
}

func outputRatePerUser(f *facts) (float64, reason) {
	n, why := f.decoded()
	return rate(n, f.last-f.first, why)
}

func endToEndRate(f *facts) (float64, reason) {
	span, why := requestLatency(f)
	if why == present && f.output < 0 {
		why = noOutput
	}
	return rate(f.output, span, why)
}

func prefillRatePerUser(f *facts) (float64, reason) {
	span, why := timeToFirstToken(f)
	if why == present && f.input < 0 {
		why = noInput
	}
	return rate(f.input, span, why)
}

func inputLength(f *facts) (int64, reason)  { return tokens(f.input, noInput) }
func outputLength(f *facts) (int64, reason) { return tokens(f.output, noOutput) }

func reasoningTokens(f *facts) (int64, reason) {
	return tokens(firstKnown(f.record.ReasoningTokens, f.record.usage().Reasoning), notReported)
}

func cachedTokens(f *facts) (int64, reason) {
	return tokens(firstKnown(f.record.CachedTokens, f.record.usage().Cached), notReported)
}

func tokens(n int64, missing reason) (int64, reason) {
	if n < 0 {
		return 0, missing
	}
	return n, present
}

func tokensPerChunk(f *facts) (float64, reason) {
	switch {
	case f.content == 0:
		return 0, noContent
	case f.output < 0:
		return 0, noOutput
	}
	return float64(f.output) / float64(f.content), f.sparse()
}

// reported makes a formula of one field of the server's usage.
func reported(field func(Usage) Known[int]) func(*facts) (int64, reason) {
	return func(f *facts) (int64, reason) {
		return tokens(firstKnown(field(f.record.usage())), notReported)
	}
}

// traced makes a formula of one span of the HTTP trace.
func traced(field func(*HTTPTrace) Known[time.Duration]) func(*facts) (int64, reason) {
	return func(f *facts) (int64, reason) {
		if f.record.HTTP == nil {
			return 0, notMeasured
		}
		d, ok := field(f.record.HTTP).Get()
		if !ok {
			return 0, notMeasured
		}
		return int64(max(d, 0)), present
	}
}

func connectionReused(f *facts) (int64, reason) {
	switch {
	case f.record.HTTP == nil:
		return 0, notMeasured
	case f.record.HTTP.Reused:
		return 1, present
	}
	return 0, present
}
