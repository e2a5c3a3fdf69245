package llmbench

// An Outcome tells how one request ended. A request has exactly one.
type Outcome string

const (
	// OK is a reply that ended well and had content. Only OK requests feed the
	// latency and token metrics.
	OK Outcome = "ok"
	// Empty is a reply that ended well without any content.
	Empty Outcome = "empty"
	// Incomplete is a reply that ended with neither a finish reason nor [DONE].
	Incomplete Outcome = "incomplete"
	// Error is an HTTP status, a broken connection, or an error object inside a
	// stream that had begun with status 200.
	Error Outcome = "error"
	// Timeout is a request that met its deadline.
	Timeout Outcome = "timeout"
	// Rejected is status 429 or 503: the server shed the request.
	Rejected Outcome = "rejected"
	// Cancelled is a request that the harness gave up on purpose, at the end of
	// a run for example. It is no failure of the server.
	Cancelled Outcome = "cancelled"
	// Unsent is a request of the schedule that never left.
	Unsent Outcome = "unsent"
)

// Outcomes lists every outcome in the order in which tables show them.
func Outcomes() []Outcome {
	return []Outcome{OK, Error, Timeout, Rejected, Empty, Incomplete, Cancelled, Unsent}
}

// Failed reports whether the outcome counts as a failure of the server:
// deliberate cancellations and unsent requests do not.
func (o Outcome) Failed() bool {
	switch o {
	case Error, Timeout, Rejected, Empty, Incomplete:
		return true
	}
	return false
}

func (o Outcome) valid() bool {
	return o == OK || o == Cancelled || o == Unsent || o.Failed()
}

// A Phase says to which part of a run a request belongs.
type Phase string

const (
	// Warmup requests are sent and recorded, and enter no metric.
	Warmup Phase = "warmup"
	// Measure is the measured part, and what an absent phase means.
	Measure Phase = "measure"
	// Cooldown requests keep the load up while the last measured ones end; they
	// are recorded, and enter no metric.
	Cooldown Phase = "cooldown"
)

// A Source says where a token count came from.
type Source string

const (
	// FromUsage is the server's own usage report.
	FromUsage Source = "usage"
	// FromTokenizer is a tokenizer's count of the text.
	FromTokenizer Source = "tokenizer"
	// FromPlan is the length the profile asked for; input only.
	FromPlan Source = "planned"
	// FromChunks is the number of content chunks: an estimate, output only.
	FromChunks Source = "chunks"
)
