package llmbench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// WriteOut appends a result to the file that the environment variable
// LLMBENCH_OUT names, as one line of the Go benchmark format; unset, it does
// nothing. [Run], [Repeat], [Pair] and [Bench] call it, so that
//
//	LLMBENCH_OUT=old.txt go test -count=10 ./serving
//	LLMBENCH_OUT=new.txt go test -count=10 ./serving   # after the change
//	benchstat old.txt new.txt
//
// compares two states of a server. A relative path is taken from the root of the
// tested module, as go test runs every package in a folder of its own. Beside
// it, in old.txt.jsonl, stands one line of facts per run that would split
// benchstat's tables: profile, seed, schedule, environment, counts and time.
// [ReadOut] reads both back as runs.
//
// The line is named after the test. A second profile in one test gets #01, as a
// second subtest of one name does; the model is /model=... A run whose figures
// are all absent or that was stopped early is an error, and so is a file that cannot
// be written. It is safe
// for concurrent use, in several processes too.
func WriteOut(test string, r *Result) error { return writeOut(test, "", r) }

// out writes a result for a test; a file that cannot be written fails it, as
// results that were asked for would else be missing in silence. A run that was
// stopped has failed it already.
func out(t T, r *Result) {
	t.Helper()
	if r.Stopped != "" {
		return
	}
	if err := WriteOut(t.Name(), r); err != nil {
		t.Errorf("%v", err)
	}
}

// writeOut adds more of the name, "/side=base".
func writeOut(test, more string, r *Result) error {
	path := os.Getenv("LLMBENCH_OUT")
	if path == "" {
		return nil
	}
	if r.Stopped != "" {
		return fmt.Errorf("llmbench: LLMBENCH_OUT: %s was stopped early and is not written, want a whole run: %s", test, r.Stopped)
	}
	path = fromModule(path)
	name := benchName(test+written.suffix(test, r), more, r)
	var text bytes.Buffer
	if err := writeBench(&text, name, r); err != nil {
		return fmt.Errorf("llmbench: LLMBENCH_OUT: %w", err)
	}
	facts, err := factsOf(name, r)
	if err != nil {
		return fmt.Errorf("llmbench: LLMBENCH_OUT: facts of %s: %w", name, err)
	}
	written.Lock()
	defer written.Unlock()
	if err := appendTo(path, text.Bytes()); err != nil {
		return fmt.Errorf("llmbench: LLMBENCH_OUT: %w", err)
	}
	if err := appendTo(path+".jsonl", facts); err != nil {
		return fmt.Errorf("llmbench: LLMBENCH_OUT: %w", err)
	}
	return nil
}

// appendTo writes all at once, so that blocks of several processes do not mix.
func appendTo(path string, text []byte) (err error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(text)
	return err
}

// WriteBench writes the result as [WriteOut] does, in the Go benchmark format and
// under the test's name, or Result where there is none. A result without any
// figure writes nothing.
func WriteBench(w io.Writer, r *Result) error {
	var text bytes.Buffer
	name := r.Test
	if name == "" {
		name = "Result"
	}
	if err := writeBench(&text, benchName(name, "", r), r); err != nil && !errors.Is(err, errNoFigure) {
		return fmt.Errorf("llmbench: bench: %w", err)
	}
	_, err := w.Write(text.Bytes())
	return err
}

var errNoFigure = errors.New("no figure to write, want at least one request that was answered or failed")

// writeBench writes what stands for one run: its Unit lines, its configuration
// and its line. All are repeated with every run, as other processes append to
// the same file and a configuration line holds until the next.
func writeBench(text *bytes.Buffer, name string, r *Result) error {
	out := benchfmt.NewWriter(text)
	line := &benchfmt.Result{Name: benchfmt.Name(name), Iters: max(r.Counts.OK, 1)}
	for _, c := range [][2]string{{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"pkg", testedPackage()}} {
		line.Config = append(line.Config, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
	}
	for _, f := range Figures() {
		value, ok := f.Of(r).Get()
		if !ok {
			continue
		}
		unit, per := f.benchUnit()
		for _, meta := range [][2]string{{"better", f.metric.Better().String()}, {"assume", "nothing"}} {
			if err := out.Write(unitLine(unit, meta[0], meta[1])); err != nil {
				return err
			}
		}
		line.Values = append(line.Values, benchfmt.Value{Value: value / per, Unit: unit})
	}
	if len(line.Values) == 0 {
		return fmt.Errorf("%s has %w: %v", name, errNoFigure, r.Counts)
	}
	return out.Write(line)
}

func unitLine(unit, key, value string) *benchfmt.UnitMetadata {
	_, tidy := benchunit.Tidy(1, unit)
	return &benchfmt.UnitMetadata{
		UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: tidy, Key: key}, OrigUnit: unit, Value: value,
	}
}

// written numbers the profiles of each test, and lets one run write at a time.
var written outLines

type outLines struct {
	sync.Mutex
	profiles map[string][]string
}

// suffix tells a test's profiles apart: the first has none. Runs of two profiles
// under one name would be read as one sample with two humps. The seed is no part
// of it.
func (l *outLines) suffix(test string, r *Result) string {
	profile := profileHash(r.Profile, false)
	l.Lock()
	defer l.Unlock()
	if l.profiles == nil {
		l.profiles = map[string][]string{}
	}
	for i, known := range l.profiles[test] {
		if known == profile {
			return ordinal(i)
		}
	}
	l.profiles[test] = append(l.profiles[test], profile)
	return ordinal(len(l.profiles[test]) - 1)
}

func ordinal(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("#%02d", i)
}

// benchName makes a name that the format keeps whole. White space ends a name, a
// slash begins a key, and the digits of a last "-7" are taken for GOMAXPROCS.
func benchName(test, more string, r *Result) string {
	name := strings.TrimPrefix(test, "Benchmark")
	if r.Environment != nil && r.Environment.Model != "" {
		name += "/model=" + strings.ReplaceAll(r.Environment.Model, "/", "_")
	}
	name = strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || !unicode.IsPrint(c) {
			return '_'
		}
		return c
	}, name+more)
	return lastNumber.ReplaceAllString(name, "_$1")
}

var lastNumber = regexp.MustCompile(`-(\d+)$`)

// fromModule takes a relative path from the root of the module that holds the
// current folder; outside a module from that folder.
func fromModule(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if root, _ := moduleRoot(); root != "" {
		return filepath.Join(root, path)
	}
	return path
}

// moduleRoot is the folder of the go.mod at or above the current folder, and
// where below it the current folder is.
func moduleRoot() (root, below string) {
	dir, err := os.Getwd()
	if err != nil {
		return "", ""
	}
	for root = dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			below, _ = filepath.Rel(root, dir) // both absolute, so it is found
			return root, filepath.ToSlash(below)
		}
		if root == filepath.Dir(root) {
			return "", ""
		}
	}
}
