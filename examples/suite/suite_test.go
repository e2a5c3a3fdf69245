// Package suite makes claims in testify's suite: one load, and a method for each
// promise, so that each is a test of its own in reports.
package suite

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stretchr/testify/suite"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// A suite runs outside a synctest bubble, so this is a third of a second in real
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

// ServingSuite loads the server once.
type ServingSuite struct {
	suite.Suite
	result *llmbench.Result
}

func (s *ServingSuite) SetupSuite() {
	s.result = llmbench.Run(s.T(), mock.Listen(s.T(), script()), profile)
}

func (s *ServingSuite) TestNoErrors() { assert.RequireNoErrors(s.T(), s.result) }

func (s *ServingSuite) TestComplete() { assert.RequireComplete(s.T(), s.result) }

func (s *ServingSuite) TestTokens() { assert.RequireTokenCounts(s.T(), s.result) }

func TestServingSuite(t *testing.T) { suite.Run(t, new(ServingSuite)) }

// With this variable set the server tells no token counts, which breaks one claim.
const breach = "LLMBENCH_EXAMPLE_BREACH"

// The method of a broken claim fails with the claim's own text, and those beside it
// pass: this runs the test binary once more, against the server that breaks it.
func TestABreachFailsItsOwnMethod(t *testing.T) {
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^TestServingSuite$")
	again.Env = append(os.Environ(), breach+"=1")
	output, err := again.CombinedOutput()
	t.Logf("%s", output)
	require.ErrorAs(t, err, new(*exec.ExitError), "the run fails")
	for _, want := range []string{
		"--- PASS: TestServingSuite/TestNoErrors", "--- PASS: TestServingSuite/TestComplete", "--- FAIL: TestServingSuite/TestTokens",
		"tokens of 20 of 20 ok requests are guessed, want all counted by the server or a tokenizer",
	} {
		require.Contains(t, string(output), want)
	}
}
