package llmbench

// A reason says why one request has no sample of a metric or no part in a
// curve. It is an index, as a run can count millions of them.
type reason uint8

const (
	present reason = iota
	failed
	noSend
	noEnd
	badTiming
	notStreamed
	noContent
	fewChunks
	fewEvents
	onlyReasoning
	noSchedule
	noInput
	noOutput
	shortOutput
	zeroSpan
	notReported
	notMeasured
	sparseChunks
	noGain
	reasons // how many there are
)

var reasonText = [reasons]string{
	present:       "",
	failed:        "request was not ok",
	noSend:        "send instant unknown",
	noEnd:         "end instant unknown",
	badTiming:     "instants contradict each other",
	notStreamed:   "reply was not streamed",
	noContent:     "reply had no content chunk",
	fewChunks:     "fewer than 2 content chunks",
	fewEvents:     "fewer than 2 data events",
	onlyReasoning: "reply was reasoning only",
	noSchedule:    "scheduled instant unknown",
	noInput:       "input tokens unknown",
	noOutput:      "output tokens unknown",
	shortOutput:   "fewer than 2 output tokens",
	zeroSpan:      "span of 0 ns",
	notReported:   "not reported by the server",
	notMeasured:   "not measured",
	sparseChunks:  "chunks between the first and the last were not kept",
	noGain:        "no token after the first",
}

func (r reason) String() string { return reasonText[r] }

// leftOut counts requests by the reason that kept them out.
type leftOut [reasons]int

// byText returns the counts that are not 0 under their texts, or nil.
func (l *leftOut) byText() map[string]int {
	var m map[string]int
	for r, n := range l {
		if r == int(present) || n == 0 {
			continue
		}
		if m == nil {
			m = map[string]int{}
		}
		m[reasonText[r]] = n
	}
	return m
}

// main returns the most frequent reason; the earlier one of equals.
func (l *leftOut) main() reason {
	best := present
	for r, n := range l {
		if n > 0 && (best == present || n > l[best]) {
			best = reason(r)
		}
	}
	return best
}
