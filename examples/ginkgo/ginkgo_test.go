// Package ginkgo makes claims in ginkgo's specs: GinkgoT is a T for Run and for
// claims. One load, and a spec for each promise.
package ginkgo

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// The specs run outside a synctest bubble, so this is a third of a second in real
// time.
var profile = llmbench.Profile{
	Arrivals: llmbench.Closed(4), Requests: 20,
	Input: llmbench.Tokens(50), Output: llmbench.Tokens(5), Seed: 7,
}

// script answers in 30 ms.
func script() mock.Script {
	s := mock.Script{TTFT: 20 * time.Millisecond, ITL: 2 * time.Millisecond}
	if os.Getenv(breach) != "" {
		s.Usage = mock.UsageNever
	}
	return s
}

var _ = ginkgo.Describe("the server", ginkgo.Ordered, func() {
	var result *llmbench.Result

	ginkgo.BeforeAll(func() {
		t := ginkgo.GinkgoT()
		result = llmbench.Run(t, mock.Listen(t, script()), profile)
	})

	ginkgo.It("answers everybody", func() {
		assert.RequireNoErrors(ginkgo.GinkgoT(), result)
		assert.RequireComplete(ginkgo.GinkgoT(), result)
	})

	ginkgo.It("counts its tokens", func() {
		assert.RequireTokenCounts(ginkgo.GinkgoT(), result)
	})
})

func TestServingSpecs(t *testing.T) { ginkgo.RunSpecs(t, "serving") }

// With this variable set the server tells no token counts, which breaks one claim.
const breach = "LLMBENCH_EXAMPLE_BREACH"

// The spec of a broken claim fails with the claim's own text, and the one beside it
// passes: this runs the test binary once more, against the server that breaks it.
func TestABreachFailsItsOwnSpec(t *testing.T) {
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^TestServingSpecs$", "-ginkgo.no-color")
	again.Env = append(os.Environ(), breach+"=1")
	output, err := again.CombinedOutput()
	t.Logf("%s", output)
	require.ErrorAs(t, err, new(*exec.ExitError), "the run fails")
	for _, want := range []string{
		"[FAIL] the server [It] counts its tokens", "1 Passed | 1 Failed",
		"tokens of 20 of 20 ok requests are guessed, want all counted by the server or a tokenizer",
	} {
		require.Contains(t, string(output), want)
	}
}
