package llmbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/llmbench/go/llmbench/internal/lines"
)

// ReadOut reads the runs that [WriteOut] appended to a file, from the facts that
// stand beside it in path.jsonl, where every figure has all its digits. Each
// benchmark name is one [Runs], in the order in which the names first appear. They
// have the figures of [Figures] and no results; the sides of a Pair are two Runs,
// which [Compare] does not take for pairs any more.
//
// The path is as the caller sees it. A missing file is an error that wraps
// fs.ErrNotExist. A line that is broken, of another schema, or of a run unlike the
// first of its name is an error that names the line, and then there are no runs. A
// file without a line is an error too.
func ReadOut(path string) ([]*Runs, error) {
	file, err := os.Open(path + ".jsonl")
	if err != nil {
		return nil, fmt.Errorf("llmbench: read out: %w", err)
	}
	defer func() { _ = file.Close() }() // it was read only
	runs, err := readRuns(file)
	if err != nil {
		return nil, fmt.Errorf("llmbench: read out: %s: %w", file.Name(), err)
	}
	return runs, nil
}

// readRuns reads lines of facts as runs.
func readRuns(r io.Reader) ([]*Runs, error) {
	var all []*Runs
	byName := map[string]*Runs{}
	err := lines.Each(r, func(line []byte) error {
		facts, err := parseFacts(line)
		if err != nil {
			return err
		}
		runs := byName[facts.Name]
		if runs == nil {
			runs = &Runs{name: facts.Name, identity: facts.Identity, values: map[Figure][]Known[float64]{}}
			byName[facts.Name] = runs
			all = append(all, runs)
		}
		return runs.take(facts)
	})
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("there are 0 runs, want > 0")
	}
	return all, nil
}

// runFacts is what a line says that runs need.
type runFacts struct {
	Schema   string                    `json:"schema"`
	Name     string                    `json:"name"`
	Identity Identity                  `json:"identity"`
	Figures  map[string]Known[float64] `json:"figures"`
}

func parseFacts(text []byte) (facts runFacts, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // a seed has more digits than a float
	if err := decoder.Decode(&facts); err != nil {
		return facts, err
	}
	switch {
	case decoder.More():
		return facts, fmt.Errorf("has more than one JSON value, want one")
	case facts.Schema != FactsSchema:
		return facts, fmt.Errorf("schema is %q, want %q", facts.Schema, FactsSchema)
	case facts.Name == "":
		return facts, fmt.Errorf("name is empty, want that of a benchmark")
	case len(facts.Figures) == 0:
		return facts, fmt.Errorf("there are 0 figures, want > 0")
	}
	return facts, nil
}

// take adds one run, like those before.
func (r *Runs) take(facts runFacts) error {
	if unlike := facts.Identity.unlike(r.identity); len(unlike) > 0 {
		return fmt.Errorf("%s differs from its first run in its %s, want runs of one load", facts.Name, joinTraits(unlike))
	}
	measured := map[Figure]Known[float64]{}
	for key, value := range facts.Figures {
		figure, err := FigureByKey(key)
		if err != nil {
			return err
		}
		measured[figure] = value
		if r.values[figure] == nil {
			r.values[figure] = make([]Known[float64], r.n) // absent before
		}
	}
	r.n++
	for figure, values := range r.values {
		r.values[figure] = append(values, measured[figure])
	}
	return nil
}
