package llmbench

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
)

// BaselineSchema names the form of a baseline file.
const BaselineSchema = "llmbench.baseline/v1"

// baselineJSON is a baseline file. It has no time and no commit, so that it
// changes only with what it says; version control knows both.
type baselineJSON struct {
	Schema string `json:"schema"`
	Name   string `json:"name"`
	Runs   int    `json:"runs"`
	// ProfileHash is the profile in short, for people.
	ProfileHash string           `json:"profile_hash,omitempty"`
	With        madeWith         `json:"made_with"`
	Identity    Identity         `json:"identity"`
	Figures     []baselineFigure `json:"figures"`
}

type madeWith struct {
	Version string `json:"llmbench"`
	Go      string `json:"go"`
}

type baselineFigure struct {
	Key    string           `json:"figure"`
	Unit   string           `json:"unit"`
	Better string           `json:"better"`
	Values []Known[float64] `json:"values"` // one per run, null where absent
}

// WriteBaseline writes runs to a file that [ReadBaseline] reads, schema
// llmbench.baseline/v1, with all of [Figures] and those given. It replaces the
// file at once or not at all, and makes its folder.
func WriteBaseline(path string, runs *Runs, figures ...Figure) error {
	text, err := runs.baseline(figures)
	if err != nil {
		return fmt.Errorf("llmbench: baseline %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("llmbench: baseline: %w", err)
	}
	whole := func(w io.Writer) error { _, err := w.Write(text); return err }
	if err := writeWhole(path, whole); err != nil {
		return fmt.Errorf("llmbench: baseline %s: %w", path, err)
	}
	return nil
}

func (r *Runs) baseline(more []Figure) ([]byte, error) {
	figures := slices.Concat(Figures(), more)
	slices.SortFunc(figures, func(a, b Figure) int { return cmp.Compare(a.Key(), b.Key()) })
	figures = slices.Compact(figures)
	file := baselineJSON{
		Schema: BaselineSchema, Name: r.name, Runs: r.n, Identity: r.identity.measuring(figures),
		With: madeWith{version(), runtime.Version()},
	}
	if r.results != nil {
		file.ProfileHash = profileHash(r.results[0].Profile, true)
	}
	for _, f := range figures {
		file.Figures = append(file.Figures, baselineFigure{
			f.Key(), f.metric.Unit(), f.metric.Better().String(), r.Values(f),
		})
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false) // people read the definitions
	out.SetIndent("", "  ")
	err := out.Encode(file)
	return numbers.ReplaceAllFunc(text.Bytes(), oneLine), err
}

// numbers are the arrays that one number a line would make long.
var numbers = regexp.MustCompile(`\[[-+.eE0-9nul,\s]*\]`)

func oneLine(array []byte) []byte {
	inner := bytes.Join(bytes.Fields(bytes.Trim(array, "[]")), []byte(" "))
	return slices.Concat([]byte("["), inner, []byte("]"))
}

// ReadBaseline reads runs from a file that [WriteBaseline] wrote. They have
// figures, no results. A missing file is an error that wraps fs.ErrNotExist.
func ReadBaseline(path string) (*Runs, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("llmbench: baseline: %w", err)
	}
	runs, err := parseBaseline(text)
	if err != nil {
		return nil, fmt.Errorf("llmbench: baseline %s: %w", path, err)
	}
	return runs, nil
}

func parseBaseline(text []byte) (*Runs, error) {
	var file baselineJSON
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // a seed has more digits than a float
	if err := decoder.Decode(&file); err != nil {
		return nil, err
	}
	if file.Schema != BaselineSchema {
		return nil, fmt.Errorf("schema is %q, want %q", file.Schema, BaselineSchema)
	}
	if file.Runs < 1 {
		return nil, fmt.Errorf("runs is %d, want > 0", file.Runs)
	}
	runs := &Runs{name: file.Name, identity: file.Identity, n: file.Runs, values: map[Figure][]Known[float64]{}}
	for _, f := range file.Figures {
		figure, err := FigureByKey(f.Key)
		if err != nil {
			return nil, err
		}
		if len(f.Values) != file.Runs {
			return nil, fmt.Errorf("figure %s has %d values, want one for each of %d runs", f.Key, len(f.Values), file.Runs)
		}
		runs.values[figure] = f.Values
	}
	return runs, nil
}
