package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/llmbench/dialect"
)

// Write writes the result's page. It is a few hundred kilobytes whatever the
// length of the run. Errors are those of w.
func Write(w io.Writer, r *llmbench.Result) error {
	p := &page{
		Title: title(r), Subtitle: subtitle(r),
		Claims: r.Judgements(), Verdict: verdictOf(r.Judgements()),
		Warnings: warnings(r), Cards: cards(r), Facts: facts(r),
	}
	line := newTimeline(r)
	p.add(section{
		ID: "time", Title: "Over time", Clock: true,
		Intro:  "All pictures here share one clock, the run's. Drag across one to zoom all of them.",
		Charts: pictures(append(line.charts(), line.latencyCharts()...)),
	})
	p.add(section{
		ID: "requests", Title: "Request by request", Clock: true,
		Intro:  "Each bar is a request: waiting for its turn, in prefill, in decode.",
		Charts: pictures([]*chart{line.lanes()}),
	})
	p.add(section{
		ID: "distributions", Title: "Distributions",
		Intro: "Each latency twice: from the instant at which the request was sent, and from the instant at which the schedule wanted it sent. " +
			"Where the second lies to the right of the first, requests waited in the client: a clock that starts at the send hides that wait (coordinated omission).",
		Charts: pictures(line.distributions()),
	})
	p.add(section{ID: "groups", Title: "Slices and classes", Tables: append(line.timeSlices(), line.classes()...)})
	p.add(section{
		ID: "server", Title: "The server's own figures", Clock: true,
		Intro:  "What the server said of itself, on the run's clock, and held against what was seen from outside.",
		Charts: pictures(line.serverCharts()), Tables: agreements(r),
	})
	p.add(section{ID: "figures", Title: "All figures", Tables: metricTables(r)})
	p.add(reconciled(r))
	return p.write(w)
}

func (t *timeline) latencyCharts() []*chart {
	return []*chart{
		t.latencies("ttft", "Time to first token", llmbench.TTFT, llmbench.EffectiveTTFT),
		t.latencies("latency", "Request latency", llmbench.RequestLatency, llmbench.EffectiveLatency),
	}
}

// add puts a section on the page unless it has nothing to show.
func (p *page) add(s section) {
	if len(s.Charts)+len(s.Tables) > 0 || s.Text != "" {
		p.Sections = append(p.Sections, s)
	}
}

func title(r *llmbench.Result) string {
	if r.Test != "" {
		return r.Test
	}
	return "llmbench result"
}

func subtitle(r *llmbench.Result) string {
	text := fmt.Sprintf("%d records", len(r.Records))
	if r.Schedule != nil {
		text = r.Schedule.String()
	}
	if e := r.Environment; e != nil && e.Model != "" {
		text += fmt.Sprintf(", model %q", short(e.Model))
	}
	return text + "; window " + r.Window.String()
}

// verdictOf sums up the claims in one sentence, failures first.
func verdictOf(claims []llmbench.Judgement) verdict {
	count := map[string]int{}
	for _, j := range claims {
		count[j.State]++
	}
	switch n := len(claims); {
	case n == 0:
		return verdict{"none", "No claim was judged when this page was written."}
	case count["fails"] > 0:
		return verdict{"fails", fmt.Sprintf("%d of %d claims fail", count["fails"], n)}
	case count["holds"] < n:
		return verdict{"unclear", fmt.Sprintf("%d of %d claims cannot be judged", n-count["holds"], n)}
	case n == 1:
		return verdict{"holds", "The claim holds"}
	default:
		return verdict{"holds", fmt.Sprintf("All %d claims hold", n)}
	}
}

// warnings are what a reader must know before any figure: partial results, a
// generator that was the bottleneck, a server that counts otherwise.
func warnings(r *llmbench.Result) (all []string) {
	if r.Stopped != "" {
		all = append(all, "The run ended early, these are partial results: "+short(r.Stopped))
	}
	if g := r.Generator; g != nil && g.Fitness != "" && g.Fitness != llmbench.Fit {
		all = append(all, fmt.Sprintf("The load generator itself was %s: %s", g.Fitness, short(strings.Join(g.Reasons, "; "))))
	}
	for _, a := range r.Agreements() {
		if !a.Agrees() {
			all = append(all, "The server counts otherwise: "+a.String())
		}
	}
	return all
}

// metricTables are all metrics that are present, group by group, and those that
// are not with the reason.
func metricTables(r *llmbench.Result) []titled {
	var all []titled
	absent := grid{Head: []string{"metric", "why it is absent"}}
	for _, group := range llmbench.Groups() {
		var rows table
		for _, m := range llmbench.Metrics() {
			if m.Group() != group {
				continue
			}
			if why := r.Stats(m).Absent(); why != "" {
				absent.Rows = append(absent.Rows, []string{m.Name(), why})
				continue
			}
			rows.add(r.Stats(m))
		}
		if len(rows.rows) > 0 {
			all = append(all, titled{Title: string(group), Table: grid{rows.head, rows.rows}})
		}
	}
	if len(absent.Rows) > 0 {
		all = append(all, titled{Title: "Absent", Folded: true, Table: absent})
	}
	return all
}

// maxReconciled bounds the events of a run that is shown under other tools'
// rules: each of them gathers all gaps again.
const maxReconciled = 2_000_000

// reconciled shows the run under other tools' names and rules.
func reconciled(r *llmbench.Result) section {
	s := section{
		ID: "tools", Title: "Under other tools' rules",
		Intro: "The same records as AIPerf, AISBench, vLLM bench and guidellm would count them, so that two reports can be reconciled.",
	}
	events := 0
	for i := range r.Records {
		events += len(r.Records[i].Chunks)
	}
	switch {
	case r.Counts.OK == 0:
	case events > maxReconciled:
		s.Text = fmt.Sprintf("Left out: the run has %d events, and this page shows at most %d. llmbench/dialect.Reconcile prints it for any run.", events, maxReconciled)
	default:
		s.Text = dialect.Reconcile(r)
	}
	return s
}
