package assert

import "github.com/llmbench/go/llmbench"

// ActivePrefill claims a least prefill throughput in tok/s while at least one
// request is in prefill, between send and first token. Time without prompts to
// work on does not count against the server.
type ActivePrefill Floor

// Check judges the claim.
func (f ActivePrefill) Check(r *llmbench.Result) Verdict {
	return Floor(f).judge(llmbench.ActivePrefillThroughput, r)
}

// RequireActivePrefill stops the test unless the active prefill throughput reaches f.
func RequireActivePrefill(t T, r *llmbench.Result, f Floor) {
	helper(t)()
	Require(t, r, ActivePrefill(f))
}

// CheckActivePrefill is RequireActivePrefill that lets the test go on; it
// returns whether the claim holds.
func CheckActivePrefill(t T, r *llmbench.Result, f Floor) bool {
	helper(t)()
	return Check(t, r, ActivePrefill(f))
}

// ActiveDecode claims a least decode throughput in tok/s while at least one
// request is in decode, between first token and end.
type ActiveDecode Floor

// Check judges the claim.
func (f ActiveDecode) Check(r *llmbench.Result) Verdict {
	return Floor(f).judge(llmbench.ActiveDecodeThroughput, r)
}

// RequireActiveDecode stops the test unless the active decode throughput reaches f.
func RequireActiveDecode(t T, r *llmbench.Result, f Floor) {
	helper(t)()
	Require(t, r, ActiveDecode(f))
}

// CheckActiveDecode is RequireActiveDecode that lets the test go on; it
// returns whether the claim holds.
func CheckActiveDecode(t T, r *llmbench.Result, f Floor) bool {
	helper(t)()
	return Check(t, r, ActiveDecode(f))
}

// EffectivePrefill claims a least prefill throughput in tok/s over the whole
// window, idle time included.
type EffectivePrefill Floor

// Check judges the claim.
func (f EffectivePrefill) Check(r *llmbench.Result) Verdict {
	return Floor(f).judge(llmbench.EffectivePrefillThroughput, r)
}

// RequireEffectivePrefill stops the test unless the effective prefill throughput reaches f.
func RequireEffectivePrefill(t T, r *llmbench.Result, f Floor) {
	helper(t)()
	Require(t, r, EffectivePrefill(f))
}

// CheckEffectivePrefill is RequireEffectivePrefill that lets the test go on; it
// returns whether the claim holds.
func CheckEffectivePrefill(t T, r *llmbench.Result, f Floor) bool {
	helper(t)()
	return Check(t, r, EffectivePrefill(f))
}

// EffectiveDecode claims a least decode throughput in tok/s over the whole
// window, idle time included.
type EffectiveDecode Floor

// Check judges the claim.
func (f EffectiveDecode) Check(r *llmbench.Result) Verdict {
	return Floor(f).judge(llmbench.EffectiveDecodeThroughput, r)
}

// RequireEffectiveDecode stops the test unless the effective decode throughput reaches f.
func RequireEffectiveDecode(t T, r *llmbench.Result, f Floor) {
	helper(t)()
	Require(t, r, EffectiveDecode(f))
}

// CheckEffectiveDecode is RequireEffectiveDecode that lets the test go on; it
// returns whether the claim holds.
func CheckEffectiveDecode(t T, r *llmbench.Result, f Floor) bool {
	helper(t)()
	return Check(t, r, EffectiveDecode(f))
}

// TotalThroughput claims a least number of tokens per second, input and output,
// over the window. It is a single number, so only Mean has a meaning.
type TotalThroughput Floor

// Check judges the claim.
func (f TotalThroughput) Check(r *llmbench.Result) Verdict {
	return Floor(f).judge(llmbench.TotalTokenThroughput, r)
}

// RequireTotalThroughput stops the test unless the total token throughput reaches f.
func RequireTotalThroughput(t T, r *llmbench.Result, f Floor) {
	helper(t)()
	Require(t, r, TotalThroughput(f))
}

// CheckTotalThroughput is RequireTotalThroughput that lets the test go on; it
// returns whether the claim holds.
func CheckTotalThroughput(t T, r *llmbench.Result, f Floor) bool {
	helper(t)()
	return Check(t, r, TotalThroughput(f))
}

// RequestRate claims a least number of ok requests per second over the window.
// It is a single number, so only Mean has a meaning.
type RequestRate Floor

// Check judges the claim.
func (f RequestRate) Check(r *llmbench.Result) Verdict {
	return Floor(f).judge(llmbench.RequestThroughput, r)
}

// RequireRequestRate stops the test unless the request throughput reaches f.
func RequireRequestRate(t T, r *llmbench.Result, f Floor) {
	helper(t)()
	Require(t, r, RequestRate(f))
}

// CheckRequestRate is RequireRequestRate that lets the test go on; it
// returns whether the claim holds.
func CheckRequestRate(t T, r *llmbench.Result, f Floor) bool {
	helper(t)()
	return Check(t, r, RequestRate(f))
}

// ThroughputPerUser claims a least speed at which a user sees tokens, in
// tok/s/user: the inverse of TPOT, one value per request. P5 is what 95 % of the
// requests reached or passed.
type ThroughputPerUser Floor

// Check judges the claim.
func (f ThroughputPerUser) Check(r *llmbench.Result) Verdict {
	return Floor(f).judge(llmbench.OutputTokenThroughputPerUser, r)
}

// RequireThroughputPerUser stops the test unless the output token throughput per user reaches f.
func RequireThroughputPerUser(t T, r *llmbench.Result, f Floor) {
	helper(t)()
	Require(t, r, ThroughputPerUser(f))
}

// CheckThroughputPerUser is RequireThroughputPerUser that lets the test go on; it
// returns whether the claim holds.
func CheckThroughputPerUser(t T, r *llmbench.Result, f Floor) bool {
	helper(t)()
	return Check(t, r, ThroughputPerUser(f))
}
