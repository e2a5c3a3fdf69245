package llmbench

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// headline are the metrics of the short tables that people paste.
var headline = []Metric{
	TTFT, EffectiveTTFT, TPOT, ICL, RequestLatency, EffectiveLatency, QueueWait,
	EffectivePrefillThroughput, ActivePrefillThroughput, EffectiveDecodeThroughput, ActiveDecodeThroughput,
	RequestThroughput, EffectiveConcurrency, TokensInFlight,
}

// WriteMarkdown writes the result as a page for a pull request or a job
// summary: what was run, what the claims said, and the headline figures. Text
// that a server or a file brought is escaped.
func WriteMarkdown(w io.Writer, r *Result) error {
	out := bufio.NewWriter(w)
	name := r.Test
	if name == "" {
		name = "llmbench"
	}
	fmt.Fprintf(out, "## %s\n\n", inMarkdown(name))
	r.markdownClaims(out)
	r.markdownHead(out)
	fmt.Fprint(out, "| metric | avg | min | p50 | p90 | p99 | max | n |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, m := range headline {
		if s := r.Stats(m); s.Absent() == "" {
			scale, values := scaled(s, []column{
				{value: Stats.Mean}, {value: Stats.Min}, {value: at(0.5)}, {value: at(0.9)}, {value: at(0.99)}, {value: Stats.Max},
			})
			fmt.Fprintf(out, "| %s", label(m, scale.Unit))
			for _, v := range values {
				fmt.Fprintf(out, " | %s", cellText(scale, v))
			}
			fmt.Fprintf(out, " | %d |\n", s.N())
		}
	}
	fmt.Fprintln(out)
	return out.Flush()
}

func (r *Result) markdownClaims(out *bufio.Writer) {
	claims := r.Judgements()
	if len(claims) == 0 {
		return
	}
	fmt.Fprint(out, "| verdict | claim |\n|---|---|\n")
	for _, j := range claims {
		verdict := j.State
		if !j.Holds() {
			verdict = "**" + verdict + "**"
		}
		fmt.Fprintf(out, "| %s | %s |\n", verdict, inMarkdown(j.Line))
	}
	fmt.Fprintln(out)
}

// markdownHead is the console's head as a list.
func (r *Result) markdownHead(out *bufio.Writer) {
	var head strings.Builder
	r.writeHead(&head)
	for line := range strings.Lines(head.String()) {
		fmt.Fprintf(out, "- %s\n", inMarkdown(strings.TrimSpace(line)))
	}
	fmt.Fprintln(out)
}

// inMarkdown makes text that shows as it stands: no tag, link, image or table
// cell can begin in it, nor a mention of a user.
func inMarkdown(text string) string {
	var out strings.Builder
	for _, r := range plain(text) {
		switch {
		case r == '@':
			out.WriteString("@\u200b")
		case strings.ContainsRune("\\`*_[]<>#|~$&", r):
			fmt.Fprintf(&out, "&#%d;", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
