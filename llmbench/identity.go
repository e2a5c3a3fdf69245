package llmbench

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A Trait is one respect in which runs must be alike to be compared.
type Trait string

// The traits of runs. The URL is none of them, nor is what serves: a port
// changes with every start, and the server is what one compares.
const (
	ProfileTrait  Trait = "profile"
	WindowTrait   Trait = "window rule"
	MetricTrait   Trait = "metric rule"
	ModelTrait    Trait = "model"
	APITrait      Trait = "API"
	HardwareTrait Trait = "hardware"
)

var allTraits = []Trait{ProfileTrait, WindowTrait, MetricTrait, ModelTrait, APITrait, HardwareTrait}

// An Identity is what runs were measured on and by which rules. It holds no key,
// no URL and no host name.
type Identity struct {
	// Profile is the load in the form of its JSON; nil for records that came from
	// elsewhere.
	Profile map[string]any `json:"profile"`
	// Window is the id of the window's rule.
	Window string `json:"window_rule"`
	Model  string `json:"model,omitempty"`
	API    string `json:"api,omitempty"`
	// Server is what the target calls itself, see [Repeat]. It may differ: it is
	// what a comparison is about.
	Server   string   `json:"server,omitempty"`
	Hardware Hardware `json:"hardware"`
	// Metrics are the definitions by which the figures were computed, by tag.
	Metrics map[string]string `json:"metrics,omitempty"`
}

// Hardware is the machine of the load generator, and of a server beside it.
type Hardware struct {
	CPU   string `json:"cpu,omitempty"` // model name; empty where the system does not tell
	CPUs  int    `json:"cpus"`
	Procs int    `json:"gomaxprocs"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
}

func identityOf(r *Result) Identity {
	id := Identity{Profile: profileMap(r.Profile), Window: r.Window.Rule}
	if e := r.Environment; e != nil {
		id.Model, id.API = e.Model, e.API
		id.Hardware = Hardware{CPU: cpuModel(), CPUs: e.CPUs, Procs: e.Procs, OS: e.OS, Arch: e.Arch}
	}
	return id
}

// profileMap is the profile as its JSON reads, numbers as they are written, so
// that a profile read from a baseline compares with one of this run.
func profileMap(p *Profile) map[string]any {
	if p == nil {
		return nil
	}
	text, err := json.Marshal(p)
	if err != nil {
		return map[string]any{"unreadable": err.Error()}
	}
	var read map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&read) // what json wrote, it reads
	return read
}

// traits gives each trait in a form that compares.
func (id Identity) traits() map[Trait]string {
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	return map[Trait]string{
		ProfileTrait: text(id.Profile), WindowTrait: id.Window, MetricTrait: text(id.Metrics),
		ModelTrait: id.Model, APITrait: id.API, HardwareTrait: text(id.Hardware),
	}
}

// unlike names the traits in which two identities differ.
func (id Identity) unlike(other Identity) []Trait {
	mine, theirs := id.traits(), other.traits()
	var differ []Trait
	for _, t := range allTraits {
		if mine[t] != theirs[t] {
			differ = append(differ, t)
		}
	}
	return differ
}

// without clears what may differ, the server with it.
func (id Identity) without(traits []Trait) Identity {
	id.Server = ""
	for _, t := range traits {
		switch t {
		case ProfileTrait:
			id.Profile = nil
		case WindowTrait:
			id.Window = ""
		case MetricTrait:
			id.Metrics = nil
		case ModelTrait:
			id.Model = ""
		case APITrait:
			id.API = ""
		case HardwareTrait:
			id.Hardware = Hardware{}
		}
	}
	return id
}

// measuring adds the definitions of the figures' metrics.
func (id Identity) measuring(figures []Figure) Identity {
	id.Metrics = map[string]string{}
	for _, f := range figures {
		id.Metrics[f.metric.Tag()] = f.metric.Unit() + ": " + f.metric.Definition()
	}
	return id
}

func joinTraits(traits []Trait) string {
	var words []string
	for _, t := range traits {
		words = append(words, string(t))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}
