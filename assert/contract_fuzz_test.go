package assert

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/llmbench/go/llmbench"
)

// A contract file is text that people type: whatever it holds, reading it
// neither panics nor hangs, an error names the file, and what was read can be
// judged and printed.
func FuzzParseContract(f *testing.F) {
	text, err := os.ReadFile("testdata/chat.slo.yaml")
	require.NoError(f, err)
	f.Add(string(text))
	for line := range strings.Lines(string(text)) {
		if body, ok := strings.CutPrefix(line, "- "); ok {
			f.Add("contract: x\nclaims:\n- " + body)
		}
	}
	f.Add("contract: x\nprofile: {arrivals: gamma 5 req/s shape 2, duration: 5s}\nclaims: [{metric: tpot, p99.99: 1h, among: {label: a}}]")
	f.Add("contract: &a\nclaims: [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseContract("x.yaml", []byte(text))
		if err != nil {
			require.Contains(t, err.Error(), "assert: contract x.yaml")
			return
		}
		require.NotEmpty(t, c.Claims)
		for _, claim := range c.Claims {
			require.NotEqual(t, Holds, claim.Check(&llmbench.Result{}).State, "nothing holds of nothing")
		}
		require.NoError(t, yaml.Unmarshal(c.Prometheus(time.Minute), &struct{}{}), "rules are YAML, whatever the names are")
	})
}

// A threshold is text too.
func FuzzK6(f *testing.F) {
	for _, text := range []string{"p(99)<500", "avg>=1e3", "rate<0.01", "med == 5", "p(99.9)<=0.1", "max<NaN"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range []llmbench.Metric{llmbench.TTFT, llmbench.ErrorRate, llmbench.ActivePrefillThroughput} {
			claim, err := K6(m, text)
			if err != nil {
				require.True(t, strings.HasPrefix(err.Error(), "assert: k6: "), "%v", err)
				continue
			}
			require.NotEqual(t, Holds, claim.Check(&llmbench.Result{}).State)
		}
	})
}
