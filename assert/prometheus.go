package assert

import (
	"fmt"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
)

// A scrape is what vLLM exports of a metric (vLLM, docs/design/metrics.md,
// engine V1), and how far it is from ours.
type scrape struct {
	// histogram has buckets in seconds; counter counts what a rate is made of;
	// gauge is a level.
	histogram, counter, gauge string
	note                      string
}

const serverClock = "by the server's clock: network, proxy and client are not in it, and quantiles are interpolated within buckets"

// scrapes are the metrics that vLLM has something of.
var scrapes = map[llmbench.Metric]scrape{
	llmbench.TTFT:           {histogram: "vllm:time_to_first_token_seconds", note: serverClock},
	llmbench.EffectiveTTFT:  {histogram: "vllm:time_to_first_token_seconds", note: serverClock + "; waiting before the server is not in it"},
	llmbench.TPOT:           {histogram: "vllm:request_time_per_output_token_seconds", note: serverClock},
	llmbench.ITL:            {histogram: "vllm:inter_token_latency_seconds", note: serverClock + "; gaps are between engine steps, not events"},
	llmbench.ICL:            {histogram: "vllm:inter_token_latency_seconds", note: serverClock + "; gaps are between engine steps, not chunks"},
	llmbench.RequestLatency: {histogram: "vllm:e2e_request_latency_seconds", note: serverClock},
	llmbench.EffectiveLatency: {histogram: "vllm:e2e_request_latency_seconds",
		note: serverClock + "; waiting before the server is not in it"},
	llmbench.RequestThroughput:          {counter: "vllm:request_success_total", note: "all finish reasons, aborts included"},
	llmbench.InputTokenThroughput:       {counter: "vllm:prompt_tokens_total"},
	llmbench.OutputTokenThroughput:      {counter: "vllm:generation_tokens_total"},
	llmbench.EffectivePrefillThroughput: {counter: "vllm:prompt_tokens_total"},
	llmbench.EffectiveDecodeThroughput:  {counter: "vllm:generation_tokens_total", note: "the first token of each reply included"},
	llmbench.EffectiveConcurrency:       {gauge: "vllm:num_requests_running", note: "sampled at scrapes, requests that wait in the server not included"},
}

// Prometheus prints the contract as a file of Prometheus alert rules on vLLM's
// metric names, so that what a test holds a server to is watched in production:
// an alert fires when a limit has been broken over the window for as long. What
// a rule only approximates is said in its annotation, and what vLLM does not
// export, in a comment; no claim is left out in silence. An alert is called after
// the contract, the claim's name and the statistic, LlmbenchChatFirstTokenP99, so
// that its name stays when other claims come or go; a name that comes twice has _2.
func (c *Contract) Prometheus(window time.Duration) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Contract %s as Prometheus alert rules on vLLM's metrics.\n", oneLine(c.Name))
	fmt.Fprintf(&b, "groups:\n- name: %q\n  rules:\n", "llmbench "+c.Name)
	rules := map[string]int{} // by name
	for _, t := range c.terms {
		for _, a := range alerts(t, promTime(window)) {
			if a.missing != "" {
				fmt.Fprintf(&b, "  # line %d: %s: no rule, as %s\n", t.line, oneLine(a.what), a.missing)
				continue
			}
			name := alertName(c.Name, claimName(t), a.stat)
			rules[name]++
			if n := rules[name]; n > 1 {
				name += fmt.Sprintf("_%d", n)
			}
			fmt.Fprintf(&b, "  - alert: %q\n    expr: %s\n    for: %s\n", name, quoteYAML(a.expr), promTime(window))
			fmt.Fprintf(&b, "    annotations:\n      summary: %s\n", quoteYAML(a.what))
			if a.note != "" {
				fmt.Fprintf(&b, "      approximate: %s\n", quoteYAML(a.note))
			}
		}
	}
	if len(rules) == 0 {
		return []byte(strings.Replace(b.String(), "  rules:\n", "  rules: []\n", 1))
	}
	return []byte(b.String())
}

// An alert is one limit as a rule, or the reason why there is none.
type alert struct {
	what, stat, expr, note string
	missing                string
}

// alertName joins the parts to a name that Alertmanager and its routes take as it
// is: ASCII letters and digits, each word with a capital.
func alertName(parts ...string) string {
	var name strings.Builder
	name.WriteString("Llmbench")
	word := true // a word begins
	for _, part := range parts {
		for _, r := range part + " " {
			switch {
			case r >= 'a' && r <= 'z' && word:
				name.WriteRune(r - 'a' + 'A')
			case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
				name.WriteRune(r)
			default:
				word = true
				continue
			}
			word = false
		}
	}
	return name.String()
}

