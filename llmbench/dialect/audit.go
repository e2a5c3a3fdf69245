package dialect

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/llmbench/go/llmbench"
)

// AISBenchAudit are strict figures of a stable stage: what happened inside the
// window, whoever it belongs to, and what the table's choices hide. Spans are in
// seconds, rates in tokens and requests per second. A window is [From, To).
type AISBenchAudit struct {
	Window   float64 `json:"window_s"`
	Selected int     `json:"selected"`
	// SelectedFinished counts the selected that end in the window, its last
	// instant included; Completions all that end in it, excluded.
	SelectedFinished int                     `json:"selected_finished_in_window"`
	Completions      int                     `json:"completions_in_window"`
	CompletionRate   llmbench.Known[float64] `json:"completion_rate_in_window"`
	// OutputTokens arrived in the window with their event.
	OutputTokens float64                 `json:"strict_output_tokens"`
	OutputRate   llmbench.Known[float64] `json:"strict_output_tok_s"`
	// OutputRateUniform spreads all tokens but the first evenly from the first
	// event to the last, for tools that keep no events.
	OutputRateUniform llmbench.Known[float64] `json:"strict_output_tok_s_est_uniform"`
	SelectedTokens    int                     `json:"selected_tokens"`
	SelectedOutside   float64                 `json:"selected_tokens_outside_window"`
	UnselectedInside  float64                 `json:"unselected_tokens_inside_window"`
	InFlightMean      llmbench.Known[float64] `json:"inflight_mean_in_window"`
	// FullFraction is the share of the window with at least the configured
	// concurrency in flight.
	FullFraction llmbench.Known[float64] `json:"full_concurrency_fraction"`
	// The ITL figures are over the selected requests that have a gap.
	ITLRequests       int                     `json:"itl_requests"`
	ITLIntervals      int                     `json:"itl_intervals"`
	ITLZeros          int                     `json:"itl_zero_intervals"`
	ITLPooled         llmbench.Known[float64] `json:"itl_mean_pooled"`
	ITLMeanOfRequests llmbench.Known[float64] `json:"itl_mean_of_request_means"`
	// TPOTMultiToken leaves out the zeros of replies with one token or none.
	TPOTMultiToken  llmbench.Known[float64] `json:"tpot_mean_multi_token_only"`
	TPOTRequests    int                     `json:"tpot_n_multi_token"`
	TPOTTokenWeight llmbench.Known[float64] `json:"tpot_token_weighted"`
	// Credible is AISBench's own rule of thumb: the longest selected request is
	// shorter than a third of the window.
	Credible bool `json:"credible_by_doc_rule"`
}

func newAudit(w llmbench.Window, all, selected []request, users int) *AISBenchAudit {
	a := &AISBenchAudit{Window: w.Length().Seconds(), Selected: len(selected)}
	a.tokens(w, all, selected)
	a.inFlight(w, all, users)
	a.gaps(selected)
	a.perToken(selected)
	return a
}

func inWindow(w llmbench.Window, at time.Duration) bool { return at >= w.From && at < w.To }

func (a *AISBenchAudit) tokens(w llmbench.Window, all, selected []request) {
	chosen := make(map[*llmbench.Record]bool, len(selected))
	longest := 0.0
	for _, q := range selected {
		chosen[q.record] = true
		longest = max(longest, q.e2el())
		a.SelectedTokens += max(q.output, 0)
		if q.lastEvent() <= w.To {
			a.SelectedFinished++
		}
	}
	uniform := 0.0
	for _, q := range all {
		inside := q.tokensIn(w)
		a.OutputTokens += inside
		uniform += q.uniformTokensIn(w)
		if chosen[q.record] {
			a.SelectedOutside += float64(max(q.output, 0)) - inside
		} else {
			a.UnselectedInside += inside
		}
		if inWindow(w, q.lastEvent()) {
			a.Completions++
		}
	}
	a.CompletionRate = over(float64(a.Completions), a.Window)
	a.OutputRate = over(a.OutputTokens, a.Window)
	a.OutputRateUniform = over(uniform, a.Window)
	a.Credible = longest < a.Window/3
}

