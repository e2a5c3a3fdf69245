package assert

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/llmbench/go/llmbench"
)

// ParseContract reads the text of a contract; file is its name in errors and
// failures.
func ParseContract(file string, text []byte) (*Contract, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("assert: contract %s: %w", file, err)
	}
	p := &contractParser{contract: &Contract{file: file}}
	if len(doc.Content) == 0 {
		p.fail(&yaml.Node{Line: 1}, "file is empty, want contract and claims")
	} else {
		p.file(doc.Content[0])
	}
	if err := errors.Join(p.errs...); err != nil {
		return nil, err
	}
	for _, t := range p.contract.terms {
		p.contract.Claims = append(p.contract.Claims, t)
	}
	return p.contract, nil
}

// A contractParser collects a contract, and every error with its line.
type contractParser struct {
	contract   *Contract
	confidence float64
	errs       []error
}

func (p *contractParser) fail(at *yaml.Node, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("assert: contract %s:%d: %s", p.contract.file, at.Line, fmt.Sprintf(format, args...)))
}

// A field is a key of a mapping with its value.
type field struct {
	key   string
	at    *yaml.Node // the key
	value *yaml.Node
}

// fields lists the keys of a mapping. A key that is not known, or that comes
// twice, is an error; known says which are.
func (p *contractParser) fields(n *yaml.Node, what string, known []string, also func(string) bool) []field {
	if n.Kind != yaml.MappingNode {
		p.fail(n, "%s is no mapping, want keys such as %s", what, strings.Join(known[:min(3, len(known))], ", "))
		return nil
	}
	var all []field
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		f := field{n.Content[i].Value, n.Content[i], n.Content[i+1]}
		switch {
		case seen[f.key]:
			p.fail(f.at, "key %q comes twice", f.key)
		case !slices.Contains(known, f.key) && (also == nil || !also(f.key)):
			p.fail(f.at, "unknown key %q in %s, want one of %s%s", f.key, what, strings.Join(known, ", "), nearest1(f.key, known))
		default:
			all = append(all, f)
		}
		seen[f.key] = true
	}
	return all
}

// nearest1 is didYouMean over a list.
func nearest1(word string, known []string) string {
	set := map[string]bool{}
	for _, k := range known {
		set[k] = true
	}
	return didYouMean(word, set)
}

func (p *contractParser) file(n *yaml.Node) {
	var claims *yaml.Node
	for _, f := range p.fields(n, "the contract", contractKeys, nil) {
		switch f.key {
		case "contract":
			p.contract.Name = f.value.Value
		case "confidence":
			p.confidence = p.share(f.value, "confidence")
		case "profile":
			p.contract.Profile = p.profile(f.value)
		case "claims":
			claims = f.value
		}
	}
	switch {
	case p.contract.Name == "":
		p.fail(n, "contract has no name, want contract: NAME")
	case claims == nil || claims.Kind != yaml.SequenceNode || len(claims.Content) == 0:
		p.fail(n, "contract has no claims, want a list with at least one")
		return
	}
	if claims == nil {
		return
	}
	for _, c := range claims.Content {
		p.claim(c)
	}
}

// claim reads one claim: exactly one key says what kind it is.
func (p *contractParser) claim(n *yaml.Node) {
	before := len(p.errs)
	t := term{file: p.contract.file, line: n.Line}
	keys := map[string]field{}
	var kinds []string
	for _, f := range p.fields(n, "a claim", claimKeys, isStatistic) {
		keys[f.key] = f
		if _, ok := claimKinds[f.key]; ok {
			kinds = append(kinds, f.key)
		}
	}
	if len(p.errs) > before {
		return
	}
	if len(kinds) != 1 {
		p.fail(n, "a claim has %d of the keys %s, want exactly one", len(kinds), strings.Join(sortedKeys(claimKinds), ", "))
		return
	}
	if f, ok := keys["name"]; ok {
		t.name = f.value.Value
	}
	if f, ok := keys["among"]; ok {
		t.class = p.among(f.value)
	}
	kind := claimKinds[kinds[0]]
	for key, f := range keys {
		if key != kinds[0] && key != "name" && key != "among" && !kind.takes(key) {
			p.fail(f.at, "key %q does not go with %s", key, kinds[0])
		}
	}
	claims := kind.read(p, keys[kinds[0]], keys)
	if len(p.errs) > before {
		return
	}
	for _, claim := range claims {
		t.claim = claim
		p.contract.terms = append(p.contract.terms, t)
	}
}

