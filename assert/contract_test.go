package assert

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

func TestContractSaysWhatItsFileSays(t *testing.T) {
	c, err := LoadContract("testdata/chat.slo.yaml")
	require.NoError(t, err)
	require.Equal(t, "chat", c.Name)
	require.Equal(t, &llmbench.Profile{
		Arrivals: llmbench.Closed(16), Requests: 200, Input: llmbench.Tokens(200), Output: llmbench.Tokens(100),
		Warmup: llmbench.WarmupPart{Requests: 16}, Seed: 7,
	}, c.Profile)

	const file = "testdata/chat.slo.yaml"
	ttft := func(limits ...limit) metricClaim {
		return metricClaim{metric: llmbench.TTFT, most: true, limits: limits}
	}
	sure := Ceiling{Confidence: 0.95}
	first := ttft(limit{statistic: mean, value: 1000}, limit{statistic: pth("p99", 0.99), value: 90})
	first.extra = sure
	linear := ttft(limit{statistic: pth("p95", 0.95), value: 50})
	linear.extra = Ceiling{Confidence: 0.9, PerInputToken: 100 * time.Microsecond, OKOnly: true}
	require.Equal(t, []Claim{
		term{"first token", file, 11, first, Class{}},
		term{"first token by prompt", file, 15, linear, Class{}},
		term{"short prompts", file, 21, metricClaim{
			metric: llmbench.TPOT, most: true, limits: []limit{{statistic: statistic{"P999", " p99.9", 0.999}, value: 15}}, extra: sure,
		}, Class{MinInput: 1, MaxInput: 1000}},
		term{"", file, 25, metricClaim{metric: llmbench.ActivePrefillThroughput, limits: []limit{{statistic: mean, value: 40_000}}, extra: sure}, Class{}},
		term{"", file, 27, metricClaim{metric: llmbench.EffectiveConcurrency, most: true, limits: []limit{{statistic: high, value: 15}}, extra: sure}, Class{}},
		term{"", file, 29, metricClaim{metric: llmbench.PrefixCacheHitRate, limits: []limit{{statistic: mean, value: 20}}, extra: sure}, Class{}},
		term{"", file, 31, ttft(limit{statistic: pth("p99", 0.99), value: 100, strict: true}), Class{}},
		term{"", file, 31, ttft(limit{statistic: mean, value: 100}), Class{}},
		term{"", file, 33, Goodput{TTFT: 90 * ms, TPOT: 25 * ms, Fraction: 0.95, Confidence: 0.95}, Class{}},
		term{"", file, 34, Goodput{TTFT: 90 * ms, TPOT: 25 * ms, Rate: 10, Confidence: 0.95}, Class{}},
		term{"", file, 36, TTFT{P99: 2 * time.Second, Confidence: 0.95}, Class{}},
		term{"", file, 36, TPOT{P99: 200 * ms, Confidence: 0.95}, Class{}},
		term{"", file, 37, ErrorRate{AtMost: 0.01, Confidence: 0.95}, Class{}},
		term{"", file, 38, CacheHitRate{AtLeast: 0.5}, Class{}},
		term{"", file, 39, NoStall{Longest: 10 * ms, Over: 5 * ms, Gaps: 3}, Class{}},
		term{"", file, 40, NoCoordinatedOmission{}, Class{}},
		term{"", file, 41, NoErrors{}, Class{}},
	}, c.Claims)
}

// The failures of a whole contract, as one test shows them.
func TestContractTexts(t *testing.T) {
	r := steady(t)
	seen := watch("TestServing", func(t T) { RequireContract(t, r, "testdata/chat.slo.yaml") })
	require.True(t, seen.stopped)
	for _, text := range seen.errors {
		checkForm(t, text)
		require.Contains(t, text, "\n  contract   testdata/chat.slo.yaml:", "each says where it is written")
	}
	golden(t, "contract", strings.Join(seen.errors, "\n\n"))

	held := true
	seen = watch("TestServing", func(t T) { held = CheckContract(t, r, "testdata/chat.slo.yaml") })
	require.False(t, held || seen.stopped)
	seen = watch("TestServing", func(t T) { held = CheckContract(t, r, "testdata/none.yaml") })
	require.False(t, held)
	require.Equal(t, []string{"assert: contract: open testdata/none.yaml: no such file or directory"}, seen.errors)
	require.True(t, watch("TestServing", func(t T) { RequireContract(t, r, "testdata/none.yaml") }).stopped)
}

