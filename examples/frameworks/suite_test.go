// Package frameworks shows claims in the tests of other frameworks: testify's
// suite, ginkgo, and rapid. Each of their T's is a T for Run and for claims.
package frameworks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/suite"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// profile is a load of a fraction of a second in real time: a spec of these
// frameworks runs outside a synctest bubble, unless it opens one of its own.
var profile = llmbench.Profile{
	Arrivals: llmbench.Closed(4), Requests: 20,
	Input: llmbench.Tokens(50), Output: llmbench.Tokens(5), Seed: 7,
}

// script answers in 30 ms.
var script = mock.Script{TTFT: 20 * time.Millisecond, ITL: 2 * time.Millisecond}

// ServingSuite loads the server once and has one method for each claim, so that
// each is a test of its own in reports.
type ServingSuite struct {
	suite.Suite
	result *llmbench.Result
}

func (s *ServingSuite) SetupSuite() {
	s.result = llmbench.Run(s.T(), mock.Listen(s.T(), script), profile)
}

func (s *ServingSuite) TestNoErrors() { assert.RequireNoErrors(s.T(), s.result) }

func (s *ServingSuite) TestComplete() { assert.RequireComplete(s.T(), s.result) }

func (s *ServingSuite) TestTokens() { assert.RequireTokenCounts(s.T(), s.result) }

func TestServingSuite(t *testing.T) { suite.Run(t, new(ServingSuite)) }