// A claimKind is what one key of a claim means.
type claimKind struct {
	// also are the other keys that go with it, besides name and among.
	also []string
	// limits says that keys of statistics go with it.
	limits bool
	read   func(p *contractParser, of field, keys map[string]field) []Claim
}

func (k claimKind) takes(key string) bool {
	return slices.Contains(k.also, key) || (k.limits && isStatistic(key))
}

func isStatistic(key string) bool {
	_, ok := statNamed(key)
	return ok
}

// The keys of a contract. What reads a file and what writes the schema share
// them.
var (
	contractKeys = []string{"contract", "confidence", "profile", "claims"}
	profileKeys  = []string{"arrivals", "requests", "duration", "input", "output", "warmup", "seed", "max_in_flight", "timeout"}
	amongKeys    = []string{"label", "min_input", "max_input", "min_turn", "max_turn", "cache"}
	goodputTimes = []string{"ttft", "effective_ttft", "tpot", "request_latency", "effective_latency", "max_stall"}
	stallKeys    = []string{"longest", "over", "gaps"}
	claimKeys    = []string{
		"name", "metric", "mean", "min", "max", "p50", "p90", "p95", "p99", "p99.9", "per_input_token", "ok_only",
		"confidence", "among", "k6", "goodput", "vllm_goodput", "rate", "fraction", "mlperf", "error_rate",
		"cache_hit_rate", "no_stall", "claim",
	}
	claimKinds map[string]claimKind
)

func init() {
	claimKinds = map[string]claimKind{
		"metric": {
			also: []string{"per_input_token", "ok_only", "confidence", "k6"}, limits: true,
			read: (*contractParser).metricClaims,
		},
		"goodput":      {also: []string{"confidence"}, read: (*contractParser).goodputClaim},
		"vllm_goodput": {also: []string{"confidence", "rate", "fraction"}, read: (*contractParser).vllmClaim},
		"mlperf":       {also: []string{"confidence"}, read: (*contractParser).mlperfClaims},
		"error_rate": {also: []string{"confidence"}, read: func(p *contractParser, of field, keys map[string]field) []Claim {
			return []Claim{ErrorRate{AtMost: p.share(of.value, "error_rate"), Confidence: p.confidenceOf(keys)}}
		}},
		"cache_hit_rate": {read: func(p *contractParser, of field, _ map[string]field) []Claim {
			return []Claim{CacheHitRate{AtLeast: p.share(of.value, "cache_hit_rate")}}
		}},
		"no_stall": {read: (*contractParser).stallClaim},
		"claim":    {read: (*contractParser).plainClaim},
	}
}

// plainClaims are the claims that need no limit.
var plainClaims = map[string]Claim{
	"no_errors": NoErrors{}, "complete": Complete{}, "token_counts": TokenCounts{}, "output_length": OutputLength{},
	"no_coordinated_omission": NoCoordinatedOmission{}, "unsaturated": Unsaturated{}, "fit_generator": FitGenerator{},
	"littles_law": LittlesLaw{}, "stable_window": StableWindow{}, "steady_state": SteadyState{},
	"agreement": Agreement{},
}

func (p *contractParser) plainClaim(of field, _ map[string]field) []Claim {
	claim, ok := plainClaims[of.value.Value]
	if !ok {
		p.fail(of.value, "unknown claim %q, want one of %s%s", of.value.Value, strings.Join(sortedKeys(plainClaims), ", "), didYouMean(of.value.Value, plainClaims))
	}
	return []Claim{claim}
}