// The errors of a file: line, what is wrong, and the nearest word.
func TestContractErrors(t *testing.T) {
	const head = "contract: x\nclaims:\n"
	for _, c := range []struct{ why, text, want string }{
		{"nothing", "", "x.yaml:1: file is empty, want contract and claims"},
		{"no YAML", "a: [", "x.yaml: yaml:"},
		{"a list", "- a", "x.yaml:1: the contract is no mapping, want keys such as contract, confidence, profile"},
		{"no name", "claims: [{claim: no_errors}]", "x.yaml:1: contract has no name, want contract: NAME"},
		{"no claims", "contract: x", "x.yaml:1: contract has no claims, want a list with at least one"},
		{"empty claims", "contract: x\nclaims: []", "x.yaml:1: contract has no claims, want a list with at least one"},
		{"a key of the file", "contract: x\nclaim: []", "x.yaml:2: unknown key \"claim\" in the contract, want one of contract, confidence, profile, claims; did you mean claims?"},
		{"a key twice", head + "- {claim: no_errors, claim: complete}", "x.yaml:3: key \"claim\" comes twice"},
		{"a key of a claim", head + "- metric: ttft\n  p99: 1s\n  confidance: 95%", "; did you mean confidence?"},
		{"a percentile that is none", head + "- metric: ttft\n  p100: 1s", "x.yaml:4: unknown key \"p100\" in a claim"},
		{"no kind", head + "- name: a", "x.yaml:3: a claim has 0 of the keys cache_hit_rate, claim, error_rate, goodput, metric, mlperf, no_stall, vllm_goodput, want exactly one"},
		{"two kinds", head + "- {metric: ttft, p99: 1s, error_rate: 1%}", "x.yaml:3: a claim has 2 of the keys"},
		{"a key of another kind", head + "- {error_rate: 1%, p99: 1s}", "x.yaml:3: key \"p99\" does not go with error_rate"},
		{"a metric", head + "- {metric: time_to_frist_token, p99: 1s}", "x.yaml:3: unknown metric \"time_to_frist_token\"; did you mean time_to_first_token?"},
		{"a short metric", head + "- {metric: ttfs, p99: 1s}", "x.yaml:3: unknown metric \"ttfs\"; did you mean ttft?"},
		{"a metric without a limit", head + "- {metric: ttft}", "x.yaml:3: metric time_to_first_token has no limit, want at least one such as p99, mean or k6"},
		{"a time without a unit", head + "- metric: ttft\n  p99: 500", "x.yaml:4: p99 is \"500\", want a time > 0 with its unit such as 500ms or 1.5s"},
		{"a negative time", head + "- metric: ttft\n  p99: -1s", "x.yaml:4: p99 is \"-1s\", want a time > 0"},
		{"a rate for a time", head + "- metric: ttft\n  p99: 25k tok/s", "x.yaml:4: p99 is \"25k tok/s\", want a time > 0"},
		{"a time for a rate", head + "- metric: active_prefill_throughput\n  mean: 5s", "x.yaml:4: mean is \"5s\", want the unit tok/s as in 25k tok/s"},
		{"another rate", head + "- metric: active_prefill_throughput\n  mean: 25k req/s", "want the unit tok/s as in 25k tok/s"},
		{"no number", head + "- metric: active_prefill_throughput\n  mean: many tok/s", "want a number > 0 with the unit tok/s"},
		{"a share without %", head + "- error_rate: 0.01", "x.yaml:3: error_rate is \"0.01\", want a percentage > 0% and <= 100% such as 95%"},
		{"more than all", head + "- error_rate: 101%", "x.yaml:3: error_rate is \"101%\""},
		{"a confidence for a rate", head + "- {metric: active_prefill_throughput, mean: 1 tok/s, confidence: 95%}", "per_input_token, ok_only and confidence are for times"},
		{"a claim's name", head + "- claim: no_error", "x.yaml:3: unknown claim \"no_error\", want one of agreement, complete, fit_generator"},
		{"a benchmark", head + "- mlperf: llama2-70b", "x.yaml:3: mlperf: unknown benchmark \"llama2-70b\""},
		{"k6", head + "- metric: ttft\n  k6: p(99)=500", "x.yaml:4: k6: threshold is \"p(99)=500\""},
		{"goodput without a limit", head + "- goodput: {fraction: 95%}", "x.yaml:3: Goodput sets no limit"},
		{"a time of goodput", head + "- goodput: {ttft: 500, fraction: 95%}", "x.yaml:3: ttft is \"500\", want a time"},
		{"vLLM's goodput", head + "- {vllm_goodput: \"tft:500\", fraction: 95%}", "x.yaml:3: goodput: unknown name \"tft\", want ttft, tpot or e2el; did you mean ttft?"},
		{"a stall", head + "- no_stall: {gaps: 3}", "x.yaml:3: NoStall: Longest and Over are both 0"},
		{"a class", head + "- {claim: no_errors, among: {lable: a}}", "unknown key \"lable\" in among, want one of label, min_input, max_input, min_turn, max_turn, cache; did you mean label?"},
		{"a cache", head + "- {claim: no_errors, among: {cache: warm}}", "x.yaml:3: cache is \"warm\", want hit or miss"},
		{"bounds that cross", head + "- {claim: no_errors, among: {min_input: 5, max_input: 3}}", "x.yaml:3: Class: MinInput is 5 and MaxInput 3"},
		{"arrivals", "contract: x\nprofile: {arrivals: open 5, requests: 5}\nclaims: [{claim: no_errors}]", "x.yaml:2: arrivals is \"open 5\", want \"closed USERS\", \"constant RATE req/s\", \"poisson RATE req/s\" or \"gamma RATE req/s shape SHAPE\""},
		{"a shape that is none", "contract: x\nprofile: {arrivals: gamma 5 req/s shape 0, requests: 5}\nclaims: [{claim: no_errors}]", "x.yaml:2: arrivals is \"gamma 5 req/s shape 0\""},
		{"a shape of even gaps", "contract: x\nprofile: {arrivals: constant 5 req/s shape 1, requests: 5}\nclaims: [{claim: no_errors}]", "x.yaml:2: arrivals is \"constant 5 req/s shape 1\""},
		{"a rate of arrivals", "contract: x\nprofile: {arrivals: poisson 5, requests: 5}\nclaims: [{claim: no_errors}]", "x.yaml:2: arrivals: rate is \"5\", want the unit req/s as in 40 req/s"},
		{"a length", "contract: x\nprofile: {input: 5, requests: 5}\nclaims: [{claim: no_errors}]", "x.yaml:2: input is \"5\", want \"N tokens\" or \"N to M tokens\""},
		{"a mix that is none", "contract: x\nprofile: {requests: 5, classes: chat}\nclaims: [{claim: no_errors}]", "x.yaml:2: classes is no list, want at least one {label: NAME, share: 50%}"},
		{"a mix of nothing", "contract: x\nprofile: {requests: 5, classes: []}\nclaims: [{claim: no_errors}]", "x.yaml:2: classes is no list"},
		{"a class without a label", "contract: x\nprofile: {requests: 5, classes: [{share: 50%}]}\nclaims: [{claim: no_errors}]", "x.yaml:2: a class has no label, want label: NAME"},
		{"a class without a share", "contract: x\nprofile: {requests: 5, classes: [{label: a}]}\nclaims: [{claim: no_errors}]", "x.yaml:2: llmbench: profile: Classes[0].Share is 0"},
		{"a share of a class", "contract: x\nprofile: {requests: 5, classes: [{label: a, share: 5}]}\nclaims: [{claim: no_errors}]", "x.yaml:2: share is \"5\", want a percentage"},
		{"a key of a class", "contract: x\nprofile: {requests: 5, classes: [{label: a, shares: 5%}]}\nclaims: [{claim: no_errors}]", "x.yaml:2: unknown key \"shares\" in a class"},
		{"a load that cannot be", "contract: x\nprofile: {input: 5 tokens}\nclaims: [{claim: no_errors}]", "x.yaml:2: llmbench: profile: Requests and Duration are both 0"},
		{"yes", head + "- {metric: ttft, p99: 1s, ok_only: yes}", "x.yaml:3: ok_only is \"yes\", want true or false"},
	} {
		_, err := ParseContract("x.yaml", []byte(c.text))
		require.ErrorContains(t, err, "assert: contract x.yaml", c.why)
		require.ErrorContains(t, err, c.want, c.why)
	}
	_, err := ParseContract("x.yaml", []byte(head+"- error_rate: 1\n- error_rate: 2"))
	require.ErrorContains(t, err, "x.yaml:3:")
	require.ErrorContains(t, err, "x.yaml:4:", "every claim that is wrong is named, not the first alone")
}

