package llmbench_test

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The listings of this file are read off the source and not off a compiled package, so that they are the same whatever
// compiles it, and on every system: a file that is built on one of them only is read on all.

// A face is what a package shows to those who import it: its exported declarations, by name.
type face struct {
	// lines are the text of each declaration, a type with its fields and methods below it.
	lines []string
	// bare are the names that have no doc comment.
	bare []string
}

// A name that a package gains, loses or gives another meaning is seen here, and is a line of the change log.
func TestPublicFace(t *testing.T) {
	folder := filepath.Join("testdata", "api")
	var kept []string
	for path, files := range publicPackages(t) {
		name := strings.ReplaceAll(path, "/", "_") + ".txt"
		kept = append(kept, name)
		got := faceOf(files).lines
		file := filepath.Join(folder, name)
		if os.Getenv("LLMBENCH_UPDATE") == "1" {
			require.NoError(t, os.MkdirAll(folder, 0o755))
			require.NoError(t, os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644))
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err, "LLMBENCH_UPDATE=1 writes the listing of a new package")
		if want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"); !slices.Equal(want, got) {
			t.Errorf("the public face of %s has changed (- as in %s, + as in the source):\n%s\n"+
				"If that is meant, LLMBENCH_UPDATE=1 go test -run TestPublicFace ./llmbench writes it anew, and CHANGELOG.md wants a line.",
				path, file, cmp.Diff(want, got))
		}
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		require.Contains(t, kept, entry.Name(), "the listing of a package that is gone: delete it, and tell so in CHANGELOG.md")
	}
}

func TestEveryPublicNameHasAComment(t *testing.T) {
	for path, files := range publicPackages(t) {
		if bare := faceOf(files).bare; len(bare) > 0 {
			t.Errorf("%s: a reader of go doc is told nothing of %s", path, strings.Join(bare, ", "))
		}
	}
}

// The listing is tried on a source with one of each case.
func TestFaceOfASource(t *testing.T) {
	const source = `package p

// Kinds.
const (
	A Kind = iota + 1
	B
	c
	D = "d"
)

var E, f = 1, 2

// Kind is one.
type Kind int

// String has a comment.
func (k Kind) String() string { return "" }
func (k *Kind) Set(text string, n int) (err error) { return nil }
func (k Kind) hidden() {}

// Box is one.
type Box[T any] struct {
	*Kind
	// X and Y are where.
	X, Y int ` + "`json:\"x\"`" + `
	Of   func(T) (n int, err error)
	z    int
}

func (b *Box[T]) Open() {}

// Shut is one.
type Shut interface {
	Kind | ~string
	Close() error
	shut()
}
type other struct{ Seen int }

func (other) Method() {}

// Alias is one.
type Alias = map[string]int

// Make makes.
func Make[T any](first, second T, rest ...int) (Box[T], error) { return Box[T]{}, nil }
func quiet() {}
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	got := faceOf([]*ast.File{file})
	require.Equal(t, []string{
		"const A Kind = 0 + 1",
		"const B Kind = 1 + 1",
		`const D = "d"`,
		"var E",
		"func Make[T any](first, second T, rest ...int) (Box[T], error)",
		"type Alias = map[string]int",
		"type Box[T any] struct",
		"\t*Kind",
		"\tX int `json:\"x\"`",
		"\tY int `json:\"x\"`",
		"\tOf func(T) (n int, err error)",
		"\t// hidden fields",
		"\tfunc (b *Box[T]) Open()",
		"type Kind int",
		"\tfunc (k *Kind) Set(text string, n int) (err error)",
		"\tfunc (k Kind) String() string",
		"type Shut interface",
		"\tKind | ~string",
		"\tClose() error",
		"\t// hidden methods",
	}, got.lines)
	require.Equal(t, []string{"Box.Open", "E", "Kind.Set"}, got.bare)
}

// publicPackages are the packages of this module that others can import, by path below the module, examples left out.
func publicPackages(t *testing.T) map[string][]*ast.File {
	t.Helper()
	packages := map[string][]*ast.File{}
	require.NoError(t, filepath.WalkDir("..", func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "internal" || name == "testdata" || name == "examples" || strings.HasPrefix(name, ".") && name != ".." {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil && file.Name.Name != "main" {
			below := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
			packages[below] = append(packages[below], file)
		}
		return err
	}))
	for path, files := range packages {
		if len(faceOf(files).lines) == 0 { // tests alone
			delete(packages, path)
		}
	}
	require.Contains(t, packages, "llmbench")
	require.Contains(t, packages, "fixtures/servers")
	return packages
}