// shortNames are metrics by the names that people type.
var shortNames = map[string]llmbench.Metric{
	"ttft": llmbench.TTFT, "effective_ttft": llmbench.EffectiveTTFT, "tpot": llmbench.TPOT, "itl": llmbench.ITL,
	"icl": llmbench.ICL, "e2el": llmbench.RequestLatency, "isl": llmbench.ISL, "osl": llmbench.OSL,
}

// metricNames are all names of metrics.
var metricNames = func() map[string]llmbench.Metric {
	names := map[string]llmbench.Metric{}
	for _, m := range llmbench.Metrics() {
		names[m.Tag()] = m
	}
	for short, m := range shortNames {
		names[short] = m
	}
	return names
}()

func (p *contractParser) metricClaims(of field, keys map[string]field) []Claim {
	metric, ok := metricNames[of.value.Value]
	if !ok {
		p.fail(of.value, "unknown metric %q%s", of.value.Value, didYouMean(of.value.Value, metricNames))
		return nil
	}
	c := metricClaim{metric: metric, most: metric.Better() != llmbench.Higher}
	for _, key := range sortedKeys(keys) {
		if stat, ok := statNamed(key); ok {
			c.limits = append(c.limits, limit{statistic: stat, value: p.quantity(keys[key].value, key, metric.Unit())})
		}
	}
	c.extra.Confidence = p.confidenceOf(keys)
	if f, ok := keys["ok_only"]; ok {
		c.extra.OKOnly = p.yes(f.value, "ok_only")
	}
	if f, ok := keys["per_input_token"]; ok {
		c.extra.PerInputToken = p.time(f.value, "per_input_token")
	}
	if !c.timed() && (c.extra.PerInputToken != 0 || c.extra.OKOnly || keys["confidence"].value != nil) {
		p.fail(of.at, "per_input_token, ok_only and confidence are for times, and %s is none", metric.Tag())
	}
	var claims []Claim
	if f, ok := keys["k6"]; ok {
		claims = p.k6Claims(metric, f.value)
	}
	if len(c.limits) > 0 {
		claims = append(claims, c)
	}
	if len(claims) == 0 {
		p.fail(of.at, "metric %s has no limit, want at least one such as p99, mean or k6", metric.Tag())
	}
	return claims
}

// k6Claims reads one threshold, or a list of them.
func (p *contractParser) k6Claims(metric llmbench.Metric, n *yaml.Node) []Claim {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	var claims []Claim
	for _, item := range list {
		claim, err := K6(metric, item.Value)
		if err != nil {
			p.fail(item, "%s", strings.TrimPrefix(err.Error(), "assert: "))
			continue
		}
		claims = append(claims, claim)
	}
	return claims
}

func (p *contractParser) goodputClaim(of field, keys map[string]field) []Claim {
	c := Goodput{Confidence: p.confidenceOf(keys)}
	for _, f := range p.fields(of.value, "goodput", append(slices.Clone(goodputTimes), "rate", "fraction"), nil) {
		switch f.key {
		case "ttft":
			c.TTFT = p.time(f.value, f.key)
		case "effective_ttft":
			c.EffectiveTTFT = p.time(f.value, f.key)
		case "tpot":
			c.TPOT = p.time(f.value, f.key)
		case "request_latency":
			c.RequestLatency = p.time(f.value, f.key)
		case "effective_latency":
			c.EffectiveLatency = p.time(f.value, f.key)
		case "max_stall":
			c.MaxStall = p.time(f.value, f.key)
		case "rate":
			c.Rate = llmbench.Rate(p.quantity(f.value, f.key, "req/s"))
		case "fraction":
			c.Fraction = p.share(f.value, f.key)
		}
	}
	if why := c.wrong(); why != "" {
		p.fail(of.at, "%s", why)
	}
	return []Claim{c}
}

