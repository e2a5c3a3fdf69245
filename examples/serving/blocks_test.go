package serving

import (
	"go/ast"
	"go/build"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
)

const root = "../.."

// A shown is a block of code that the documentation shows.
type shown struct{ where, language, text string }

// pages are the READMEs and the pages of llmbench/docs.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(docs + "/*.md")
	require.NoError(t, err)
	require.Greater(t, len(found), 5)
	return append(found, root+"/README.md", root+"/examples/README.md")
}

// fenced are the blocks of the pages; one that is only indented is of commands.
func fenced(t *testing.T) (all []shown) {
	t.Helper()
	fence := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, found := range fence.FindAllSubmatch(text, -1) {
			all = append(all, shown{page, string(found[1]), string(found[2])})
		}
		rest := fence.ReplaceAll(text, nil)
		for _, line := range regexp.MustCompile(`(?m)^    (\S.*)$`).FindAllSubmatch(rest, -1) {
			all = append(all, shown{page, "sh", string(line[1]) + "\n"})
		}
	}
	return all
}

// commented are the code blocks in the comments of all public packages.
func commented(t *testing.T) (all []shown) {
	t.Helper()
	for _, path := range sources(t) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/internal/") || strings.Contains(path, "/testdata/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, group := range file.Comments {
			var p comment.Parser
			for _, b := range p.Parse(group.Text()).Content {
				if code, ok := b.(*comment.Code); ok {
					all = append(all, shown{path, language(code.Text), code.Text})
				}
			}
		}
	}
	return all
}

// sources are the Go files of the repository.
func sources(t *testing.T) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// languages tell a block of a comment by its words; the first that fits counts.
var languages = []struct{ language, words string }{
	{"picture", `-->|^\(prompt tokens\)|^ +lateness p50|^run\.go  `},
	{"text", `(?m)^  window  `},
	{"sh", `(?m)^(go|curl|benchstat|LLMBENCH_OUT=\S+ go) `},
	{"yaml", `^contract: `},
	{"script", `^mix:`},
	{"methods", `^Model\(\) string`},
	{"go", `:=|func |\w+\.\w+\(|^import `},
}

func language(text string) string {
	for _, l := range languages {
		if regexp.MustCompile(l.words).MatchString(text) {
			return l.language
		}
	}
	return "unknown"
}

// Every block of the documentation is of a kind that a test looks at.
func TestBlocksAreOfKnownKinds(t *testing.T) {
	kinds := map[string]int{}
	for _, b := range append(fenced(t), commented(t)...) {
		kinds[b.language]++
		require.NotContains(t, []string{"", "unknown"}, b.language, "%s: %s", b.where, b.text)
	}
	require.Greater(t, kinds["go"], 15)
	require.Greater(t, kinds["sh"], 5)
	require.Greater(t, kinds["yaml"], 2)
	require.Equal(t, 1, kinds["script"], "the one that mockserver's tests read")
}

// Every block of Go runs: its lines stand in a test, in their order, and what they
// take as given stands between them. A block that is a file is one. Lines that
// are comments are for the reader; assert holds those of its claims to what the
// claims say.
func TestBlocksOfGoRun(t *testing.T) {
	files, parts := tested(t)
	for _, b := range append(fenced(t), commented(t)...) {
		if b.language != "go" && b.language != "methods" {
			continue
		}
		stands := slices.Contains(files, b.text)
		if !strings.HasPrefix(b.text, "package ") {
			stands = slices.ContainsFunc(parts, func(code string) bool { return inOrder(code, b.text) })
		}
		if !stands {
			t.Errorf("%s: no test has these lines in this order:\n%s", b.where, b.text)
		}
	}
}

// tested is what go test runs here: the test files, and each import and test of
// them. A test that may skip is none; one that needs an engine says so elsewhere.
func tested(t *testing.T) (files, parts []string) {
	t.Helper()
	for _, path := range sources(t) {
		built, err := build.Default.MatchFile(filepath.Split(path))
		require.NoError(t, err)
		if !built || !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		files = append(files, string(text))
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			part := string(text[set.Position(d.Pos()).Offset:set.Position(d.End()).Offset])
			if runs(d) && !strings.Contains(part, ".Skip") {
				parts = append(parts, part)
			}
		}
	}
	return files, parts
}

