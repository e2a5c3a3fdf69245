package serving

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// A workflow is what a recipe may say, in GitHub's words.
type workflow struct {
	On   any
	Jobs map[string]struct {
		RunsOn any `yaml:"runs-on"`
		Env    map[string]string
		Steps  []step
	}
}

type step struct {
	Uses, Run, If string
	With          map[string]string
}

// Every block of YAML that is no contract is a workflow that could run: each step
// does one thing, Go is there before it is called, the variables are those that the
// code reads, and the files that they name are uploaded, whatever became of the
// tests. The packages that its commands name are TestCommandsRunSomething's.
func TestWorkflowsOfTheDocs(t *testing.T) {
	variables, found := variables(t), 0
	for _, b := range fenced(t) {
		if b.language != "yaml" || strings.HasPrefix(b.text, "contract:") {
			continue
		}
		found++
		var w workflow
		read := yaml.NewDecoder(strings.NewReader(b.text))
		read.KnownFields(true)
		require.NoError(t, read.Decode(&w), b.text)
		require.NotEmpty(t, w.On, b.text)
		require.NotEmpty(t, w.Jobs, b.text)
		for name, job := range w.Jobs {
			require.NotEmpty(t, job.RunsOn, name)
			checkSteps(t, name, job.Steps)
			var kept []string
			for variable, value := range job.Env {
				if strings.HasPrefix(variable, "LLMBENCH_") {
					require.Contains(t, variables, variable, name)
				}
				if variable == "LLMBENCH_OUT" || variable == "LLMBENCH_REPORT" {
					kept = append(kept, value)
				}
			}
			require.ElementsMatch(t, kept, uploaded(job.Steps), "%s: what is kept and what is uploaded", name)
		}
	}
	require.Equal(t, 4, found)
}

func checkSteps(t *testing.T, job string, steps []step) {
	t.Helper()
	hasGo := false
	for _, s := range steps {
		require.True(t, (s.Uses == "") != (s.Run == ""), "%s: a step uses or runs: %v", job, s)
		require.Regexp(t, `^(actions/[a-z-]+@v\d+)?$`, s.Uses, job)
		require.True(t, s.Uses != "" || s.With == nil, "%s: with goes with uses: %v", job, s)
		hasGo = hasGo || strings.HasPrefix(s.Uses, "actions/setup-go@")
		require.True(t, hasGo || !strings.Contains(s.Run, "go "), "%s: %s without Go", job, s.Run)
	}
	require.True(t, hasGo, job)
	require.True(t, strings.HasPrefix(steps[0].Uses, "actions/checkout@"), job)
}

// uploaded are the paths that are kept when the tests have failed too.
func uploaded(steps []step) (paths []string) {
	for _, s := range steps {
		if strings.HasPrefix(s.Uses, "actions/upload-artifact@") && s.If == "always()" {
			paths = append(paths, s.With["path"])
		}
	}
	return paths
}

// variables are the names of ours that code asks the environment for: a name alone
// in a string is nothing else.
func variables(t *testing.T) []string {
	t.Helper()
	name := regexp.MustCompile(`"(LLMBENCH_[A-Z_]+)"`)
	all := map[string]bool{}
	for _, path := range sources(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, found := range name.FindAllSubmatch(text, -1) {
			all[string(found[1])] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
