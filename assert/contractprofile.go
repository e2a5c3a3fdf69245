package assert

import (
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/llmbench/go/llmbench"
)

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
		case "classes":
			profile.Classes = p.classes(f.value)
		}
	}
	if len(p.errs) == before {
		if err := profile.Validate(); err != nil {
			p.fail(n, "%v", err)
		}
	}
	return &profile
}

// classes reads the mix, a list of {label: chat, share: 80%, input: 200 tokens,
// output: 100 tokens}; lengths that are left out are the profile's.
func (p *contractParser) classes(n *yaml.Node) []llmbench.Class {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.fail(n, "classes is no list, want at least one {label: NAME, share: 50%%}")
		return nil
	}
	var all []llmbench.Class
	for _, of := range n.Content {
		var class llmbench.Class
		for _, f := range p.fields(of, "a class", classKeys, nil) {
			switch f.key {
			case "label":
				class.Label = f.value.Value
			case "share":
				class.Share = p.share(f.value, f.key)
			case "input":
				class.Input = p.length(f.value, f.key)
			case "output":
				class.Output = p.length(f.value, f.key)
			}
		}
		if class.Label == "" {
			p.fail(of, "a class has no label, want label: NAME")
		}
		all = append(all, class)
	}
	return all
}

func (p *contractParser) warmup(n *yaml.Node) llmbench.WarmupPart {
	if d, err := time.ParseDuration(n.Value); err == nil && d > 0 {
		return llmbench.WarmupPart{Duration: d}
	}
	return llmbench.WarmupPart{Requests: int(p.quantity(n, "warmup", "requests"))}
}

// arrivals reads "closed 16", "constant 10 req/s", "poisson 40 req/s" and "gamma
// 40 req/s shape 0.25".
func (p *contractParser) arrivals(n *yaml.Node) llmbench.Arrivals {
	kind, rest, _ := strings.Cut(n.Value, " ")
	switch kind {
	case "closed":
		if users, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil {
			return llmbench.Closed(users)
		}
	case "constant", "poisson", "gamma":
		rest, shape, shaped := strings.Cut(rest, " shape ")
		rate, err := quantityOf(rest, "req/s")
		if err != nil {
			p.fail(n, "arrivals: rate is %v", err)
			return nil
		}
		switch {
		case kind == "constant" && !shaped:
			return llmbench.Constant(llmbench.Rate(rate))
		case kind == "poisson" && !shaped:
			return llmbench.Poisson(llmbench.Rate(rate))
		case kind == "gamma" && shaped:
			if v, err := positive(shape); err == nil {
				return llmbench.Gamma(llmbench.Rate(rate), v)
			}
		}
	}
	p.fail(n, `arrivals is %q, want "closed USERS", "constant RATE req/s", "poisson RATE req/s" or "gamma RATE req/s shape SHAPE"`, n.Value)
	return nil
}

// length reads "200 tokens" and "100 to 300 tokens".
func (p *contractParser) length(n *yaml.Node, key string) llmbench.Length {
	text, ok := strings.CutSuffix(n.Value, " tokens")
	low, high, span := strings.Cut(text, " to ")
	from, err := strconv.Atoi(low)
	if ok && err == nil && !span {
		return llmbench.Tokens(from)
	}
	to, err2 := strconv.Atoi(high)
	if ok && err == nil && err2 == nil {
		return llmbench.Uniform(from, to)
	}
	p.fail(n, `%s is %q, want "N tokens" or "N to M tokens"`, key, n.Value)
	return nil
}
