package assert

import "strings"

// docsPage explains every text of this package, a section each.
const docsPage = "https://github.com/llmbench/go/blob/main/llmbench/docs/troubleshooting.md"

// sections are the sections of docsPage and the words by which a first line is
// known to belong there, as a reader would look for it. The first that fits
// counts.
var sections = []struct {
	anchor string
	words  []string
}{
	{"closed-loop", []string{"in a closed loop of"}},
	{"bad-claim", []string{"bad claim: ", "it is a single number", "there is no result"}},
	{"stopped", []string{"the run was stopped before"}},
	{"regression", []string{"cannot judge no regression", "worse than"}},
	{"generator", []string{"the generator itself", "the generator was", "held more than one event"}},
	{"no-samples", []string{"no samples", "cannot judge errors: ", "cannot judge error rate: no", "cannot judge goodput: no",
		"no request was measured", "no request was sent", "no rate: "}},
	{"too-few-requests", []string{"more requests narrow that", "is too few", "would be chance", " requests at ", " requests with no more "}},
	{"classes", []string{"cannot judge requests with", "there are none"}},
	{"records", []string{"the records ", "contradict each other", "it is NaN", "is no time", "are unknown", "is no number to divide by"}},
	{"late-sends", []string{"responses set the pace"}},
	{"agreement", []string{"agreement with the server", "client and server disagree"}},
	{"overload", []string{"load shedding", "recovery", "goodput under overload", " rejections ", "took longer than", "after the burst"}},
	{"capacity", []string{"capacity", "no load holds"}},
	{"window", []string{"stable window", "window has", "window is", "stable stage", "of the window of", "to the last third"}},
	{"failed-requests", []string{"failed, want none", "error rate is", "were not completed"}},
	{"goodput", []string{"requests are good", "goodput is"}},
	{"stalls", []string{"longest stall", "gaps over"}},
	{"queue-wait", []string{"queue wait"}},
	{"littles-law", []string{"concurrency and rate x latency"}},
	{"cache", []string{"prefix cache hit rate"}},
	{"tokens", []string{"tokens of ", "token counts of ", "not the length asked for"}},
	{"ratio", []string{" ratio is "}},
	{"concurrency", []string{"concurrency", "tokens in flight"}},
	{"rates", []string{"want at least", "throughput"}},
	{"latency", []string{"want at most", "want less than", "has no bound"}},
}

// docsOf is where a first line is explained: its section, else the page.
func docsOf(line string) string {
	for _, s := range sections {
		for _, words := range s.words {
			if strings.Contains(line, words) {
				return docsPage + "#" + s.anchor
			}
		}
	}
	return docsPage
}
