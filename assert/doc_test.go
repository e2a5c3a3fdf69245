package assert

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The package doc shows two failures in full, as their goldens have them, and
// every claim has its place. The first lines beside the claims are those of
// shown_test.go.
func TestPackageDocShowsGoldens(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	doc := string(source)
	for _, name := range []string{"active-prefill", "omission-cap"} {
		text, err := os.ReadFile("testdata/" + name + ".golden")
		require.NoError(t, err)
		block := "//\t" + strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n//\t") + "\n"
		require.Contains(t, doc, block, "the text of %s in full", name)
	}
	for _, name := range requirers(t) {
		if !strings.Contains(doc, "assert."+name+"(t, ") {
			t.Errorf("%s has no place in the package doc", name)
		}
	}
}

// Every fatal form has a non-fatal twin.
func TestEveryRequireHasACheck(t *testing.T) {
	all := functions(t)
	for _, name := range requirers(t) {
		require.Contains(t, all, "Check"+strings.TrimPrefix(name, "Require"))
	}
}

// requirers are the package's RequireX functions.
func requirers(t *testing.T) []string {
	t.Helper()
	var names []string
	for name := range functions(t) {
		if strings.HasPrefix(name, "Require") {
			names = append(names, name)
		}
	}
	require.NotEmpty(t, names)
	return names
}

// functions are the package's top-level functions, tests left out.
func functions(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