func TestContractArrivals(t *testing.T) {
	for text, want := range map[string]llmbench.Arrivals{
		"closed 16": llmbench.Closed(16), "constant 10 req/s": llmbench.Constant(10), "poisson 1.5k req/s": llmbench.Poisson(1500),
		"gamma 40 req/s shape 0.25": llmbench.Gamma(40, 0.25),
	} {
		c, err := ParseContract("x.yaml", []byte("contract: x\nprofile: {arrivals: "+text+", duration: 20s, input: 10 to 20 tokens, warmup: 2s}\nclaims: [{claim: no_errors}]"))
		require.NoError(t, err, text)
		require.Equal(t, want, c.Profile.Arrivals)
		require.Equal(t, llmbench.Uniform(10, 20), c.Profile.Input)
		require.Equal(t, 2*time.Second, c.Profile.Warmup.Duration)
	}
}

func TestQuantityOf(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64
	}{
		{"500ms", "ms", 500}, {"1.5s", "ms", 1500}, {"1m", "ms", 60_000}, {"50us", "ms", 0.05}, {"2s", "s", 2}, {"15 ms", "ms", 15},
		{"25k tok/s", "tok/s", 25_000}, {"25 tok/s", "tok/s", 25}, {"0.5M tok/s", "tok/s", 500_000}, {"1G tokens", "tokens", 1e9},
		{"30 tok/s/user", "tok/s/user", 30}, {"40 req/s", "req/s", 40}, {"16 requests", "requests", 16}, {"3", "", 3}, {"3k", "", 3000},
		{"95%", "%", 95}, {"95 %", "share", 0.95}, {"0.1%", "share", 0.001},
	} {
		got, err := quantityOf(c.text, c.unit)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
	}
	for _, c := range []struct{ text, unit string }{
		{"25ktok/s", "tok/s"}, {"25m tok/s", "tok/s"}, {"1e3 tok/s", "tok/s"}, {"-1 tok/s", "tok/s"}, {"0 tok/s", "tok/s"}, {"", "tok/s"}, {"NaN", ""}, {"Inf", ""}, {"0%", "%"},
	} {
		_, err := quantityOf(c.text, c.unit)
		require.Error(t, err, c.text)
	}
}