// alerts translates one claim.
func alerts(t term, window string) []alert {
	what := claimName(t)
	if t.class != (Class{}) {
		return []alert{{what: what, missing: "vLLM's metrics do not tell " + t.class.String() + " from others"}}
	}
	switch claim := t.claim.(type) {
	case metricClaim:
		if claim.metric == llmbench.PrefixCacheHitRate && len(claim.limits) == 1 && claim.limits[0].q == ofMean {
			return hitAlert(claim.limits[0].value/100, window)
		}
		return limitAlerts(claim.metric, claim.limits, claim.most, claim.extra.PerInputToken, window)
	case TTFT:
		return limitAlerts(llmbench.TTFT, Ceiling(claim).limits(), true, claim.PerInputToken, window)
	case TPOT:
		return limitAlerts(llmbench.TPOT, Ceiling(claim).limits(), true, claim.PerInputToken, window)
	case CacheHitRate:
		return hitAlert(claim.AtLeast, window)
	case ErrorRate, NoErrors:
		return []alert{{what: what, missing: "vLLM counts no failed requests; alert on the gateway's status codes"}}
	case NoStall:
		return []alert{{what: what, missing: "vLLM keeps no longest gap of a request"}}
	case Goodput:
		return []alert{{what: what, missing: "goodput joins several times of one request, which histograms keep apart"}}
	}
	return []alert{{what: what, missing: "it is about the load or the client, not the server"}}
}

func hitAlert(least float64, window string) []alert {
	return []alert{{
		what: "prefix cache hit rate under " + share(least),
		expr: fmt.Sprintf("sum(rate(vllm:prefix_cache_hits_total[%s])) / sum(rate(vllm:prefix_cache_queries_total[%s])) < %v", window, window, least),
	}}
}

func limitAlerts(metric llmbench.Metric, limits []limit, most bool, perToken time.Duration, window string) []alert {
	var all []alert
	for _, l := range limits {
		a := alert{stat: l.word(), what: fmt.Sprintf("%s %s %s %s", called(metric), l.word(), map[bool]string{true: "over", false: "under"}[most], amount(l.value, metric.Unit()))}
		s, ok := scrapes[metric]
		expr, why := s.of(l, window)
		switch {
		case !ok:
			a.missing = "vLLM exports nothing like " + called(metric)
		case perToken > 0:
			a.missing = "a histogram does not know the prompt of each request"
		case why != "":
			a.missing = why
		}
		a.note = s.note
		sign, bound := ">", l.value
		if !most {
			sign = "<"
		}
		if s.histogram != "" {
			bound /= 1000 // milliseconds in seconds
		}
		a.expr = fmt.Sprintf("%s %s %v", expr, sign, bound)
		all = append(all, a)
	}
	return all
}

// of is the expression of a statistic, or why there is none.
func (s scrape) of(l limit, window string) (expr, missing string) {
	switch {
	case s.histogram != "" && l.q > 0:
		return fmt.Sprintf("histogram_quantile(%v, sum by (le) (rate(%s_bucket[%s])))", l.q, s.histogram, window), ""
	case s.histogram != "" && l.q == ofMean:
		return fmt.Sprintf("sum(rate(%s_sum[%s])) / sum(rate(%s_count[%s]))", s.histogram, window, s.histogram, window), ""
	case s.counter != "" && l.q == ofMean:
		return fmt.Sprintf("sum(rate(%s[%s]))", s.counter, window), ""
	case s.gauge != "" && l.q == ofMean:
		return fmt.Sprintf("sum(avg_over_time(%s[%s]))", s.gauge, window), ""
	case s.gauge != "" && l.q > 0:
		return fmt.Sprintf("sum(quantile_over_time(%v, %s[%s]))", l.q, s.gauge, window), ""
	case s.gauge != "" && l.q == ofMax:
		return fmt.Sprintf("sum(max_over_time(%s[%s]))", s.gauge, window), ""
	}
	return "", "vLLM's metrics do not keep its " + l.word()
}

// promTime is a duration as Prometheus writes it, in whole seconds.
func promTime(d time.Duration) string { return fmt.Sprintf("%ds", max(int(d.Seconds()), 1)) }

// quoteYAML makes one double-quoted scalar; Go's escapes of these texts are
// YAML's.
func quoteYAML(text string) string { return fmt.Sprintf("%q", oneLine(text)) }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
