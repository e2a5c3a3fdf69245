package llmbench

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteReport keeps the comparison as compare.md, a table for a pull request, and
// compare.csv, in the folder of the test under LLMBENCH_REPORT, and returns that
// folder. It does nothing where LLMBENCH_REPORT names no folder. A second
// comparison of one test goes to compare-2.md, and so on.
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
	for _, file := range []struct {
		ending string
		write  func(io.Writer, *Result) error
	}{
		{".md", func(w io.Writer, _ *Result) error { _, err := io.WriteString(w, c.Markdown()); return err }},
		{".csv", func(w io.Writer, _ *Result) error { return c.WriteCSV(w) }},
	} {
		if err := writeWhole(filepath.Join(folder, name+file.ending), file.write, nil); err != nil {
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
