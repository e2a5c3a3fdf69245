package slo

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// A release that decodes at half the speed breaks what is about decode and no
// more; each broken promise names its line in the file. Check judges without
// failing the test.
func TestABreachNamesItsPromise(t *testing.T) {
	c, err := assert.LoadContract(contract)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		slow := mock.Script{TTFT: 60 * time.Millisecond, ITL: 31 * time.Millisecond}
		result := llmbench.Run(t, mock.Start(t, slow), *c.Profile)
		var broken []string
		for _, claim := range c.Claims {
			if verdict := claim.Check(result); verdict.State != assert.Holds {
				t.Logf("%v", verdict)
				broken = append(broken, promise(verdict))
			}
		}
		require.Equal(t, []string{contract + ":20 the promise to customers"}, broken)
	})
}

// promise is the row of a verdict that names the promise and its line.
func promise(v assert.Verdict) string {
	for _, row := range v.Rows {
		if row.Label == "contract" {
			return row.Value
		}
	}
	return "no row names the contract"
}

// A misspelt file is refused with every fault, its line and a way out, so that
// no promise is lost by a slip of the keyboard.
func TestASlipIsAnError(t *testing.T) {
	_, err := assert.LoadContract("testdata/misspelt.slo.yaml")
	require.EqualError(t, err, `assert: contract testdata/misspelt.slo.yaml:4: unknown metric "tfft"; did you mean ttft?
assert: contract testdata/misspelt.slo.yaml:8: p99 is "25", want a time > 0 with its unit such as 500ms or 1.5s`)
}