// faceOf lists the exported declarations of a package: constants, variables and functions first, then types.
func faceOf(files []*ast.File) face {
	var values, functions, types []string // each text starts with its word and the name, so sorting goes by name
	methods := map[string][]string{}
	var bare []string
	note := func(name string, docs ...*ast.CommentGroup) {
		if !slices.ContainsFunc(docs, func(doc *ast.CommentGroup) bool { return doc.Text() != "" }) {
			bare = append(bare, name)
		}
	}
	for _, file := range files {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if owner := receiver(d); !d.Name.IsExported() || d.Recv != nil && !ast.IsExported(owner) {
					continue
				} else if d.Recv != nil {
					methods[owner] = append(methods[owner], "\t"+source(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type}))
					note(owner+"."+d.Name.Name, d.Doc)
				} else {
					functions = append(functions, source(&ast.FuncDecl{Name: d.Name, Type: d.Type}))
					note(d.Name.Name, d.Doc)
				}
			case *ast.GenDecl:
				var above *ast.ValueSpec
				for i, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						if d.Tok == token.CONST && len(s.Values) == 0 {
							s.Type, s.Values = above.Type, above.Values
						}
						above = s
						for at, name := range s.Names {
							if name.IsExported() {
								values = append(values, value(d.Tok, s, at, i))
								note(name.Name, d.Doc, s.Doc, s.Comment)
							}
						}
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							types = append(types, typeText(s))
							note(s.Name.Name, d.Doc, s.Doc)
						}
					}
				}
			}
		}
	}
	slices.Sort(values)
	slices.Sort(functions)
	slices.Sort(types)
	lines := slices.Concat(values, functions)
	for _, text := range types {
		lines = append(lines, strings.Split(text, "\n")...)
		name := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '[' })[1]
		slices.SortFunc(methods[name], func(a, b string) int { return strings.Compare(afterReceiver(a), afterReceiver(b)) })
		lines = append(lines, methods[name]...)
	}
	slices.Sort(bare)
	return face{slices.Compact(lines), slices.Compact(bare)}
}

// receiver is the name of the type that a method belongs to; empty for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	name := strings.TrimPrefix(source(f.Recv.List[0].Type), "*")
	name, _, _ = strings.Cut(name, "[")
	return name
}

// afterReceiver is a method's text from its name on.
func afterReceiver(method string) string {
	_, name, _ := strings.Cut(method, ") ")
	return name
}

// value is the text of one constant, with its value, or one variable, with its type or what it is made by.
func value(word token.Token, s *ast.ValueSpec, at, iota int) string {
	text := word.String() + " " + s.Names[at].Name
	if s.Type != nil {
		text += " " + source(s.Type)
	}
	if word == token.CONST {
		text += " = " + source(counted(s.Values[at], iota))
	} else if s.Type == nil {
		if call, ok := s.Values[at].(*ast.CallExpr); ok {
			text += " = " + source(call)
		}
	}
	return text
}

// counted has the number of the line in place of iota.
func counted(e ast.Expr, line int) ast.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Name == "iota" {
			return &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(line)}
		}
	case *ast.BinaryExpr:
		return &ast.BinaryExpr{X: counted(e.X, line), Op: e.Op, Y: counted(e.Y, line)}
	}
	return e
}

// typeText is a type's text: a line, and one more per field or method of an interface, in their order, which counts.
func typeText(s *ast.TypeSpec) string {
	head := "type " + s.Name.Name
	if s.TypeParams != nil {
		empty := &ast.FuncType{TypeParams: s.TypeParams, Params: &ast.FieldList{}}
		head += strings.TrimSuffix(strings.TrimPrefix(source(empty), "func"), "()")
	}
	if s.Assign.IsValid() {
		head += " ="
	}
	var inside []string
	hidden := false
	switch of := s.Type.(type) {
	case *ast.StructType:
		head += " struct"
		for _, f := range of.Fields.List {
			tag := ""
			if f.Tag != nil {
				tag = " " + f.Tag.Value
			}
			if len(f.Names) == 0 {
				inside = append(inside, "\t"+source(f.Type)+tag)
			}
			for _, name := range f.Names {
				if name.IsExported() {
					inside = append(inside, "\t"+name.Name+" "+source(f.Type)+tag)
				}
				hidden = hidden || !name.IsExported()
			}
		}
		if hidden {
			inside = append(inside, "\t// hidden fields")
		}
	case *ast.InterfaceType:
		head += " interface"
		for _, f := range of.Methods.List {
			if len(f.Names) == 0 {
				inside = append(inside, "\t"+source(f.Type))
			}
			for _, name := range f.Names {
				if name.IsExported() {
					inside = append(inside, "\t"+name.Name+strings.TrimPrefix(source(f.Type), "func"))
				}
				hidden = hidden || !name.IsExported()
			}
		}
		if hidden {
			inside = append(inside, "\t// hidden methods")
		}
	default:
		head += " " + source(s.Type)
	}
	return strings.Join(append([]string{head}, inside...), "\n")
}

// source is a node's text on one line.
func source(node any) string {
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		panic(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
