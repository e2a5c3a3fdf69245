package llmbench

import "github.com/llmbench/go/llmbench/internal/sweep"

// A flight is one request's part in the curves: what happens to the heights at
// its send, at each distinct instant of its content, and at its end.
type flight struct {
	record           *Record
	sent, first, end int64
	input, output    int64 // below 0: unknown
	// content counts the content chunks, gaps the stretches between their
	// distinct instants.
	content, gaps int32
	// tokens says how a gap gets its tokens: by the chunks' counts, else in
	// equal shares.
	counted bool
	// phases, fills and decodes say whether the request feeds the phase
	// concurrencies, the prefill and the decode throughput; holds says whether
	// it feeds the tokens in flight.
	phases, fills, decodes, holds bool
}

// A passage is how far a flight has come in a walk, and what it adds at the
// moment. It is apart from the flight so that several walks can go over one.
type passage struct {
	rate   sweep.Fixed // of decode
	gap    int32       // gaps that are over
	landed int32       // content chunks that have arrived
}

// Steps of a flight; content chunk i is step firstStep + i.
const (
	sendStep = iota
	endStep
	firstStep
)

// newFlight judges what the request feeds. The reasons why it feeds a curve
// not are counted in left.
func newFlight(f *facts, left *curvesLeftOut) (flight, bool) {
	switch {
	case !f.hasSent:
		left.all(noSend)
		return flight{}, false
	case !f.hasEnd:
		left.all(noEnd)
		return flight{}, false
	case f.end < f.sent:
		left.all(badTiming)
		return flight{}, false
	}
	fl := flight{record: f.record, sent: f.sent, end: f.end, first: f.first, input: f.input, output: f.output,
		content: int32(f.content)}
	fl.judge(f, left)
	return fl, true
}

func (fl *flight) judge(f *facts, left *curvesLeftOut) {
	why := f.stream()
	if f.record.Outcome != OK {
		why = failed
	}
	fl.holds = left.tokens.unless(fl.holdReason(why))
	if fl.phases = left.phases.unless(why); !fl.phases {
		left.prefill[why]++
		left.decode[why]++
		left.total[why]++
		return
	}
	fl.readGaps(f)
	why = fl.prefillReason()
	fl.fills = left.prefill.unless(why)
	fl.decodes = left.decode.unless(fl.decodeReason())
	if !fl.fills && !fl.decodes {
		left.total[why]++
	}
}

// holdReason is why the request holds no tokens, given why it has no phases: a
// reply that was not streamed has none, and holds its input all the same.
func (fl *flight) holdReason(why reason) reason {
	if why == notStreamed {
		why = present
	}
	switch {
	case why == present && fl.input < 0:
		return noInput
	case why == present && fl.record.Sparse:
		return sparseChunks
	}
	return why
}

func (fl *flight) prefillReason() reason {
	switch {
	case fl.input < 0:
		return noInput
	case fl.first == fl.sent:
		return zeroSpan
	}
	return present
}

func (fl *flight) decodeReason() reason {
	switch {
	case fl.output < 0:
		return noOutput
	case fl.output < 2:
		return shortOutput
	case fl.end <= fl.first:
		return zeroSpan
	}
	return present
}

// readGaps counts the gaps and decides how they get their tokens: by the
// chunks' own counts where all are known and add up to OSL, and there is a
// gap.
func (fl *flight) readGaps(f *facts) {
	at := fl.first
	for i := range f.record.Chunks {
		if c := &f.record.Chunks[i]; c.Content() && int64(c.At) > at {
			fl.gaps++
			at = int64(c.At)
		}
	}
	fl.counted = f.counted == f.output && fl.gaps > 0
}

// instants yields the flight's events in the order in which they apply.
func (fl *flight) instants(request uint32, yield func(sweep.Event)) {
	yield(sweep.Event{At: fl.sent, Request: request, Step: sendStep})
	if fl.phases {
		at := fl.first - 1
		for i := range fl.record.Chunks {
			c := &fl.record.Chunks[i]
			if int64(c.At) > at && c.Content() {
				at = int64(c.At)
				yield(sweep.Event{At: at, Request: request, Step: firstStep + uint32(i)})
			}
		}
	}
	yield(sweep.Event{At: fl.end, Request: request, Step: endStep})
}