// What a claim is among, the load of the same file can make.
func TestContractOfAMix(t *testing.T) {
	c, err := ParseContract("x.yaml", []byte("contract: x\n"+
		"profile: {arrivals: closed 2, requests: 40, output: 3 tokens, seed: 7, classes: [{label: chat, share: 75%, input: 20 tokens}, {label: batch, share: 25%, input: 400 to 500 tokens, output: 2 tokens}]}\n"+
		"claims: [{claim: complete, among: {label: chat}}, {metric: isl, min: 400 tokens, among: {label: batch}}, {claim: complete, among: {label: vision}}]"))
	require.NoError(t, err)
	require.Equal(t, []llmbench.Class{
		{Label: "chat", Share: 0.75, Input: llmbench.Tokens(20)},
		{Label: "batch", Share: 0.25, Input: llmbench.Uniform(400, 500), Output: llmbench.Tokens(2)},
	}, c.Profile.Classes)
	result := run(t, mock.Script{TTFT: 10 * ms, ITL: ms}, *c.Profile)
	require.Equal(t, Holds, Judge(c.Claims[0], result).State)
	v := Judge(c.Claims[2], result)
	require.Equal(t, CannotJudge, v.State)
	require.Contains(t, v.Line, "labels are batch, chat")
}

func TestPrometheusRules(t *testing.T) {
	c, err := LoadContract("testdata/chat.slo.yaml")
	require.NoError(t, err)
	text := c.Prometheus(5 * time.Minute)
	golden(t, "contract.rules", strings.TrimSuffix(string(text), "\n"))

	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct{ Alert, Expr, For string }
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &rules), "it is YAML")
	seen := map[string]bool{}
	for _, r := range rules.Groups[0].Rules {
		require.False(t, seen[r.Alert], "alerts have names of their own")
		seen[r.Alert] = true
		require.Equal(t, strings.Count(r.Expr, "("), strings.Count(r.Expr, ")"))
		require.Equal(t, "300s", r.For)
	}
	// No claim is left out: each limit is a rule or a comment.
	require.Equal(t, 1+len(rules.Groups[0].Rules)+bytes.Count(text, []byte("no rule, as")), 1+18)

	none, err := ParseContract("x", []byte("contract: x\nclaims: [{claim: no_errors}]"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(none.Prometheus(time.Second), &rules))
}

