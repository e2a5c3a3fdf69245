package assert

import "github.com/llmbench/go/llmbench"

// Concurrency claims a limit on the requests in flight, weighted by time.
type Concurrency Bound

// Check judges the claim.
func (b Concurrency) Check(r *llmbench.Result) Verdict {
	return Bound(b).judge(llmbench.EffectiveConcurrency, r)
}

// RequireConcurrency stops the test unless the concurrency stays within b.
func RequireConcurrency(t T, r *llmbench.Result, b Bound) {
	helper(t)()
	Require(t, r, Concurrency(b))
}

// CheckConcurrency is RequireConcurrency that lets the test go on; it
// returns whether the claim holds.
func CheckConcurrency(t T, r *llmbench.Result, b Bound) bool {
	helper(t)()
	return Check(t, r, Concurrency(b))
}

// TokensInFlight claims a limit on the tokens of all requests in flight, prompts
// and replies so far, weighted by time: what a KV cache has to hold if it shares
// nothing. A Max under the server's KV budget says that nothing was pre-empted
// for want of memory.
type TokensInFlight Bound

// Check judges the claim.
func (b TokensInFlight) Check(r *llmbench.Result) Verdict {
	return Bound(b).judge(llmbench.TokensInFlight, r)
}

// RequireTokensInFlight stops the test unless the tokens in flight stay within b.
func RequireTokensInFlight(t T, r *llmbench.Result, b Bound) {
	helper(t)()
	Require(t, r, TokensInFlight(b))
}

// CheckTokensInFlight is RequireTokensInFlight that lets the test go on; it
// returns whether the claim holds.
func CheckTokensInFlight(t T, r *llmbench.Result, b Bound) bool {
	helper(t)()
	return Check(t, r, TokensInFlight(b))
}
