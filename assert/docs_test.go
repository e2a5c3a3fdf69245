package assert

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// page reads the page that failures link to: what it shows of each section, by
// anchor.
func page(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../" + strings.TrimPrefix(docsPage, "https://github.com/llmbench/go/blob/main/"))
	require.NoError(t, err)
	found := map[string]string{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		heading, rest, _ := strings.Cut(section, "\n")
		found[anchorOf(heading)] = rest
	}
	return found
}

// anchorOf is the anchor that GitHub gives a heading.
func anchorOf(heading string) string {
	kept := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// Every section that a failure can link to is on the page, and begins with first
// lines that lead to it.
func TestEverySectionIsOnThePage(t *testing.T) {
	goldens := firstLines(t)
	shown := page(t)
	for _, s := range sections {
		text, found := shown[s.anchor]
		require.True(t, found, "%s has no section %s", docsPage, s.anchor)
		block, _, _ := strings.Cut(strings.TrimPrefix(text, "\n```text\n"), "\n```")
		require.NotEqual(t, text, block, "%s begins with first lines", s.anchor)
		for line := range strings.SplitSeq(block, "\n") {
			require.Contains(t, goldens, line, "no golden begins so")
			require.Equal(t, docsPage+"#"+s.anchor, docsOf(line), line)
		}
	}
}

// firstLines are those of all goldens, of each text in a golden of several.
func firstLines(t *testing.T) map[string]bool {
	t.Helper()
	lines := map[string]bool{}
	paths, err := filepath.Glob("testdata/*.golden")
	require.NoError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for part := range strings.SplitSeq(string(text), "\n\n") {
			line, rows, _ := strings.Cut(part, "\n")
			lines[line] = true
			if !strings.HasSuffix(path, ".rules.golden") {
				require.Contains(t, rows, "  docs       "+docsOf(line)+"\n", "%s: a text without its link", path)
			}
		}
	}
	return lines
}

// Every first line that the code can write has a section of its own, read from
// the formats in the source: a new text without one fails here.
func TestEveryFormatHasASection(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	formats := 0
	for _, path := range slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, "_test.go") }) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		subjects := regexp.MustCompile(`(?:about\(|subject: )"([^"]+)"`).FindAllStringSubmatch(source(t, path), -1)
		ast.Inspect(file, func(n ast.Node) bool {
			format, ok := failingFormat(n, subjects)
			if ok && docsOf(format) == docsPage {
				t.Errorf("%s: no section for %q", path, format)
			}
			if ok {
				formats++
			}
			return true
		})
	}
	require.Greater(t, formats, 70)
}

func source(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// failingFormat is the format of a call that ends a message badly, after the
// subject of the file's messages.
func failingFormat(n ast.Node, subjects [][]string) (string, bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	at, prefix := 0, ""
	switch method.Sel.Name {
	case "verdict":
		at = 1
	case "cannot":
		prefix = "cannot judge "
		for _, subject := range subjects {
			prefix += subject[1] + ": "
		}
	case "badClaim":
		prefix = "bad claim: "
	default:
		return "", false
	}
	if at >= len(call.Args) {
		return "", false
	}
	literal, ok := call.Args[at].(*ast.BasicLit)
	if first, named := call.Args[0].(*ast.Ident); !ok || at == 1 && named && first.Name == "Holds" {
		return "", false
	}
	format, err := strconv.Unquote(literal.Value)
	said := regexp.MustCompile(`%\w|\b(is|want|cannot judge|none)\b|[ ,:]`).ReplaceAllString(format, "")
	return prefix + format, err == nil && said != "" // what says nothing itself is words of another call
}
