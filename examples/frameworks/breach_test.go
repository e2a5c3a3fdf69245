package frameworks

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/mock"
)

// With this variable set the server of this package tells no token counts, which
// breaks one claim of the suite and one of the specs.
const breach = "LLMBENCH_EXAMPLE_BREACH"

func init() {
	if os.Getenv(breach) != "" {
		script.Usage = mock.UsageNever
	}
}

// What matters of a framework is how a broken claim looks in it: the test of that
// claim fails with the claim's own text, and the tests beside it pass. This
// runs the package's own binary once more, against the server that breaks it.
func TestABreachFailsItsOwnTestAlone(t *testing.T) {
	const text = "tokens of 20 of 20 ok requests are guessed, want all counted by the server or a tokenizer"
	for _, framework := range []struct {
		test string
		want []string
	}{
		{"TestServingSuite", []string{
			"--- PASS: TestServingSuite/TestNoErrors", "--- PASS: TestServingSuite/TestComplete", "--- FAIL: TestServingSuite/TestTokens",
		}},
		{"TestServingSpecs", []string{"[FAIL] the server [It] counts its tokens", "1 Passed | 1 Failed"}},
	} {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^"+framework.test+"$", "-ginkgo.no-color")
		command.Env = append(os.Environ(), breach+"=1")
		output, err := command.CombinedOutput()
		t.Logf("%s", output)
		require.ErrorAs(t, err, new(*exec.ExitError), "the run fails")
		for _, want := range append(framework.want, text) {
			require.Contains(t, string(output), want)
		}
	}
}
