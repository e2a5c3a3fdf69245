package llmbench

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"runtime/debug"
	"strings"
	"time"
)

// FactsSchema names the form of a line beside a file of benchmark lines.
const FactsSchema = "llmbench.facts/v1"

// factsJSON is what belongs to one run and would split benchstat's tables as a
// configuration line.
type factsJSON struct {
	Schema      string       `json:"schema"`
	Name        string       `json:"name"` // as in the benchmark line
	Time        time.Time    `json:"time"` // when the line was written; virtual in a bubble
	Profile     *Profile     `json:"profile,omitempty"`
	ProfileHash string       `json:"profile_hash,omitempty"`
	Schedule    *Schedule    `json:"schedule,omitempty"`
	Window      windowJSON   `json:"window"`
	Environment *Environment `json:"environment,omitempty"`
	Generator   *Generator   `json:"generator,omitempty"`
	Counts      Counts       `json:"counts"`
	Stopped     string       `json:"stopped,omitempty"`
	// Identity and Figures are what ReadOut reads: the line beside has fewer digits
	// and other units.
	Identity Identity                  `json:"identity"`
	Figures  map[string]Known[float64] `json:"figures"`
}

// factsOf is the line, with its end.
func factsOf(name string, r *Result) ([]byte, error) {
	figures := map[string]Known[float64]{}
	for _, f := range Figures() {
		if value := f.Of(r); value.Ok() {
			figures[f.Key()] = value
		}
	}
	line, err := json.Marshal(factsJSON{
		Identity: identityOf(r).measuring(Figures()), Figures: figures,
		Schema: FactsSchema, Name: name, Time: time.Now(),
		Profile: r.Profile, ProfileHash: profileHash(r.Profile, true), Schedule: r.Schedule,
		Window:      windowJSON{int64(r.Window.From), int64(r.Window.To), int64(r.Window.Length()), r.Window.Rule, r.Window.Share(r.whole)},
		Environment: r.Environment, Generator: r.Generator, Counts: r.Counts, Stopped: r.Stopped,
	})
	return append(line, '\n'), err
}

// profileHash names a profile with its defaults, with or without its seed:
// equal hashes are the same load. It is empty where there is no profile.
func profileHash(p *Profile, seed bool) string {
	if p == nil {
		return ""
	}
	copied := *p
	if !seed {
		copied.Seed = 0
	}
	text, err := json.Marshal(copied)
	if err != nil {
		text = []byte(err.Error()) // Body.Extra holds what JSON cannot; such a profile sends nothing
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// testedPackage is the import path of the package whose test runs; of another
// program its main package.
func testedPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	path := strings.TrimSuffix(info.Path, ".test")
	return strings.TrimSuffix(path, "_test")
}
