package assert

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/llmbench/go/llmbench"
)

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