// apply changes the heights, and how far the flight has come, as the step says.
func (fl *flight) apply(step uint32, p *passage, h *sweep.Heights) {
	switch step {
	case sendStep:
		*p = passage{}
		fl.send(h)
	case endStep:
		fl.finish(p, h)
	default:
		fl.arrive(int(step-firstStep), p, h)
	}
}

func (fl *flight) send(h *sweep.Heights) {
	h.Concurrency++
	if fl.phases {
		h.Prefill++
	}
	if fl.fills {
		h.PrefillRate = h.PrefillRate.Add(fl.prefillRate())
	}
	if fl.holds {
		h.Tokens = h.Tokens.Add(sweep.Whole(fl.input))
	}
}

func (fl *flight) prefillRate() sweep.Fixed { return sweep.Ratio(fl.input*1e9, fl.first-fl.sent) }

// arrive is a distinct content instant, that of chunk i.
func (fl *flight) arrive(i int, p *passage, h *sweep.Heights) {
	at := int64(fl.record.Chunks[i].At)
	if at == fl.first {
		h.Prefill--
		h.Decode++
		if fl.fills {
			h.PrefillRate = h.PrefillRate.Sub(fl.prefillRate())
		}
	} else {
		p.gap++
	}
	landed, i := fl.landing(i, p)
	if fl.holds {
		h.Tokens = h.Tokens.Add(landed)
	}
	if fl.decodes {
		h.DecodeRate = h.DecodeRate.Sub(p.rate)
		p.rate = fl.nextRate(i, at, p.gap)
		h.DecodeRate = h.DecodeRate.Add(p.rate)
	}
}

// landing is what arrives at the instant of chunk i, and the index of the
// first chunk after that instant.
func (fl *flight) landing(i int, p *passage) (tokens sweep.Fixed, next int) {
	chunks := fl.record.Chunks
	at, sum, before := chunks[i].At, int64(0), p.landed
	for ; i < len(chunks) && chunks[i].At == at; i++ {
		if chunks[i].Content() {
			sum += int64(chunks[i].Tokens)
			p.landed++
		}
	}
	if fl.counted {
		return sweep.Whole(sum), i
	}
	return fl.share(p.landed).Sub(fl.share(before)), i
}

// share is what the first k content chunks bring without counts.
func (fl *flight) share(k int32) sweep.Fixed {
	return evenShare(fl.output, int64(k), int64(fl.content))
}

// nextRate is the decode rate of the stretch that begins at instant at, after
// so many gaps; next is the first chunk after it.
func (fl *flight) nextRate(next int, at int64, gap int32) sweep.Fixed {
	switch {
	case fl.gaps == 0:
		return sweep.Ratio((fl.output-1)*1e9, fl.end-fl.first)
	case gap == fl.gaps:
		return sweep.Fixed{}
	}
	chunks := fl.record.Chunks
	for !chunks[next].Content() {
		next++
	}
	length := int64(chunks[next].At) - at
	if !fl.counted {
		return sweep.Ratio((fl.output-1)*1e9, length).Over(int64(fl.gaps))
	}
	var sum int64
	for i := next; i < len(chunks) && chunks[i].At == chunks[next].At; i++ {
		if chunks[i].Content() {
			sum += int64(chunks[i].Tokens)
		}
	}
	return sweep.Ratio(sum*1e9, length)
}

// finish frees what the request held: all that it brought.
func (fl *flight) finish(p *passage, h *sweep.Heights) {
	h.Concurrency--
	if fl.phases {
		h.Decode--
	}
	h.DecodeRate = h.DecodeRate.Sub(p.rate)
	if !fl.holds {
		return
	}
	h.Tokens = h.Tokens.Sub(sweep.Whole(fl.input))
	if fl.phases {
		h.Tokens = h.Tokens.Sub(sweep.Whole(max(fl.output, 0)))
	}
}
