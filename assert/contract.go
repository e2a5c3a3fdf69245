package assert

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/llmbench/go/llmbench"
)

// A Contract is a set of claims that a team agreed on, kept in a file:
//
//	contract: chat
//	confidence: 95%              # for every percentile; left out: as measured
//	profile:                     # optional: the load that the limits are for
//	  arrivals: poisson 40 req/s
//	  duration: 30s
//	  input: 200 tokens
//	  output: 100 tokens
//	  classes:                   # optional: a mix, each class with lengths of its own
//	  - {label: chat, share: 80%}
//	  - {label: batch, share: 20%, input: 2000 to 4000 tokens}
//	claims:
//	- name: first token
//	  metric: ttft               # a tag, or ttft, effective_ttft, tpot, itl, icl, e2el, isl, osl
//	  p99: 500ms
//	  mean: 200ms
//	- name: first token of long prompts
//	  metric: ttft
//	  p95: 300ms
//	  per_input_token: 50us      # on top of every limit
//	  among: {label: chat, min_input: 2000}
//	- metric: active_prefill_throughput
//	  mean: 25k tok/s            # at least, as more of it is better
//	- goodput: {ttft: 500ms, tpot: 50ms, fraction: 95%}
//	- vllm_goodput: "ttft:500 tpot:50"
//	  fraction: 95%
//	- metric: ttft
//	  k6: p(99)<500
//	- mlperf: llama2-70b/interactive
//	- error_rate: 1%
//	- claim: no_coordinated_omission
//
// Limits carry their unit: times (us, ms, s, m), rates (tok/s, req/s,
// tok/s/user), counts (tokens, requests) and shares (%), with k, M and G before
// all but times. contract.schema.json, beside this package, tells editors the
// same.
type Contract struct {
	Name string
	// Claims are those of the file, in its order; a failure of one shows its name
	// and line.
	Claims []Claim
	// Profile is the load of the file; nil if it has none.
	Profile *llmbench.Profile

	file  string
	terms []term
}

// A term is one claim of a contract.
type term struct {
	name  string
	file  string
	line  int
	claim Claim
	class Class
}

// claimName is the name that the file gives it, else that of the claim.
func (t term) claimName() string {
	if t.name != "" {
		return t.name
	}
	return claimName(t.claim)
}

// Check judges the claim.
func (t term) Check(r *llmbench.Result) Verdict {
	v := t.whole().Check(r)
	at := fmt.Sprintf("%s:%d", t.file, t.line)
	if t.name != "" {
		at += " " + t.name
	}
	v.Rows = addRow(v.Rows, Row{"contract", at})
	return v
}

// whole is the claim with its class.
func (t term) whole() Claim {
	if t.class == (Class{}) {
		return t.claim
	}
	return Among(t.class, t.claim)
}

// addRow puts a row behind the first one, the window; the least telling
// evidence goes where there is no room.
func addRow(rows []Row, row Row) []Row {
	if len(rows) == 0 {
		return []Row{row}
	}
	all := append([]Row{rows[0], row}, rows[1:]...)
	if len(all) > maxRows {
		all = append(all[:2], all[3:]...)
	}
	return all
}

// LoadContract reads a contract file. Its errors name the file, the line, what
// is wrong there and, for an unknown word, the nearest that is known; one for
// each claim that is wrong. A test that runs the contract's Profile has read the
// file then, and holds the result to it by Require(t, result, contract.Claims...);
// [RequireContract] is for a test that has a load of its own.
func LoadContract(path string) (*Contract, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("assert: contract: %w", err)
	}
	return ParseContract(filepath.ToSlash(path), text)
}

// RequireContract stops the test unless every claim of the contract file holds.
// A file that cannot be read fails the test.
func RequireContract(t T, r *llmbench.Result, path string) {
	helper(t)()
	contract, err := LoadContract(path)
	if err != nil {
		t.Errorf("%v", err)
		t.FailNow()
		return
	}
	Require(t, r, contract.Claims...)
}

// CheckContract is RequireContract that lets the test go on; it returns whether
// every claim holds.
func CheckContract(t T, r *llmbench.Result, path string) bool {
	helper(t)()
	contract, err := LoadContract(path)
	if err != nil {
		t.Errorf("%v", err)
		return false
	}
	return Check(t, r, contract.Claims...)
}

// A metricClaim limits any metric, whichever way it is better.
type metricClaim struct {
	metric llmbench.Metric
	limits []limit
	// most says that the limits are from above.
	most  bool
	extra Ceiling // the fields that are no limits
}

func (c metricClaim) claimName() string { return c.metric.Tag() }

// Check judges the claim.
func (c metricClaim) Check(r *llmbench.Result) Verdict {
	if c.timed() {
		return times{"limit", c.limits, c.extra.Confidence, c.extra.PerInputToken, c.extra.OKOnly}.judge(c.metric, r)
	}
	return judgeNumber(c.metric, r, numbers{kind: "limit", limits: c.limits, least: !c.most})
}

// timed reports whether the metric is a latency, with one sample per request or
// gap.
func (c metricClaim) timed() bool {
	return c.most && c.metric.Unit() == "ms"
}
