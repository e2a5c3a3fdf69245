package assert

import (
	"fmt"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
)

// Goodput claims that enough requests were good: ok, and within every limit
// that is set, inclusive. A failed request is never good; a time that does not
// exist for a request, the TPOT of a one-token reply, breaks nothing. At least
// one limit, and Rate or Fraction, must be set.
type Goodput struct {
	TTFT, EffectiveTTFT, TPOT, RequestLatency, EffectiveLatency, MaxStall time.Duration

	// Rate is the least number of good requests per second of the window.
	Rate llmbench.Rate
	// Fraction is the least share of good requests among ok and failed, in
	// (0,1].
	Fraction float64
	// Confidence is the confidence with which the true fraction must be known to
	// reach Fraction or not, in (0,1); 0 compares the fraction of the sample.
	Confidence float64
}

// RequireGoodput stops the test unless enough requests were good.
func RequireGoodput(t T, r *llmbench.Result, c Goodput) {
	helper(t)()
	Require(t, r, c)
}

// CheckGoodput is RequireGoodput that lets the test go on; it returns
// whether the claim holds.
func CheckGoodput(t T, r *llmbench.Result, c Goodput) bool {
	helper(t)()
	return Check(t, r, c)
}

// slos are the limits that are set.
func (c Goodput) slos() []llmbench.SLO {
	var slos []llmbench.SLO
	for _, l := range []struct {
		metric llmbench.Metric
		limit  time.Duration
	}{
		{llmbench.TTFT, c.TTFT}, {llmbench.EffectiveTTFT, c.EffectiveTTFT}, {llmbench.TPOT, c.TPOT},
		{llmbench.RequestLatency, c.RequestLatency}, {llmbench.EffectiveLatency, c.EffectiveLatency},
		{llmbench.MaxStall, c.MaxStall},
	} {
		if l.limit != 0 {
			slos = append(slos, llmbench.SLO{Metric: l.metric, Limit: llmbench.Millis(l.limit)})
		}
	}
	return slos
}

func (c Goodput) wrong() string {
	switch {
	case len(c.slos()) == 0:
		return "Goodput sets no limit, want at least one of TTFT, TPOT, RequestLatency and so on > 0"
	case c.Rate == 0 && c.Fraction == 0:
		return "Goodput: Rate and Fraction are both 0, want at least one of them > 0"
	case !(c.Rate >= 0):
		return fmt.Sprintf("Goodput: Rate is %v, want >= 0 req/s", float64(c.Rate))
	}
	for _, slo := range c.slos() {
		if slo.Limit < 0 {
			return fmt.Sprintf("Goodput: limit on %s is %s, want > 0", called(slo.Metric), amount(slo.Limit, "ms"))
		}
	}
	if why := wrongShare("Goodput: Fraction", c.Fraction); why != "" {
		return why
	}
	return wrongConfidence("Goodput", c.Confidence)
}

// Check judges the claim.
func (c Goodput) Check(r *llmbench.Result) Verdict {
	m := about("goodput", r)
	if why := c.wrong(); why != "" {
		return m.badClaim("%s", why)
	}
	windowRow(m, r)
	if why := unfit(r); why != "" {
		return m.cannot("%s", why)
	}
	judged, err := llmbench.Analyze(r.Records, llmbench.AnalyzeOptions{From: from(r), To: to(r), SLOs: c.slos()})
	if err != nil {
		return m.cannot("%v", err)
	}
	n := judged.Counts.OK + judged.Counts.Failed()
	if n == 0 {
		return m.cannot("%s", nothingFinished(r))
	}
	for _, slo := range c.slos() {
		if judged.Counts.OK > 0 && r.Stats(slo.Metric).N() == 0 {
			return m.cannot("%s has no samples: %s", called(slo.Metric), r.Stats(slo.Metric).Absent())
		}
	}
	c.explain(m, judged)
	return c.verdict(m, judged, n)
}

