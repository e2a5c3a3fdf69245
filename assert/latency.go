package assert

import "github.com/llmbench/go/llmbench"

// TTFT claims a limit on the time from send to the first content, of streamed
// replies.
type TTFT Ceiling

// Check judges the claim.
func (c TTFT) Check(r *llmbench.Result) Verdict {
	return Ceiling(c).judge(llmbench.TTFT, r)
}

// RequireTTFT stops the test unless the time to first token is within c.
func RequireTTFT(t T, r *llmbench.Result, c Ceiling) {
	helper(t)()
	Require(t, r, TTFT(c))
}

// CheckTTFT is RequireTTFT that lets the test go on; it
// returns whether the claim holds.
func CheckTTFT(t T, r *llmbench.Result, c Ceiling) bool {
	helper(t)()
	return Check(t, r, TTFT(c))
}

// EffectiveTTFT claims a limit on the time from the scheduled instant to the
// first content: what the user felt, waiting for a free slot included.
type EffectiveTTFT Ceiling

// Check judges the claim.
func (c EffectiveTTFT) Check(r *llmbench.Result) Verdict {
	return Ceiling(c).judge(llmbench.EffectiveTTFT, r)
}

// RequireEffectiveTTFT stops the test unless the effective time to first token is within c.
func RequireEffectiveTTFT(t T, r *llmbench.Result, c Ceiling) {
	helper(t)()
	Require(t, r, EffectiveTTFT(c))
}

// CheckEffectiveTTFT is RequireEffectiveTTFT that lets the test go on; it
// returns whether the claim holds.
func CheckEffectiveTTFT(t T, r *llmbench.Result, c Ceiling) bool {
	helper(t)()
	return Check(t, r, EffectiveTTFT(c))
}

// TPOT claims a limit on the time per output token after the first, a mean of
// each request. Replies of one token have none.
type TPOT Ceiling

// Check judges the claim.
func (c TPOT) Check(r *llmbench.Result) Verdict {
	return Ceiling(c).judge(llmbench.TPOT, r)
}

// RequireTPOT stops the test unless the time per output token is within c.
func RequireTPOT(t T, r *llmbench.Result, c Ceiling) {
	helper(t)()
	Require(t, r, TPOT(c))
}

// CheckTPOT is RequireTPOT that lets the test go on; it
// returns whether the claim holds.
func CheckTPOT(t T, r *llmbench.Result, c Ceiling) bool {
	helper(t)()
	return Check(t, r, TPOT(c))
}

// ITL claims a limit on the gaps between data events, pooled over requests.
// A server that sends several tokens in one event has fewer and longer gaps.
type ITL Ceiling

// Check judges the claim.
func (c ITL) Check(r *llmbench.Result) Verdict {
	return Ceiling(c).judge(llmbench.ITL, r)
}

// RequireITL stops the test unless the inter-token latency is within c.
func RequireITL(t T, r *llmbench.Result, c Ceiling) {
	helper(t)()
	Require(t, r, ITL(c))
}

// CheckITL is RequireITL that lets the test go on; it
// returns whether the claim holds.
func CheckITL(t T, r *llmbench.Result, c Ceiling) bool {
	helper(t)()
	return Check(t, r, ITL(c))
}

// ICL claims a limit on the gaps between content chunks, pooled over requests.
type ICL Ceiling

// Check judges the claim.
func (c ICL) Check(r *llmbench.Result) Verdict {
	return Ceiling(c).judge(llmbench.ICL, r)
}

// RequireICL stops the test unless the inter-chunk latency is within c.
func RequireICL(t T, r *llmbench.Result, c Ceiling) {
	helper(t)()
	Require(t, r, ICL(c))
}

// CheckICL is RequireICL that lets the test go on; it
// returns whether the claim holds.
func CheckICL(t T, r *llmbench.Result, c Ceiling) bool {
	helper(t)()
	return Check(t, r, ICL(c))
}

// RequestLatency claims a limit on the time from send to the last content.
type RequestLatency Ceiling

// Check judges the claim.
func (c RequestLatency) Check(r *llmbench.Result) Verdict {
	return Ceiling(c).judge(llmbench.RequestLatency, r)
}

// RequireRequestLatency stops the test unless the request latency is within c.
func RequireRequestLatency(t T, r *llmbench.Result, c Ceiling) {
	helper(t)()
	Require(t, r, RequestLatency(c))
}

// CheckRequestLatency is RequireRequestLatency that lets the test go on; it
// returns whether the claim holds.
func CheckRequestLatency(t T, r *llmbench.Result, c Ceiling) bool {
	helper(t)()
	return Check(t, r, RequestLatency(c))
}

// EffectiveLatency claims a limit on the time from the scheduled instant to the
// end of the reply: what the user felt, waiting for a free slot included.
type EffectiveLatency Ceiling

// Check judges the claim.
func (c EffectiveLatency) Check(r *llmbench.Result) Verdict {
	return Ceiling(c).judge(llmbench.EffectiveLatency, r)
}

// RequireEffectiveLatency stops the test unless the effective latency is within c.
func RequireEffectiveLatency(t T, r *llmbench.Result, c Ceiling) {
	helper(t)()
	Require(t, r, EffectiveLatency(c))
}

// CheckEffectiveLatency is RequireEffectiveLatency that lets the test go on; it
// returns whether the claim holds.
func CheckEffectiveLatency(t T, r *llmbench.Result, c Ceiling) bool {
	helper(t)()
	return Check(t, r, EffectiveLatency(c))
}

// QueueWait claims a limit on the time a request waited in the harness for a
// free slot, after its scheduled instant. A queue inside the server is no part
// of it.
type QueueWait Ceiling

// Check judges the claim.
func (c QueueWait) Check(r *llmbench.Result) Verdict {
	return Ceiling(c).judge(llmbench.QueueWait, r)
}

// RequireQueueWait stops the test unless the queue wait is within c.
func RequireQueueWait(t T, r *llmbench.Result, c Ceiling) {
	helper(t)()
	Require(t, r, QueueWait(c))
}

// CheckQueueWait is RequireQueueWait that lets the test go on; it
// returns whether the claim holds.
func CheckQueueWait(t T, r *llmbench.Result, c Ceiling) bool {
	helper(t)()
	return Check(t, r, QueueWait(c))
}