func TestMLPerf(t *testing.T) {
	for name, want := range map[string][2]int{
		"llama2-70b/server": {2000, 200}, "llama2-70b/interactive": {450, 40},
		"llama3.1-8b/server": {2000, 100}, "llama3.1-8b/interactive": {500, 30},
		"llama3.1-405b/server": {6000, 175}, "llama3.1-405b/interactive": {4500, 80},
		"deepseek-r1/server": {2000, 80}, "deepseek-r1/interactive": {1500, 15},
		"mixtral-8x7b/server": {2000, 200},
	} {
		limits, err := MLPerf(name)
		require.NoError(t, err, name)
		require.Equal(t, MLPerfLimits{TTFT: time.Duration(want[0]) * ms, TPOT: time.Duration(want[1]) * ms}, limits, name)
	}
	require.Len(t, mlperf, 9)
	_, err := MLPerf("lama2-70b/server")
	require.ErrorContains(t, err, "did you mean llama2-70b/server?")

	limits := MLPerfLimits{TTFT: 100 * ms, TPOT: 20 * ms, Confidence: 0.95}
	r := steady(t) // 200 requests, and p99 needs 299
	require.Equal(t, CannotJudge, limits.Claims()[0].Check(r).State)
	limits.Confidence = 0
	for _, claim := range limits.Claims() {
		require.Equal(t, Holds, claim.Check(r).State, "%s", claim.Check(r))
	}
}

func TestK6(t *testing.T) {
	r := steady(t) // every TTFT is 100 ms
	for _, c := range []struct {
		metric    llmbench.Metric
		threshold string
		want      State
	}{
		{llmbench.TTFT, "p(99)<100.1", Holds},
		{llmbench.TTFT, "p(99)<100", Fails},
		{llmbench.TTFT, "p(99)<=100", Holds},
		{llmbench.TTFT, " p( 99.9 ) <= 100 ", Holds},
		{llmbench.TTFT, "med<=99", Fails},
		{llmbench.TTFT, "max<1e3", Holds},
		{llmbench.ActivePrefillThroughput, "avg>30769", Holds},
		{llmbench.ActivePrefillThroughput, "avg>30770", Fails},
		{llmbench.ErrorRate, "rate<0.01", Holds},
		{llmbench.CachedTokens, "avg<5", CannotJudge}, // k6 holds of a metric that was never seen
	} {
		claim, err := K6(c.metric, c.threshold)
		require.NoError(t, err, c.threshold)
		require.Equal(t, c.want, claim.Check(r).State, "%s:\n%s", c.threshold, claim.Check(r))
	}
	golden(t, "k6", failure(t, r, mustK6(t, llmbench.TTFT, "p(99)<100")))
	quarter := made(t, append(ttfts(1, 2, 3), failed(1)...)...)
	require.Equal(t, Fails, mustK6(t, llmbench.ErrorRate, "rate<0.25").Check(quarter).State)
	require.Equal(t, Holds, mustK6(t, llmbench.ErrorRate, "rate<=0.25").Check(quarter).State)

	for threshold, want := range map[string]string{
		"p(99)":       `assert: k6: threshold is "p(99)", want an aggregation, an operator and a number such as p(99)<500`,
		"p(99)<500ms": `assert: k6: threshold is "p(99)<500ms", want an aggregation`,
		"p(99)==500":  "assert: k6: operator of \"p(99)==500\" is ==, want <, <=, > or >=",
		"p(99)!=500":  "is !=, want",
		"p(101)<500":  "assert: k6: aggregation of \"p(101)<500\" is p(101), want avg, min, max, med, p(N) or rate",
		"count<5":     "aggregation of \"count<5\" is count",
		"avg<0":       `assert: k6: limit of "avg<0" is "0", want a number > 0`,
		"avg>5":       "wants a time to be long",
		"rate<0.1":    "is on time_to_first_token, want rate on request_error_rate only",
	} {
		_, err := K6(llmbench.TTFT, threshold)
		require.ErrorContains(t, err, want, threshold)
	}
	_, err := K6(llmbench.ErrorRate, "rate>0.1")
	require.ErrorContains(t, err, "wants errors")
	_, err = K6(llmbench.ErrorRate, "rate<1")
	require.ErrorContains(t, err, "want a share < 1")
}

func mustK6(t *testing.T, m llmbench.Metric, threshold string) Claim {
	t.Helper()
	claim, err := K6(m, threshold)
	require.NoError(t, err)
	return claim
}

