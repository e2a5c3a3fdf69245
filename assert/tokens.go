package assert

import (
	"fmt"
	"math"

	"github.com/llmbench/go/llmbench"
)

// TokenCounts claims that the tokens of every ok request are known and not
// guessed: input and output come from the server's usage or a tokenizer, and
// where the client counted the reply itself, both counts agree within 10 %. A
// rate in tok/s is worth no more than these.
type TokenCounts struct{}

// RequireTokenCounts stops the test unless the tokens of every ok request are known and agree.
func RequireTokenCounts(t T, r *llmbench.Result) {
	helper(t)()
	Require(t, r, TokenCounts{})
}

// CheckTokenCounts is RequireTokenCounts that lets the test go on; it returns
// whether the claim holds.
func CheckTokenCounts(t T, r *llmbench.Result) bool {
	helper(t)()
	return Check(t, r, TokenCounts{})
}

// Check judges the claim.
func (TokenCounts) Check(r *llmbench.Result) Verdict {
	m := about("token counts", r)
	windowRow(m, r)
	if r.Counts.OK == 0 {
		failuresRow(m, r)
		return m.cannot("no samples: %s", absence(r.Stats(llmbench.OSL), r))
	}
	input := guessed(r.Counts.OK, r.Sources.Input)
	output := guessed(r.Counts.OK, r.Sources.Output)
	st := r.Stats(llmbench.TokenCountDiscrepancy)
	differ := int(st.Mean().Or(0))
	m.evidence("counts", "%d of %s without a true input count, %d without a true output count", input,
		plural(r.Counts.OK, "ok request"), output)
	if st.Mean().Ok() {
		m.evidence("compared", "%d of %s counted otherwise by server and client, by more than 10%%", differ, plural(st.N(), "request"))
	}
	switch {
	case input+output > 0:
		if r.Profile != nil && r.Profile.Body.NoUsage {
			m.cause("the profile does not ask for usage (Body.NoUsage)")
		}
		return m.verdict(Fails, "tokens of %d of %s are guessed, want all counted by the server or a tokenizer",
			max(input, output), plural(r.Counts.OK, "ok request"))
	case differ > 0:
		return m.verdict(Fails, "token counts of %d of %s differ between server and client, want none", differ, plural(st.N(), "request"))
	}
	return m.verdict(Holds, "tokens of all %s are counted", plural(r.Counts.OK, "ok request"))
}

// guessed is how many requests have no count by the server or a tokenizer.
func guessed(ok int, sources map[llmbench.Source]int) int {
	return ok - sources[llmbench.FromUsage] - sources[llmbench.FromTokenizer]
}

// OutputLength claims that replies have the length that was asked for, so that
// two runs compare the same work: at most a share of them differ by more than
// 5 % or 50 tokens, whichever is less.
type OutputLength struct {
	// AtMost is the share of replies that may differ, in [0,1]; 0 is none.
	AtMost float64
}

// RequireOutputLength stops the test unless replies have the length that was asked for.
func RequireOutputLength(t T, r *llmbench.Result, c OutputLength) {
	helper(t)()
	Require(t, r, c)
}

// CheckOutputLength is RequireOutputLength that lets the test go on; it returns
// whether the claim holds.
func CheckOutputLength(t T, r *llmbench.Result, c OutputLength) bool {
	helper(t)()
	return Check(t, r, c)
}

// Check judges the claim.
func (c OutputLength) Check(r *llmbench.Result) Verdict {
	m := about("output length", r)
	if why := wrongShare("OutputLength: AtMost", c.AtMost); why != "" {
		return m.badClaim("%s", why)
	}
	windowRow(m, r)
	st := r.Stats(llmbench.OSLMismatchCount)
	if !st.Mean().Ok() || st.N() == 0 {
		failuresRow(m, r)
		return m.cannot("no samples: %s", absence(st, r))
	}
	differ := int(st.Mean().Or(0))
	osl := r.Stats(llmbench.OSL)
	m.evidence("length", "%s on average, %s to %s", amount(osl.Mean().Or(0), "tokens"),
		amount(osl.Min().Or(0), "tokens"), amount(osl.Max().Or(0), "tokens"))
	text := fmt.Sprintf("%d of %s have not the length asked for", differ, plural(st.N(), "reply"))
	if float64(differ) <= c.AtMost*float64(st.N())+1e-9 {
		return m.verdict(Holds, "%s, want at most %s", text, share(c.AtMost))
	}
	if r.Profile != nil && !r.Profile.Body.IgnoreEOS {
		m.hint("Body.IgnoreEOS: true makes servers that know ignore_eos (vLLM, SGLang, llama.cpp) go on to the length asked for")
	}
	if c.AtMost == 0 {
		return m.verdict(Fails, "%s, want none", text)
	}
	return m.verdict(Fails, "%s, want at most %s", text, share(c.AtMost))
}

// CacheHitRate claims that the server found enough of the prompts in its prefix
// cache: cached tokens / input tokens, over the requests that report both.
type CacheHitRate struct {
	// AtLeast is the share, in (0,1].
	AtLeast float64
}

// RequireCacheHitRate stops the test unless the prefix cache was hit often enough.
func RequireCacheHitRate(t T, r *llmbench.Result, c CacheHitRate) {
	helper(t)()
	Require(t, r, c)
}

// CheckCacheHitRate is RequireCacheHitRate that lets the test go on; it returns
// whether the claim holds.
func CheckCacheHitRate(t T, r *llmbench.Result, c CacheHitRate) bool {
	helper(t)()
	return Check(t, r, c)
}

// Check judges the claim.
func (c CacheHitRate) Check(r *llmbench.Result) Verdict {
	m := about("prefix cache hit rate", r)
	if !(c.AtLeast > 0 && c.AtLeast <= 1) {
		return m.badClaim("CacheHitRate: AtLeast is %v, want > 0 and <= 1", c.AtLeast)
	}
	windowRow(m, r)
	st := r.Stats(llmbench.PrefixCacheHitRate)
	rate, ok := st.Mean().Get()
	if !ok {
		failuresRow(m, r)
		return m.cannot("no samples: %s", absence(st, r))
	}
	if st.N() < r.Counts.OK {
		m.evidence("reported", "%d of %s report their cached tokens", st.N(), plural(r.Counts.OK, "ok request"))
	}
	cached := r.Stats(llmbench.CachedTokens)
	m.evidence("cached", "p50 %s  p90 %s  max %s  (%s)", amount(cached.Quantile(0.5).Or(math.NaN()), "tokens"),
		amount(cached.Quantile(0.9).Or(math.NaN()), "tokens"), amount(cached.Max().Or(math.NaN()), "tokens"), plural(cached.N(), "request"))
	if best, ok := r.Stats(llmbench.TheoreticalPrefixCacheHit).Mean().Get(); ok {
		m.limit("an endless cache would have hit %s of this trace", amount(best, "%"))
	}
	failuresRow(m, r)
	state := Fails
	if rate >= 100*c.AtLeast {
		state = Holds
	}
	observed, wanted := apart(rate, 100*c.AtLeast, "%")
	return m.verdict(state, "prefix cache hit rate is %s, want at least %s", observed, wanted)
}
