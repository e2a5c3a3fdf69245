package llmbench

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// stdout is where annotations go: GitHub's runner reads the job's output. A
// test puts something else here.
var stdout io.Writer = os.Stdout

// tellGitHub appends the short report to the job's summary and annotates the
// claims that do not hold, where the test runs in a GitHub workflow.
func (r *Result) tellGitHub(t T) {
	t.Helper()
	if path := os.Getenv("GITHUB_STEP_SUMMARY"); path != "" {
		if err := r.appendSummary(path); err != nil {
			t.Logf("warning: llmbench: GITHUB_STEP_SUMMARY: %v", err)
		}
	}
	r.annotate()
}

// annotate writes an annotation for each claim that does not hold.
func (r *Result) annotate() {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return
	}
	for _, j := range r.Judgements() {
		if !j.Holds() {
			fmt.Fprint(stdout, annotation(r.Test, j))
		}
	}
}

func (r *Result) appendSummary(path string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // the write's own error is told
	return WriteMarkdown(file, r)
}

// annotation is one workflow command. A claim that cannot be judged is a
// warning, as the server may be without fault.
func annotation(test string, j Judgement) string {
	level := "error"
	if j.State != "fails" {
		level = "warning"
	}
	text := plain(j.Line)
	for _, row := range j.Rows {
		text += fmt.Sprintf("\n%-10s %s", plain(row[0]), plain(row[1]))
	}
	title := plain(test)
	if j.Claim != "" {
		title += ": " + plain(j.Claim)
	}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	return fmt.Sprintf("\n::%s title=%s::%s\n", level, property.Replace(title), data.Replace(text))
}