// The schema that editors read knows the keys that the parser knows, and the
// metrics of the catalogue; LLMBENCH_UPDATE=1 writes it anew.
func TestContractSchema(t *testing.T) {
	text, err := json.MarshalIndent(schema(), "", "  ")
	require.NoError(t, err)
	text = append(text, '\n')
	if os.Getenv("LLMBENCH_UPDATE") != "" {
		require.NoError(t, os.WriteFile("contract.schema.json", text, 0o644))
	}
	have, err := os.ReadFile("contract.schema.json")
	require.NoError(t, err)
	require.Equal(t, string(text), string(have), "LLMBENCH_UPDATE=1 brings the schema up to date")
}

type object = map[string]any

// schema is JSON Schema of a contract file, made of the parser's own tables.
func schema() object {
	text := func(pattern, example string) object {
		return object{"type": "string", "pattern": pattern, "examples": []string{example}}
	}
	share, span := text(`^[0-9.]+ ?%$`, "95%"), text(`^[0-9.]+ ?(ns|us|µs|ms|s|m|h)$`, "500ms")
	quantity := object{"type": []string{"string", "number"}, "examples": []string{"500ms", "25k tok/s", "95%"}}
	count := object{"type": "integer", "minimum": 0}
	plain := object{"type": "string"}
	of := func(keys []string, types map[string]object, required ...string) object {
		properties := object{}
		for _, key := range keys {
			properties[key] = types[key]
			if types[key] == nil {
				panic("no schema for key " + key)
			}
		}
		o := object{"type": "object", "properties": properties, "additionalProperties": false}
		if len(required) > 0 {
			o["required"] = required
		}
		return o
	}
	goodput := map[string]object{"rate": quantity, "fraction": share}
	for _, key := range goodputTimes {
		goodput[key] = span
	}
	claim := of(claimKeys, map[string]object{
		"name": plain, "metric": {"type": "string", "enum": sortedKeys(metricNames)},
		"mean": quantity, "min": quantity, "max": quantity, "p50": quantity, "p90": quantity, "p95": quantity, "p99": quantity, "p99.9": quantity,
		"per_input_token": span, "ok_only": {"type": "boolean"}, "confidence": share,
		"among": of(amongKeys, map[string]object{
			"label": plain, "min_input": count, "max_input": count, "min_turn": count, "max_turn": count, "cache": {"enum": []string{"hit", "miss"}},
		}),
		"k6":      {"oneOf": []object{plain, {"type": "array", "items": plain}}},
		"goodput": of(append(append([]string{}, goodputTimes...), "rate", "fraction"), goodput), "vllm_goodput": plain,
		"rate": quantity, "fraction": share, "mlperf": {"enum": sortedKeys(mlperf)}, "error_rate": share, "cache_hit_rate": share,
		"no_stall": of(stallKeys, map[string]object{"longest": span, "over": span, "gaps": count}),
		"claim":    {"enum": sortedKeys(plainClaims)},
	})
	claim["patternProperties"] = object{`^p[0-9]+(\.[0-9]+)?$`: quantity}
	var kinds []object
	for _, key := range sortedKeys(claimKinds) {
		kinds = append(kinds, object{"required": []string{key}})
	}
	claim["oneOf"] = kinds
	length := text(`^[0-9]+( to [0-9]+)? tokens$`, "200 tokens")
	profile := of(profileKeys, map[string]object{
		"arrivals": text(`^(closed [0-9]+|(constant|poisson) [0-9.]+[kM]? ?req/s|gamma [0-9.]+[kM]? ?req/s shape [0-9.]+)$`, "poisson 40 req/s"),
		"requests": count, "duration": span, "input": text(`^[0-9]+( to [0-9]+)? tokens$`, "200 tokens"),
		"output": text(`^[0-9]+( to [0-9]+)? tokens$`, "100 tokens"), "warmup": quantity, "seed": count, "max_in_flight": count, "timeout": span,
		"classes": {"type": "array", "minItems": 1, "items": of(classKeys, map[string]object{
			"label": plain, "share": share, "input": length, "output": length,
		}, "label", "share")},
	})
	root := of(contractKeys, map[string]object{
		"contract": plain, "confidence": share, "profile": profile, "claims": {"type": "array", "minItems": 1, "items": claim},
	}, "contract", "claims")
	root["$schema"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "llmbench contract"
	return root
}
