package llmbench

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// comparisonFiles are the files that a comparison is kept as, by their endings.
var comparisonFiles = struct {
	mu  sync.Mutex
	all map[string]func(io.Writer, *Comparison) error
}{all: map[string]func(io.Writer, *Comparison) error{
	".md":  func(w io.Writer, c *Comparison) error { _, err := io.WriteString(w, c.Markdown()); return err },
	".csv": func(w io.Writer, c *Comparison) error { return c.WriteCSV(w) },
}}

// RegisterComparison adds a file to those that every comparison is kept as, by
// its ending, ".html" for one; see [RegisterArtifact].
func RegisterComparison(ending string, write func(io.Writer, *Comparison) error) {
	comparisonFiles.mu.Lock()
	defer comparisonFiles.mu.Unlock()
	comparisonFiles.all[ending] = write
}

// WriteReport keeps the comparison as compare.md, a table for a pull request,
// compare.csv, and what [RegisterComparison] added, in the folder of the test
// under LLMBENCH_REPORT, and returns that folder. It does nothing where
// LLMBENCH_REPORT names no folder. A second comparison of one test goes to
// compare-2.md, and so on.
func (c *Comparison) WriteReport() (folder string, err error) {
	_, root := reportSettings(os.Getenv("LLMBENCH_REPORT"))
	if root == "" {
		return "", nil
	}
	folder = filepath.Join(root, testPath(c.Now.name))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", fmt.Errorf("llmbench: compare: %w", err)
	}
	name := comparisons.name(folder)
	comparisonFiles.mu.Lock()
	files := maps.Clone(comparisonFiles.all)
	comparisonFiles.mu.Unlock()
	for _, ending := range slices.Sorted(maps.Keys(files)) {
		err := writeWhole(filepath.Join(folder, name+ending), func(w io.Writer) error { return files[ending](w, c) })
		if err != nil {
			return "", fmt.Errorf("llmbench: compare: %w", err)
		}
	}
	return folder, nil
}

var comparisons = runs{n: map[string]int{}}

// name is compare for the first comparison in a folder, then compare-2.
func (r *runs) name(folder string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n[folder]++
	if n := r.n[folder]; n > 1 {
		return fmt.Sprintf("compare-%d", n)
	}
	return "compare"
}
