package llmbench

import "time"

// What lies beyond these bounds is no measurement but a broken file, and counts
// as unknown: 1e9 tokens in one nanosecond still fit the fixed-point heights,
// and the difference of two instants within 73 years fits 64 bits.
const (
	maxTokens  = 1_000_000_000
	maxInstant = 1 << 61
)

// facts are what the metrics read off one record, found in one pass over its
// chunks. Instants are nanoseconds; counts below 0 are unknown.
type facts struct {
	record *Record
	// scheduled, sent and end are valid if the flag of the same name is set.
	scheduled, sent, end          int64
	hasScheduled, hasSent, hasEnd bool
	// first, second, last and firstOutput are C1, C2, Cn and the first content
	// that is not reasoning; content counts the content chunks, as far as they
	// exist.
	first, second, last, firstOutput int64
	content                          int
	hasOutput                        bool
	// input and output are ISL and OSL; firstTokens is the divisor f of TPOT.
	input, output, firstTokens int64
	inputFrom, outputFrom      Source
	// counted is the sum of the content chunks' counts, below 0 where one is
	// unknown.
	counted int64
	// timing is badTiming if the instants contradict each other: an event
	// before the send, a chunk before the one before it, an end before a chunk.
	// Such a request stays in every count and sum, and enters no latency and no
	// phase curve, as any sample of it could be negative.
	timing reason
}

// nanos reads a known instant.
func nanos(at Known[time.Duration]) (int64, bool) {
	d, ok := at.Get()
	return int64(d), ok && d > -maxInstant && d < maxInstant
}

func readFacts(r *Record) (f facts) {
	f.read(r)
	return f
}

// read replaces the facts by those of a record.
func (f *facts) read(r *Record) {
	*f = facts{record: r, firstTokens: 1}
	f.scheduled, f.hasScheduled = nanos(r.Scheduled)
	f.sent, f.hasSent = nanos(r.Sent)
	f.end, f.hasEnd = nanos(r.End)
	f.readChunks()
	f.readTokens()
	f.checkTiming()
}

// readChunks finds the content instants and adds up the chunks' counts.
func (f *facts) readChunks() {
	chunks := f.record.Chunks
	for i := range chunks {
		c := &chunks[i]
		if i > 0 && c.At < chunks[i-1].At || c.At >= maxInstant || c.At <= -maxInstant {
			f.timing = badTiming
		}
		if !c.Content() {
			continue
		}
		f.content++
		f.last = int64(c.At)
		switch f.content {
		case 1:
			f.first = f.last
			if c.Counted {
				f.firstTokens = int64(c.Tokens)
			}
		case 2:
			f.second = f.last
		}
		if !f.hasOutput && c.Kind != ReasoningChunk {
			f.firstOutput, f.hasOutput = f.last, true
		}
		if !c.Counted {
			f.counted = -1
		} else if f.counted >= 0 {
			f.counted += int64(c.Tokens)
		}
	}
}

// readTokens settles ISL and OSL: the record's own counts, else the server's
// usage, else, for the output, the chunks' counts or the number of content
// chunks, an estimate. The length that was asked for is never taken.
func (f *facts) readTokens() {
	r := f.record
	usage := r.usage()
	f.input, f.inputFrom = settle(r.InputTokens, r.InputFrom, usage.Prompt)
	f.output, f.outputFrom = settle(r.OutputTokens, r.OutputFrom, usage.Completion)
	if f.output >= 0 || f.content == 0 || r.Sparse {
		return
	}
	f.output, f.outputFrom = int64(f.content), FromChunks
	if f.counted >= 0 {
		f.output = f.counted
	}
}

// settle takes the record's own count and its source, else the server's.
func settle(own Known[int], from Source, reported Known[int]) (int64, Source) {
	if !own.Ok() && reported.Ok() {
		from = FromUsage
	}
	return firstKnown(own, reported), from
}

// usage returns the server's report, empty where there is none.
func (r *Record) usage() Usage {
	if r.Usage == nil {
		return Usage{}
	}
	return *r.Usage
}

// firstKnown is the first count there is, below 0 if there is none.
func firstKnown(counts ...Known[int]) int64 {
	for _, c := range counts {
		if n, ok := c.Get(); ok && n <= maxTokens {
			return int64(n)
		}
	}
	return -1
}

func (f *facts) checkTiming() {
	chunks := f.record.Chunks
	headers, hasHeaders := nanos(f.record.Headers)
	switch {
	case f.hasSent && len(chunks) > 0 && int64(chunks[0].At) < f.sent,
		f.hasSent && hasHeaders && headers < f.sent,
		f.hasSent && f.hasEnd && f.end < f.sent,
		f.hasScheduled && f.hasEnd && f.end < f.scheduled,
		f.hasEnd && len(chunks) > 0 && f.end < int64(chunks[len(chunks)-1].At),
		f.hasScheduled && len(chunks) > 0 && int64(chunks[0].At) < f.scheduled:
		f.timing = badTiming
	}
}

// early reports a send before its scheduled instant: no contradiction by
// itself (tools that stamp in milliseconds produce it), but worth a count.
func (f *facts) early() bool { return f.hasSent && f.hasScheduled && f.sent < f.scheduled }

// ISL is the number of input tokens: the record's own count, else the server's
// usage; absent where neither is known.
func (r *Record) ISL() Known[int] { return knownCount(readTokensOf(r).input) }

// OSL is the number of output tokens, reasoning counted once: the record's own
// count, else the server's usage, else the counts of the content chunks, else
// their number, which is an estimate. It is never the length that was asked
// for, and absent where there is nothing to count.
func (r *Record) OSL() Known[int] { return knownCount(readTokensOf(r).output) }

func readTokensOf(r *Record) facts {
	f := facts{record: r}
	f.readChunks()
	f.readTokens()
	return f
}

func knownCount(n int64) Known[int] {
	if n < 0 {
		return Known[int]{}
	}
	return Is(int(n))
}
