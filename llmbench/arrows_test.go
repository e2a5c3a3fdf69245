package llmbench_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/llmbench/go/"

// listed is what go list says of a package, import paths of this module without its name.
type listed struct {
	ImportPath string
	Imports    []string
}

// arrows are the ways that imports may not go. The first that covers an import decides.
var arrows = []struct {
	from, to string // a package, or with /... also all below it
	allowed  bool
	why      string
}{
	{"mock/...", "mock/...", true, ""},
	{"mock/...", "...", false, "the mock is the oracle: it shares no code with what it checks"},
	{"llmbench/internal/...", "llmbench/internal/...", true, ""},
	{"llmbench/internal/...", "...", false, "a kernel has no knowledge of our types"},
	{"llmbench", "llmbench/internal/...", true, ""},
	{"llmbench", "...", false, "the core is below all else; dialects, traces and reports register with it"},
	{"examples/...", "examples/...", false, "each story stands alone"},
	{"examples/...", "...", true, ""},
	{"...", "examples/...", false, "nothing imports an example"},
	{"assert/...", "assert/...", true, ""},
	{"...", "assert/...", false, "nothing imports the claims"},
	{"fixtures/...", "fixtures/servers/...", false, "only tests of real servers pay for a Docker client"},
	{"fixtures/...", "fixtures/...", true, ""},
	{"...", "fixtures/...", false, "nothing imports the fixtures"},
	{"...", "mock/...", false, "a target speaks the standard library's types, so nothing needs the mock"},
}

// heavy are the modules that come with a container engine's client.
var heavy = []string{
	"github.com/testcontainers/", "github.com/docker/", "github.com/moby/", "github.com/containerd/",
}

// covers tells whether a pattern of arrows covers a package.
func covers(pattern, path string) bool {
	if below, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(path+"/", below)
	}
	return path == pattern
}

// broken names every import of the packages that an arrow forbids.
func broken(packages []listed) (found []string) {
	for _, p := range packages {
		from, ours := strings.CutPrefix(p.ImportPath, module)
		if !ours {
			continue
		}
		for _, i := range p.Imports {
			if to, ours := strings.CutPrefix(i, module); ours {
				found = append(found, forbidden(from, to)...)
			} else if isHeavy(i) && !covers("fixtures/servers/...", from) {
				found = append(found, from+" imports "+i+": only fixtures/servers may")
			}
		}
	}
	return found
}

func forbidden(from, to string) []string {
	for _, arrow := range arrows {
		if covers(arrow.from, from) && covers(arrow.to, to) {
			if arrow.allowed {
				return nil
			}
			return []string{from + " imports " + to + ": " + arrow.why}
		}
	}
	return nil
}

func isHeavy(path string) bool {
	return slices.ContainsFunc(heavy, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// goList runs go list in the module's root.
func goList(t *testing.T, arguments ...string) []listed {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Imports"}, arguments...)...)
	command.Dir = ".."
	command.Stderr = os.Stderr
	output, err := command.Output()
	require.NoError(t, err)
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p listed
		if err := decoder.Decode(&p); err == io.EOF {
			return packages
		} else {
			require.NoError(t, err)
		}
		packages = append(packages, p)
	}
}

// readSources opens every Go file of the module. go test keeps a result until a file that the test opened has changed,
// and does not see what go list opens.
func readSources(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		return file.Close()
	}))
}

func TestArrowsPointOneWay(t *testing.T) {
	readSources(t)
	packages := goList(t, "./...")
	require.NotEmpty(t, packages)
	require.Empty(t, broken(packages))
}

// The top level is fixed, so that a reader of the repository's first page knows it all.
func TestTopLevelIsFixed(t *testing.T) {
	for _, p := range goList(t, "./...") {
		top, _, _ := strings.Cut(strings.TrimPrefix(p.ImportPath, module), "/")
		require.Contains(t, []string{"llmbench", "assert", "mock", "fixtures", "examples"}, top, p.ImportPath)
	}
}

// Who imports llmbench, assert or mock compiles no Docker client, and neither do these packages' own tests: a user's
// go.sum grows by what a test file imports.
func TestLightPackagesAreLight(t *testing.T) {
	readSources(t)
	light := []string{"-deps", "-test"}
	for _, p := range goList(t, "./...") {
		if from := strings.TrimPrefix(p.ImportPath, module); !covers("fixtures/servers/...", from) && !covers("examples/...", from) {
			light = append(light, p.ImportPath)
		}
	}
	var found []string
	for _, p := range goList(t, light...) {
		if isHeavy(p.ImportPath) {
			found = append(found, p.ImportPath)
		}
	}
	require.Empty(t, found)
	require.True(t, slices.ContainsFunc(goList(t, "-deps", "./fixtures/servers"), func(p listed) bool {
		return isHeavy(p.ImportPath)
	}), "the check would see them: fixtures/servers has some")
}

// Each arrow can break.
func TestBrokenArrowsAreFound(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"mock", "llmbench", "mock imports llmbench: the mock is the oracle"},
		{"mock/cmd/mockserver", "llmbench/internal/sse", "shares no code"},
		{"mock", "mock/internal/pipenet", ""},
		{"llmbench/internal/sse", "llmbench", "a kernel has no knowledge"},
		{"llmbench/internal/wire", "llmbench/internal/sse", ""},
		{"llmbench", "llmbench/internal/wire", ""},
		{"llmbench", "llmbench/report", "the core is below all else"},
		{"llmbench", "mock", "the core is below all else"},
		{"llmbench/report", "llmbench", ""},
		{"llmbench/report", "assert", "nothing imports the claims"},
		{"assert", "llmbench", ""},
		{"assert", "fixtures", "nothing imports the fixtures"},
		{"assert", "mock", "nothing needs the mock"},
		{"fixtures", "llmbench", ""},
		{"fixtures", "fixtures/servers", "pay for a Docker client"},
		{"fixtures/servers", "fixtures", ""},
		{"fixtures/servers", "assert", "nothing imports the claims"},
		{"fixtures/servers", "examples/slo", "nothing imports an example"},
		{"examples/slo", "assert", ""},
		{"examples/slo", "examples/quickstart", "each story stands alone"},
	} {
		found := strings.Join(broken([]listed{{module + c.from, []string{module + c.to}}}), "\n")
		if c.want == "" {
			require.Empty(t, found)
			continue
		}
		require.Contains(t, found, c.want)
	}
	require.NotEmpty(t, broken([]listed{{module + "fixtures", []string{"github.com/moby/moby/client"}}}))
	require.Empty(t, broken([]listed{{module + "fixtures/servers", []string{"github.com/moby/moby/client"}}}))
}
