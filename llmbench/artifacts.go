package llmbench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// An artifact is one file that a result can be kept as.
type artifact struct {
	name  string
	write func(io.Writer, *Result) error
	// judged says that the file shows what claims said, so it is written again
	// when they have spoken.
	judged bool
	// when says whether a result has it at all; nil is always.
	when func(*Result) bool
}

var artifacts = struct {
	mu  sync.Mutex
	all []artifact
}{all: []artifact{
	{name: "result.json", write: writeResultJSON, judged: true},
	{name: "records.jsonl", write: func(w io.Writer, r *Result) error { return WriteRecords(w, r.Records) }},
	{name: "captures.jsonl", write: func(w io.Writer, r *Result) error { return WriteCaptures(w, r.Captures) },
		when: func(r *Result) bool { return len(r.Captures) > 0 }},
	{name: "report.md", write: WriteMarkdown, judged: true},
	{name: "metrics.csv", write: WriteCSV},
	{name: "slices.csv", write: func(w io.Writer, r *Result) error { return WriteSlicesCSV(w, r, sliceLength(r.Window)) }},
	{name: "openmetrics.txt", write: WriteOpenMetrics},
	{name: "bench.txt", write: WriteBench},
}}

// RegisterArtifact adds a file to those that every result is kept as. It is
// meant for the init function of packages that a user switches on by an import,
// as llmbench/report is. The last registration of a name holds; a nil write takes
// the file out. It is safe for concurrent use.
func RegisterArtifact(name string, write func(io.Writer, *Result) error) {
	artifacts.mu.Lock()
	defer artifacts.mu.Unlock()
	artifacts.all = slices.DeleteFunc(artifacts.all, func(a artifact) bool { return a.name == name })
	if write != nil {
		artifacts.all = append(artifacts.all, artifact{name: name, write: write, judged: true})
	}
}

// WriteArtifacts keeps the result in a folder, which is made where it is
// missing: result.json, records.jsonl, captures.jsonl where there are any,
// report.md, metrics.csv, slices.csv, openmetrics.txt, bench.txt and whatever
// [RegisterArtifact] added. Each file appears whole or not at all. A file that
// cannot be written does not keep the others from it; the error names every
// one.
func (r *Result) WriteArtifacts(dir string) error { return r.writeArtifacts(dir, false) }

// writeArtifacts writes all files, or only those that show judgements.
func (r *Result) writeArtifacts(dir string, judged bool) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("llmbench: artifacts: %w", err)
	}
	artifacts.mu.Lock()
	all := slices.Clone(artifacts.all)
	artifacts.mu.Unlock()
	var failed []error
	for _, a := range all {
		if judged && !a.judged || a.when != nil && !a.when(r) {
			continue
		}
		if err := writeWhole(filepath.Join(dir, a.name), func(w io.Writer) error { return a.write(w, r) }); err != nil {
			failed = append(failed, fmt.Errorf("llmbench: artifacts: %s: %w", a.name, err))
		}
	}
	return errors.Join(failed...)
}

// writeWhole writes beside the file and renames, so that a reader, a crash or a
// full disk never meets half a file.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close() // closed already on the good path; the first error tells more
			_ = os.Remove(file.Name())
		}
	}()
	out := bufio.NewWriterSize(file, 1<<16)
	if err := write(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := file.Chmod(0o644); err != nil { // a temporary file is its owner's alone
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

func writeResultJSON(w io.Writer, r *Result) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}