// runs reports whether go test does what is declared.
func runs(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.GenDecl:
		return d.Tok == token.IMPORT
	case *ast.FuncDecl:
		return d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test")
	}
	return false
}

// inOrder reports whether the lines of a block stand in the code one after the
// other, whatever the space in them.
func inOrder(code, block string) bool {
	left := lines(block)
	for _, line := range lines(code) {
		if len(left) > 0 && line == left[0] {
			left = left[1:]
		}
	}
	return len(left) == 0
}

// lines are those with code, spaces made one.
func lines(code string) (all []string) {
	for line := range strings.Lines(code) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && !strings.HasPrefix(line, "//") {
			all = append(all, line)
		}
	}
	return all
}

// A block that is in no test is found, and so is a line too many or out of place.
func TestBlocksThatDoNotRunAreFound(t *testing.T) {
	code := "func TestX(t *testing.T) {\n\tserver := start(t)\n\t// use(old)\n\tserver.Mode = 1\n\tuse(server)\n}"
	for _, c := range []struct {
		why, block string
		stands     bool
	}{
		{"as it is, with a line between", "server := start(t)\nuse(server)\n", true},
		{"with a comment of its own", "server := start(t)\n// then\nuse(server)\n", true},
		{"the other way round", "use(server)\nserver := start(t)\n", false},
		{"a line that is not there", "server := start(t)\nuse(other)\n", false},
		{"a line that is a comment there", "use(old)\n", false},
		{"a line twice", "use(server)\nuse(server)\n", false},
	} {
		require.Equal(t, c.stands, inOrder(code, c.block), c.why)
	}
}

// The contracts that the documentation shows are read.
func TestContractsOfTheDocsAreRead(t *testing.T) {
	read := 0
	for _, b := range append(fenced(t), commented(t)...) {
		if b.language == "yaml" && strings.HasPrefix(b.text, "contract:") {
			contract, err := assert.ParseContract(b.where, []byte(b.text))
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(contract.Claims), 7)
			read++
		}
	}
	require.Equal(t, 2, read)
}

// theirs are the folders and tests of the reader in commands.
var theirs = map[string]bool{"./serving": true, "./slo": true, "^$": true, "^TestServing$": true, "Serve": true}

// Commands name packages that exist, and tests and benchmarks that are in them.
func TestCommandsRunSomething(t *testing.T) {
	command := regexp.MustCompile(`go (?:test|run)((?: -[a-z]+(?:[ =](?:'[^']*'|[\w^$]+))?)*)(?: (\./[\w/.]+))?`)
	found := 0
	check := func(where, text string) {
		for _, c := range command.FindAllStringSubmatch(text, -1) {
			dir := filepath.Join(root, strings.TrimRight(c[2], "./"))
			switch {
			case theirs[c[2]]:
				continue
			case c[2] == "" || strings.HasPrefix(c[0], "go run ./internal"): // beside the comment, or by go generate
				dir = filepath.Dir(where)
			}
			info, err := os.Stat(dir)
			require.NoError(t, err, "%s: %s", where, c[0])
			require.True(t, info.IsDir(), c[0])
			found += runsIn(t, dir, c[1])
		}
	}
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		check(page, string(text))
	}
	for _, path := range sources(t) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, group := range file.Comments {
			check(path, strings.Join(strings.Fields(group.Text()), " "))
		}
	}
	require.Greater(t, found, 5)
}

// runsIn checks the patterns of a command against the tests of a folder, and
// returns how many there were.
func runsIn(t *testing.T, dir, flags string) (patterns int) {
	t.Helper()
	files, err := filepath.Glob(dir + "/*_test.go")
	require.NoError(t, err)
	var tests []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, f := range regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`).FindAllSubmatch(text, -1) {
			tests = append(tests, string(f[1]))
		}
	}
	for _, flag := range regexp.MustCompile(`-(run|bench|fuzz) '?([A-Z^][^' ]*)'?`).FindAllStringSubmatch(flags, -1) {
		name, _, _ := strings.Cut(flag[2], "/")
		if theirs[name] {
			continue
		}
		patterns++
		require.True(t, slices.ContainsFunc(tests, regexp.MustCompile(name).MatchString), "%s: no such test in %s", flags, dir)
	}
	return patterns
}
