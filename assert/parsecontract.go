package assert

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	profileKeys  = []string{"arrivals", "requests", "duration", "input", "output", "warmup", "seed", "max_in_flight", "timeout", "classes"}
	classKeys    = []string{"label", "share", "input", "output"}
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
