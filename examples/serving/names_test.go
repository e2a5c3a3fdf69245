package serving

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// published are the packages whose names the pages use.
var published = []string{
	"llmbench", "assert", "mock", "fixtures", "fixtures/servers", "llmbench/dialect", "llmbench/report", "llmbench/scrape", "llmbench/trace",
}

// others are names in code spans that are not ours.
var others = map[string]bool{"Errorf": true, "FailNow": true, "Marshal": true, "Millisecond": true}

// Every name that the README and the pages write as code is one of ours: a
// package's own, a field's or a method's.
func TestNamesInThePagesExist(t *testing.T) {
	known := names(t)
	span := regexp.MustCompile("`[^`\n]+`")
	strung := regexp.MustCompile(`"[^"]*"|'[^']*'|-run \S+`)
	name := regexp.MustCompile(`(?:\b([a-z]+)\.)?\b([A-Z][a-z]\w*)\b`)
	fence := regexp.MustCompile("(?ms)^```.*?^```$")
	seen := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, code := range span.FindAllString(fence.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(code, "go test ") || strings.Contains(code, "://") {
				continue
			}
			for _, found := range name.FindAllStringSubmatch(strung.ReplaceAllString(code, ""), -1) {
				seen++
				if full := found[1] + "." + found[2]; !known[full] && !known["."+found[2]] && !others[found[2]] {
					t.Errorf("%s: %s in %s", page, full, code)
				}
			}
		}
	}
	require.Greater(t, seen, 60)
}

// names are the exported names of the published packages, "assert.TTFT", and all
// of them, with fields and methods, without a package, ".P99".
func names(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", exports(t))
	for _, path := range published {
		p, err := imports.Import("github.com/llmbench/go/" + path)
		require.NoError(t, err)
		for _, name := range p.Scope().Names() {
			all[p.Name()+"."+name], all["."+name] = true, true
			if typed, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
				addMembers(all, typed.Type())
			}
		}
	}
	return all
}

// exports finds the compiled form of the published packages and of what they import.
func exports(t *testing.T) func(string) (io.ReadCloser, error) {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export",
		"./assert", "./fixtures/servers", "./llmbench/...", "./mock")
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
			return nil, fmt.Errorf("%s is imported, and go list does not know it", path)
		}
		return os.Open(files[path])
	}
}

func addMembers(all map[string]bool, of types.Type) {
	if named, ok := of.(*types.Named); ok {
		for method := range named.Methods() {
			all["."+method.Name()] = true
		}
	}
	if fields, ok := of.Underlying().(*types.Struct); ok {
		for field := range fields.Fields() {
			all["."+field.Name()] = true
		}
	}
}
