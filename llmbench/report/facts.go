package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/llmbench/go/llmbench"
)

// textBound cuts text of strangers, in bytes.
const textBound = 300

// short is text at a length that fits a page, with a mark where it was cut. The
// template escapes it.
func short(text string) string {
	if len(text) <= textBound {
		return text
	}
	end := textBound
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s... (%d more bytes)", text[:end], len(text)-end)
}

// facts tell what was run, where, and how the harness did.
func facts(r *llmbench.Result) []fact {
	var all []fact
	add := func(label, format string, args ...any) {
		all = append(all, fact{label, fmt.Sprintf(format, args...)})
	}
	add("Window", "%v", r.Window)
	add("Requests", "%v", r.Counts)
	if r.Stopped != "" {
		add("Stopped", "%s: these are partial results", short(r.Stopped))
	}
	for _, line := range failures(r) {
		add("Failure", "%s", line)
	}
	if s := r.Schedule; s != nil {
		add("Schedule", "%v", s)
		if hash := s.Hash(); hash != "" {
			add("Schedule hash", "%s", hash)
		}
	}
	if r.Profile != nil {
		all = append(all, fieldFacts("Profile", r.Profile)...)
	}
	if r.Generator != nil {
		all = append(all, fieldFacts("Generator", r.Generator)...)
	}
	return append(all, environment(r.Environment)...)
}

// fieldFacts are a value's fields as its JSON has them: a field that is added
// there is here too, and a secret that is not there is not here.
func fieldFacts(what string, v any) []fact {
	text, err := json.Marshal(v)
	var fields map[string]any
	if err != nil || json.Unmarshal(text, &fields) != nil {
		return nil // an extra field may be no JSON; the schedule tells enough
	}
	var all []fact
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if value := worded(name, fields[name]); value != "" {
			all = append(all, fact{what + ": " + strings.ReplaceAll(strings.TrimSuffix(name, "_ns"), "_", " "), value})
		}
	}
	return all
}

// worded is a field's value for people; empty for an object without fields.
func worded(name string, value any) string {
	switch v := value.(type) {
	case float64:
		if strings.HasSuffix(name, "_ns") {
			return tidy(time.Duration(v)).String()
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return short(v)
	case map[string]any:
		if len(v) == 0 {
			return ""
		}
	}
	text, _ := json.Marshal(value) // it came out of JSON
	return short(string(text))
}

func environment(e *llmbench.Environment) []fact {
	if e == nil {
		return nil
	}
	all := []fact{
		{"Target", short(e.URL)}, {"Model", short(e.Model)}, {"API", short(e.API)},
		{"llmbench", e.Version}, {"Go", fmt.Sprintf("%s, %s/%s, %d CPUs, GOMAXPROCS %d", e.Go, e.OS, e.Arch, e.CPUs, e.Procs)},
	}
	if len(e.Notes) > 0 {
		all = append(all, fact{"Notes", short(strings.Join(e.Notes, "; "))})
	}
	return all
}

// maxFailures is how many different failures a page tells.
const maxFailures = 8

// failures are the different texts of what went wrong, in the order in which
// they came, with how often.
func failures(r *llmbench.Result) []string {
	count := map[string]int{}
	var order []string
	for record := range r.Requests() {
		if !record.Outcome.Failed() {
			continue
		}
		text := short(fmt.Sprintf("%s: %s", record.Outcome, record.Error))
		if count[text]++; count[text] == 1 {
			order = append(order, text)
		}
	}
	var lines []string
	for i, text := range order {
		if i == maxFailures {
			return append(lines, fmt.Sprintf("and %d other texts", len(order)-i))
		}
		lines = append(lines, fmt.Sprintf("%d x %s", count[text], text))
	}
	return lines
}
