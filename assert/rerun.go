package assert

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// testNames begins the names that go test -run knows; other frameworks have
// texts of their own, which would run nothing.
var testNames = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)`)

// withRerun appends the command that runs the failed test again. A T whose name
// go test does not know gets no command.
func withRerun(rows []Row, t T) []Row {
	named, ok := t.(interface{ Name() string })
	if !ok || !testNames.MatchString(named.Name()) {
		return rows
	}
	seed := os.Getenv("LLMBENCH_SEED")
	return append(rows[:len(rows):len(rows)], Row{"rerun", rerun(named.Name(), packageDir(), seed)})
}

// rerun is the command line that runs one test, with the seed that was set from
// outside, as the same test with another seed is another load.
func rerun(test, dir, seed string) string {
	var parts []string
	for part := range strings.SplitSeq(test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	command := "go test -run " + quote(strings.Join(parts, "/"))
	if strings.HasPrefix(test, "Benchmark") {
		command = "go test -run '^$' -bench " + quote(strings.Join(parts, "/"))
	}
	if dir != "" {
		command += " " + dir
	}
	if seed != "" {
		command = "LLMBENCH_SEED=" + quote(seed) + " " + command
	}
	return command
}

// quote makes one word of a shell's command line.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// packageDir is the folder of the tested package as go test takes it from the
// root of its module, "./serving"; empty outside a module. go test runs the
// test in that folder; a test that changes folder before its first failure
// gets a command with another one.
var packageDir = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dirInModule(dir)
})

func dirInModule(dir string) string {
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			below, err := filepath.Rel(root, dir)
			if err != nil {
				return ""
			}
			return strings.TrimSuffix("./"+filepath.ToSlash(below), "/.")
		}
		if root == filepath.Dir(root) {
			return ""
		}
	}
}