func (p *contractParser) vllmClaim(of field, keys map[string]field) []Claim {
	c, err := ParseGoodput(of.value.Value)
	if err != nil {
		p.fail(of.value, "%s", strings.TrimPrefix(err.Error(), "assert: "))
		return nil
	}
	c.Confidence = p.confidenceOf(keys)
	if f, ok := keys["rate"]; ok {
		c.Rate = llmbench.Rate(p.quantity(f.value, "rate", "req/s"))
	}
	if f, ok := keys["fraction"]; ok {
		c.Fraction = p.share(f.value, "fraction")
	}
	if why := c.wrong(); why != "" {
		p.fail(of.at, "%s", why)
	}
	return []Claim{c}
}

func (p *contractParser) mlperfClaims(of field, keys map[string]field) []Claim {
	limits, err := MLPerf(of.value.Value)
	if err != nil {
		p.fail(of.value, "%s", strings.TrimPrefix(err.Error(), "assert: "))
		return nil
	}
	limits.Confidence = p.confidenceOf(keys)
	return limits.Claims()
}

func (p *contractParser) stallClaim(of field, _ map[string]field) []Claim {
	var c NoStall
	for _, f := range p.fields(of.value, "no_stall", stallKeys, nil) {
		switch f.key {
		case "longest":
			c.Longest = p.time(f.value, f.key)
		case "over":
			c.Over = p.time(f.value, f.key)
		case "gaps":
			c.Gaps = p.count(f.value, f.key)
		}
	}
	if why := c.wrong(); why != "" {
		p.fail(of.at, "%s", why)
	}
	return []Claim{c}
}

func (p *contractParser) among(n *yaml.Node) Class {
	var c Class
	for _, f := range p.fields(n, "among", amongKeys, nil) {
		switch f.key {
		case "label":
			c.Label = f.value.Value
		case "min_input":
			c.MinInput = p.count(f.value, f.key)
		case "max_input":
			c.MaxInput = p.count(f.value, f.key)
		case "min_turn":
			c.MinTurn = p.count(f.value, f.key)
		case "max_turn":
			c.MaxTurn = p.count(f.value, f.key)
		case "cache":
			c.Cache = p.cache(f.value)
		}
	}
	if why := c.wrong(); why != "" {
		p.fail(n, "%s", why)
	}
	return c
}

func (p *contractParser) cache(n *yaml.Node) CacheUse {
	switch n.Value {
	case "hit":
		return CacheHit
	case "miss":
		return CacheMiss
	}
	p.fail(n, "cache is %q, want hit or miss", n.Value)
	return AnyCache
}

// confidenceOf is a claim's own confidence, else the contract's.
func (p *contractParser) confidenceOf(keys map[string]field) float64 {
	if f, ok := keys["confidence"]; ok {
		return p.share(f.value, "confidence")
	}
	return p.confidence
}

// profile reads the load.
func (p *contractParser) profile(n *yaml.Node) *llmbench.Profile {
	var profile llmbench.Profile
	before := len(p.errs)
	for _, f := range p.fields(n, "profile", profileKeys, nil) {
		switch f.key {
		case "arrivals":
			profile.Arrivals = p.arrivals(f.value)
		case "requests":
			profile.Requests = p.count(f.value, f.key)
		case "duration":
			profile.Duration = p.time(f.value, f.key)
		case "input":
			profile.Input = p.length(f.value, f.key)
		case "output":
			profile.Output = p.length(f.value, f.key)
		case "warmup":
			profile.Warmup = p.warmup(f.value)
		case "seed":
			profile.Seed = uint64(p.count(f.value, f.key))
		case "max_in_flight":
			profile.MaxInFlight = p.count(f.value, f.key)
		case "timeout":
			profile.Timeout = p.time(f.value, f.key)
		}
	}
	if len(p.errs) == before {
		if _, err := llmbench.Plan(profile); err != nil {
			p.fail(n, "%v", err)
		}
	}
	return &profile
}

func (p *contractParser) warmup(n *yaml.Node) llmbench.WarmupPart {
	if d, err := time.ParseDuration(n.Value); err == nil && d > 0 {
		return llmbench.WarmupPart{Duration: d}
	}
	return llmbench.WarmupPart{Requests: int(p.quantity(n, "warmup", "requests"))}
}
