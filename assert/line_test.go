package assert

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailing fails on purpose where TestFailuresShowTheLineOfTheTest runs it.
func TestFailing(t *testing.T) {
	if os.Getenv("LLMBENCH_TEST_FAILING") == "" {
		t.Skip("fails on purpose")
	}
	Check(t, nil, NoErrors{})
	CheckNoErrors(t, nil)
	CheckTTFT(t, nil, Ceiling{})
	CheckNoRegression(t, nil, NoRegression{})
	RequireActivePrefill(t, nil, Floor{})
}

// A failure names the line of the test that made the claim, not one of this
// package.
func TestFailuresShowTheLineOfTheTest(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestFailing$")
	cmd.Env = append(os.Environ(), "LLMBENCH_TEST_FAILING=1")
	printed, err := cmd.CombinedOutput()
	require.Error(t, err, "it must fail")
	require.Regexp(t, `(?s)line_test.go:16: .*line_test.go:17: .*line_test.go:18: .*line_test.go:19: .*line_test.go:20: `, string(printed))
	require.NotRegexp(t, `(require|health|latency|rate|regression)\.go:\d`, string(printed))
}
