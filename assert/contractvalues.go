package assert

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/llmbench/go/llmbench"
)

// quantity reads a limit in the unit of its metric: 500ms, 25k tok/s, 95%, 4k
// tokens. A unit of another kind is an error.
func (p *contractParser) quantity(n *yaml.Node, key, unit string) float64 {
	v, err := quantityOf(n.Value, unit)
	if err != nil {
		p.fail(n, "%s is %v", key, err)
	}
	return v
}

func quantityOf(text, unit string) (float64, error) {
	switch unit {
	case "ms":
		d, err := timeOf(text)
		return llmbench.Millis(d), err
	case "s":
		d, err := timeOf(text)
		return d.Seconds(), err
	case "%":
		v, err := shareOf(text)
		return 100 * v, err
	case "share":
		return shareOf(text)
	}
	number, rest := splitNumber(text)
	v, err := positive(number)
	if err != nil {
		return 0, fmt.Errorf("%q, want a number > 0 with the unit %s", text, orNone(unit))
	}
	factors := map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
	prefix, given, _ := strings.Cut(rest, " ")
	if factor, ok := factors[prefix]; ok && strings.TrimSpace(given) == unit {
		return v * factor, nil
	}
	if rest == unit {
		return v, nil
	}
	return 0, fmt.Errorf("%q, want the unit %s as in %s", text, orNone(unit), example(unit))
}

func orNone(unit string) string {
	if unit == "" {
		return "none"
	}
	return unit
}

// example is a limit as it is written in a unit.
func example(unit string) string {
	return map[string]string{
		"tok/s": "25k tok/s", "req/s": "40 req/s", "tok/s/user": "30 tok/s/user", "tokens": "4k tokens", "requests": "16 requests", "": "3",
	}[unit]
}

// splitNumber parts a number from what follows it, without the space between.
func splitNumber(text string) (number, rest string) {
	end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if end < 0 {
		return text, ""
	}
	rest = text[end:]
	// "25k tok/s" leaves "k tok/s", "40 req/s" leaves "req/s".
	return text[:end], strings.TrimLeft(rest, " ")
}

func (p *contractParser) time(n *yaml.Node, key string) time.Duration {
	d, err := timeOf(n.Value)
	if err != nil {
		p.fail(n, "%s is %v", key, err)
	}
	return d
}

func timeOf(text string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q, want a time > 0 with its unit such as 500ms or 1.5s", text)
	}
	return d, nil
}

// share reads a percentage above 0 %.
func (p *contractParser) share(n *yaml.Node, key string) float64 {
	v, err := shareOf(n.Value)
	if err != nil {
		p.fail(n, "%s is %v", key, err)
	}
	return v
}

func shareOf(text string) (float64, error) {
	number, ok := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number)+"e-2", 64)
	if !ok || err != nil || !(v > 0 && v <= 1) {
		return 0, fmt.Errorf("%q, want a percentage > 0%% and <= 100%% such as 95%%", text)
	}
	return v, nil
}

func (p *contractParser) count(n *yaml.Node, key string) int {
	v, err := strconv.Atoi(n.Value)
	if err != nil || v < 0 {
		p.fail(n, "%s is %q, want a whole number >= 0", key, n.Value)
		return 0
	}
	return v
}

func (p *contractParser) yes(n *yaml.Node, key string) bool {
	switch n.Value {
	case "true":
		return true
	case "false":
		return false
	}
	p.fail(n, "%s is %q, want true or false", key, n.Value)
	return false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