// tokensIn are the tokens whose event arrived in the window: by the events' own
// counts where they add up to the output, else one with the first content and
// the rest in equal shares. Without a stream all arrive at the end.
func (q *request) tokensIn(w llmbench.Window) float64 {
	if q.output <= 0 {
		return 0
	}
	if len(q.content) == 0 {
		if inWindow(w, q.lastEvent()) {
			return float64(q.output)
		}
		return 0
	}
	sum, counted := 0, 0
	for _, c := range q.record.Chunks {
		sum += int(c.Tokens)
		if inWindow(w, c.At) {
			counted += int(c.Tokens)
		}
	}
	if sum == q.output {
		return float64(counted)
	}
	return q.sharesIn(w)
}

func (q *request) sharesIn(w llmbench.Window) float64 {
	tokens := 0.0
	for i, at := range q.content {
		switch {
		case !inWindow(w, at):
		case len(q.content) == 1:
			tokens = float64(q.output)
		case i == 0:
			tokens++
		default:
			tokens += float64(q.output-1) / float64(len(q.content)-1)
		}
	}
	return tokens
}

// uniformTokensIn spreads all tokens but the first evenly over the events.
func (q *request) uniformTokensIn(w llmbench.Window) float64 {
	if !q.streamed() {
		return q.tokensIn(w)
	}
	if q.output <= 0 {
		return 0
	}
	first, last := q.events[0], q.lastEvent()
	tokens := 0.0
	if inWindow(w, first) {
		tokens = 1
	}
	if last == first {
		return tokens * float64(q.output)
	}
	overlap := min(last, w.To) - max(first, w.From)
	return tokens + float64(q.output-1)*float64(max(overlap, 0))/float64(last-first)
}

// inFlight averages the requests in flight over the window.
func (a *AISBenchAudit) inFlight(w llmbench.Window, all []request, users int) {
	type edge struct {
		at   time.Duration
		step int
	}
	var edges []edge
	for _, q := range all {
		from, to := max(q.sent, w.From), min(q.lastEvent(), w.To)
		if from < to {
			edges = append(edges, edge{from, 1}, edge{to, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var area, full float64
	at, count := w.From, 0
	for _, e := range edges {
		length := (e.at - at).Seconds()
		area += length * float64(count)
		if count >= users {
			full += length
		}
		at, count = e.at, count+e.step
	}
	a.InFlightMean, a.FullFraction = over(area, a.Window), over(full, a.Window)
}

func (a *AISBenchAudit) gaps(selected []request) {
	var pooled, means []float64
	for _, q := range selected {
		gaps := gapsOf(q.events, 1e9)
		if len(gaps) == 0 || q.record.Sparse {
			continue
		}
		a.ITLRequests++
		for _, g := range gaps {
			if g == 0 {
				a.ITLZeros++
			}
		}
		pooled = append(pooled, gaps...)
		means = append(means, newSample(gaps).mean)
	}
	a.ITLIntervals = len(pooled)
	a.ITLPooled, a.ITLMeanOfRequests = newSample(pooled).Mean(), newSample(means).Mean()
}

// perToken are the TPOT figures of replies with more than one token. AISBench
// gives a reply without a stream TPOT 0 and TTFT 0, which shows here: 0 in the
// mean over requests, its whole latency in the mean over tokens.
func (a *AISBenchAudit) perToken(selected []request) {
	var each []float64
	var span, tokens float64
	for _, q := range selected {
		if q.output <= 1 {
			continue
		}
		each = append(each, q.tpot())
		first := q.sent
		if q.streamed() {
			first = q.events[0]
		}
		span += (q.lastEvent() - first).Seconds()
		tokens += float64(q.output - 1)
	}
	a.TPOTRequests = len(each)
	a.TPOTMultiToken, a.TPOTTokenWeight = newSample(each).Mean(), over(span, tokens)
}

// text prints each figure under its name in JSON.
func (a *AISBenchAudit) text() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	v := reflect.ValueOf(*a)
	for i := range v.NumField() {
		value := fmt.Sprint(v.Field(i).Interface())
		switch figure := v.Field(i).Interface().(type) {
		case llmbench.Known[float64]:
			value = show(figure)
		case float64:
			value = show(llmbench.Is(figure))
		}
		fmt.Fprintf(w, "%s\t%s\n", v.Type().Field(i).Tag.Get("json"), value)
	}
	w.Flush()
	return out.String()
}