func (c Goodput) verdict(m *message, judged *llmbench.Result, n int) Verdict {
	good := int(judged.Stats(llmbench.GoodRequestCount).Mean().Or(0))
	rate := judged.Stats(llmbench.Goodput).Mean()
	failuresRow(m, judged)
	if c.Rate > 0 {
		if !rate.Ok() {
			return m.cannot("no rate: %s", judged.Stats(llmbench.Goodput).Absent())
		}
		if rate.Or(0) < float64(c.Rate) {
			observed, wanted := apart(rate.Or(0), float64(c.Rate), "req/s")
			return m.verdict(Fails, "goodput is %s (%d of %s good), want at least %s", observed, good, plural(n, "request"), wanted)
		}
		if c.Fraction == 0 {
			return m.verdict(Holds, "goodput is %s, want at least %s", amount(rate.Or(0), "req/s"), amount(float64(c.Rate), "req/s"))
		}
	}
	p := proportion{bad: n - good, n: n, allowed: 1 - c.Fraction, confidence: c.Confidence, good: true}
	return p.verdict(m, fmt.Sprintf("%s of requests are good (%d of %d)", share(float64(good)/float64(n)), good, n),
		"at least "+share(c.Fraction))
}

// explain shows each limit with how many requests kept it, and the one that
// cost most.
func (c Goodput) explain(m *message, judged *llmbench.Result) {
	worst := 0
	for i, a := range judged.Attainments {
		if a.Held < judged.Attainments[worst].Held {
			worst = i
		}
		m.evidence("within", "%s at most %s: %d of %d, %s", called(a.SLO.Metric), amount(a.SLO.Limit, "ms"),
			a.Held, a.Of, share(a.Share().Or(0)))
	}
	if a := judged.Attainments[worst]; len(judged.Attainments) > 1 && a.Held < a.Of {
		m.cause("%s costs most", called(a.SLO.Metric))
	}
}

// from and to are the window for another analysis of the same records; both 0,
// the whole run, where it was that.
func from(r *llmbench.Result) time.Duration {
	if r.Window.Rule == llmbench.WholeRule {
		return 0
	}
	return r.Window.From
}

func to(r *llmbench.Result) time.Duration {
	switch r.Window.Rule {
	case llmbench.WholeRule:
		return 0
	case llmbench.StableRule:
		return r.Window.To + 1 // its last instant belongs to it
	}
	return r.Window.To
}

// ParseGoodput reads vLLM's --goodput: names and milliseconds,
// "ttft:500 tpot:50 e2el:2000". Names are ttft, tpot and e2el as vLLM has them;
// aiperf's metric tags work too. Rate or Fraction is still to be set.
func ParseGoodput(text string) (Goodput, error) {
	var c Goodput
	fields := map[string]*time.Duration{
		"ttft": &c.TTFT, "tpot": &c.TPOT, "e2el": &c.RequestLatency,
		"time_to_first_token": &c.TTFT, "inter_token_latency": &c.TPOT, "request_latency": &c.RequestLatency,
		"effective_latency": &c.EffectiveLatency,
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return c, fmt.Errorf("assert: goodput: text is empty, want name:milliseconds such as ttft:500")
	}
	for _, word := range words {
		name, value, ok := strings.Cut(word, ":")
		if !ok {
			return c, fmt.Errorf("assert: goodput: %q has no colon, want name:milliseconds such as ttft:500", word)
		}
		field := fields[name]
		if field == nil {
			return c, fmt.Errorf("assert: goodput: unknown name %q, want ttft, tpot or e2el%s", name, didYouMean(name, fields))
		}
		ms, err := positive(value)
		if err != nil {
			return c, fmt.Errorf("assert: goodput: %s is %w", name, err)
		}
		if *field != 0 {
			return c, fmt.Errorf("assert: goodput: %s is given twice", name)
		}
		*field = time.Duration(ms * float64(time.Millisecond))
	}
	return c, nil
}
