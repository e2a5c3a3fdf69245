package llmbench_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The trip of a request in the package documentation is true: each file is there
// and named once, each function is in it, and an earlier step names it, so that
// nobody has to jump back.
func TestTripOfARequest(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, trip, found := strings.Cut(string(source), "// # The trip of a request\n")
	require.True(t, found)
	steps := regexp.MustCompile(`(?m)^//\t(\S+\.go)  +(\w.*?)  +\w.*$`).FindAllStringSubmatch(trip, -1)
	require.Len(t, steps, strings.Count(trip, "\n//\t"), "a file, its functions, what happens there")
	require.Greater(t, len(steps), 30)

	been, mentioned := map[string]bool{}, map[string]bool{"Run": true, "RequireTTFT": true} // the test calls these
	for _, step := range steps {
		file := step[1]
		require.False(t, been[file], "%s comes twice", file)
		been[file] = true
		declared := readStep(t, file, mentioned)
		for name := range strings.SplitSeq(step[2], ", ") {
			require.Contains(t, declared, name, file)
			require.Contains(t, mentioned, name[strings.LastIndex(name, ".")+1:], "no step up to %s leads to it", file)
		}
	}
}

// readStep returns what a file declares: functions, methods with and without
// their type, variables. It adds the names that the bodies mention.
func readStep(t *testing.T, file string, mentioned map[string]bool) map[string]bool {
	t.Helper()
	path := file
	if strings.HasPrefix(file, "assert/") {
		path = filepath.Join("..", file)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	declared := map[string]bool{}
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			readVars(decl, declared, mentioned)
			continue
		}
		declared[f.Name.Name] = true
		if f.Recv != nil {
			declared[typeName(f.Recv.List[0].Type)+"."+f.Name.Name] = true
		}
		mention(f.Body, mentioned)
	}
	return declared
}

// readVars is readStep for a declaration that is no function.
func readVars(decl ast.Decl, declared, mentioned map[string]bool) {
	for _, spec := range decl.(*ast.GenDecl).Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			for i, name := range v.Names {
				declared[name.Name] = true
				if i < len(v.Values) {
					mention(v.Values[i], mentioned)
				}
			}
		}
	}
}

func typeName(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	name, _ := e.(*ast.Ident)
	return name.String()
}

func mention(n ast.Node, mentioned map[string]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			mentioned[name.Name] = true
		}
		return true
	})
}
