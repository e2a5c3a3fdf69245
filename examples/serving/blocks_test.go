package serving

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
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

// pages are the README and the pages of llmbench/docs.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(docs + "/*.md")
	require.NoError(t, err)
	require.Greater(t, len(found), 5)
	return append(found, root+"/README.md")
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
}

// around is what the blocks take as given: the packages, and names whose values
// do not matter.
const around = `package shown
import (
	"context"; "io"; "net/http"; "os"; "testing"; "testing/synctest"; "time"
	"github.com/stretchr/testify/require"
	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/fixtures"
	"github.com/llmbench/go/fixtures/servers"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/scrape"
	"github.com/llmbench/go/mock"
)
var (
	t *testing.T; file io.Reader; body io.Reader; cancel context.CancelFunc; server *mock.Server
	r, result, overloaded, closedLoop *llmbench.Result; profile llmbench.Profile
	hit, miss assert.Class; ladder *llmbench.Capacity
)
`

// wrapped makes a file of a block.
func wrapped(text string) string {
	switch {
	case strings.HasPrefix(text, "package "):
		return text
	case strings.HasPrefix(text, "import "):
		return "package shown\n" + text
	case strings.HasPrefix(text, "func "):
		return around + text
	}
	return around + "func _() {\n" + text + "}\n"
}

// Every block of Go in the README, the pages and the comments compiles.
func TestBlocksOfGoCompile(t *testing.T) {
	lookup := exports(t)
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", lookup)
	for _, b := range append(fenced(t), commented(t)...) {
		if b.language != "go" {
			continue
		}
		parsed, err := parser.ParseFile(set, b.where, wrapped(b.text), 0)
		require.NoError(t, err, "%s", b.text)
		config := types.Config{Importer: imports, Error: func(err error) {
			if !idle(err) {
				t.Errorf("%v in\n%s", err, b.text)
			}
		}}
		_, _ = config.Check("shown", set, []*ast.File{parsed}, nil) // its errors went to Error
	}
}

// idle reports an error that only a block on its own has: what it makes is for
// the reader to use.
func idle(err error) bool {
	var wrong types.Error
	return errors.As(err, &wrong) && wrong.Soft &&
		(strings.HasPrefix(wrong.Msg, "declared and not used") || strings.HasSuffix(wrong.Msg, "imported and not used"))
}

// exports finds the compiled form of every package that a block may import.
func exports(t *testing.T) func(string) (io.ReadCloser, error) {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export",
		"./assert", "./fixtures/servers", "./llmbench/...", "./mock", "testing/synctest", "github.com/stretchr/testify/require")
	list.Dir = root
	var complaint bytes.Buffer
	list.Stderr = &complaint
	out, err := list.Output()
	require.NoError(t, err, complaint.String())
	files := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct{ ImportPath, Export string }
		require.NoError(t, d.Decode(&p))
		files[p.ImportPath] = p.Export
	}
	return func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("the documentation imports %s, which the test does not list", path)
		}
		return os.Open(files[path])
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
