package llmbench

import "github.com/llmbench/go/llmbench/internal/wire"

// take copies what the wire saw.
func (r *Record) take(reply *wire.Reply) {
	r.Outcome = Outcome(reply.Outcome.String())
	r.Status, r.Error, r.FinishReason = reply.Status, reply.Err, reply.FinishReason
	r.Streamed = reply.Streamed
	r.Sent, r.End = Is(reply.Sent), Is(reply.End)
	r.Headers, r.RetryAfter = known(reply.Headers), known(reply.RetryAfter)
	if reply.Streamed {
		r.Chunks = make([]Chunk, len(reply.Chunks))
		for i, c := range reply.Chunks {
			r.Chunks[i] = Chunk{At: c.At, Tokens: c.Tokens, Kind: ChunkKind(c.Kind), Counted: c.Counted}
		}
	}
	r.HTTP = &HTTPTrace{
		DNS: known(reply.Trace.DNS), Connect: known(reply.Trace.Connect), TLS: known(reply.Trace.TLS),
		Send: known(reply.Trace.Send), Wait: known(reply.Trace.Wait), Receive: known(reply.Trace.Receive),
		Reused: reply.Trace.Reused.V, Attempts: reply.Attempts, BytesOut: reply.BytesOut, BytesIn: reply.BytesIn,
		Reads: reply.Reads, CoalescedReads: reply.CoalescedReads,
	}
	r.Usage = usageOf(reply.Usage)
	r.Server = timingsOf(reply.Timings)
}

// countTokens settles where the token counts come from: the server's usage;
// else the plan for the prompt, and the number of content chunks, marked as
// the estimate it is, for the reply. Never the length that was asked for.
func (r *Record) countTokens(planned int) {
	usage := Usage{}
	if r.Usage != nil {
		usage = *r.Usage
	}
	r.ReasoningTokens, r.CachedTokens = usage.Reasoning, usage.Cached
	switch {
	case usage.Prompt.Ok():
		r.InputTokens, r.InputFrom = usage.Prompt, FromUsage
	case planned > 0:
		r.InputTokens, r.InputFrom = Is(planned), FromPlan
	}
	if usage.Completion.Ok() {
		r.OutputTokens, r.OutputFrom = usage.Completion, FromUsage
		return
	}
	content := 0
	for _, chunk := range r.Chunks {
		if chunk.Content() {
			content++
		}
	}
	if content > 0 {
		r.OutputTokens, r.OutputFrom = Is(content), FromChunks
	}
}

func known[T any](o wire.Opt[T]) Known[T] {
	if !o.Known {
		return Known[T]{}
	}
	return Is(o.V)
}

func count(o wire.Opt[int64]) Known[int] {
	if !o.Known {
		return Known[int]{}
	}
	return Is(int(o.V))
}

func usageOf(u *wire.Usage) *Usage {
	if u == nil {
		return nil
	}
	return &Usage{
		Prompt: count(u.Prompt), Completion: count(u.Completion), Total: count(u.Total),
		Reasoning: count(u.Reasoning), Cached: count(u.Cached), Audio: count(u.Audio),
		AcceptedPrediction: count(u.AcceptedPrediction), RejectedPrediction: count(u.RejectedPrediction),
	}
}

func timingsOf(t *wire.Timings) *ServerTimings {
	if t == nil {
		return nil
	}
	return &ServerTimings{
		PromptTokens: count(t.PromptN), Prompt: known(t.Prompt),
		OutputTokens: count(t.PredictedN), Decode: known(t.Predicted),
	}
}
