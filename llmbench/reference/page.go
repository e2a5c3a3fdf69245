package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/llmbench/go/llmbench"
)

// page is METRICS.md. It takes the text of names.go, which alone knows under
// what name Go code finds a metric.
func page(names string) string {
	goNames := map[string]string{}
	for _, m := range regexp.MustCompile(`(\w+) += drawn\("(.*)"\)`).FindAllStringSubmatch(names, -1) {
		goNames[m[2]] = m[1]
	}
	var out strings.Builder
	out.WriteString(head)
	for _, g := range llmbench.Groups() {
		fmt.Fprintf(&out, "\n## %s\n\n| tag | Go name | unit | better | kind | definition | source |\n|---|---|---|---|---|---|---|\n", g)
		for _, m := range llmbench.Metrics() {
			if m.Group() == g {
				fmt.Fprintf(&out, "| `%s` | `%s` | %s | %s | %s | %s | %s |\n", m.Tag(), goNames[m.Tag()],
					m.Unit(), m.Better(), m.Kind(), cell(m.Definition()), cell(m.Source()))
			}
		}
	}
	return out.String()
}

// cell keeps a bar in a text from ending a table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

const head = `# Metrics

Made from the table in metrics.go by ` + "`go generate ./llmbench`" + `; do not edit.

What is absent is null in JSON, with its reason under ` + "`absent`" + `; it is never 0, NaN or infinite. Latency and token
metrics are over requests that ended ok. Every figure belongs to a window, and a result names the window and the id of
the rule that chose it.

## Symbols

| symbol | what it is |
|---|---|
| K | when the schedule wanted the request sent; in a closed loop, when the user became ready |
| S | just before the request was written |
| C1..Cn | content chunks: events with text, reasoning text or a piece of a tool call; an event known to hold 0 tokens is none |
| E | the response is over, or its failure was seen |
| ISL, OSL | input and output tokens; a result counts where they came from |
| W | length of the window |

## Kinds

- **per request**: one sample per ok request. Quantiles interpolate linearly, h = q(n-1); std is that of the population.
- **pooled**: one sample per gap, of all ok requests together.
- **over time**: a step function of time, right-continuous; all statistics are weighted by time. A quantile is the smallest
  height at or below which the curve stood for at least that share of the time. *Effective* figures are over the whole
  window, *active* ones over the time in which the curve's phase has a request.
- **single**: one number for the window.

## Windows

| rule id | what it covers |
|---|---|
| ` + "`whole`" + ` | from the first K (S where unknown) to the last E of the measured requests; all of them |
| ` + "`between`, `slice`" + ` | a stretch from a to before b: curves are clipped, request metrics cover the requests that start in it |
| ` + "`aisbench/stable-2026-08-17`" + ` | from the second start that brings the run to its configured concurrency to the last event that leaves it there; requests that start in it, both ends included, and nothing of them is clipped |
| ` + "`steady/mser-200`" + ` | ramp-up and drain cut off where the standard error of the mean concurrency is least |

The figures of the group Window count what happened inside the window, whichever request it belongs to.

## Token counts

A record says where its counts come from. Input: ` + "`usage`" + ` (the server's last report; running totals are not summed), ` + "`tokenizer`" + `,
or ` + "`planned`" + ` (what the profile asked for). Output: ` + "`usage`, `tokenizer`" + `, or ` + "`chunks`" + `, an estimate of one token per content chunk. The
length that was asked for is never taken for the output. ` + "`Endpoint.CountTokens`" + ` is the hook for a tokenizer, and ` + "`ServerTokenizer`" + `
makes one of the engine's own (llama.cpp and vLLM); it runs when the load is over. Reasoning tokens are part of OSL and are not added to it. Where the
first chunk brings several tokens and its count is known, time_per_output_token divides by what came after it.
`
