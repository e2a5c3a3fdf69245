package mock

import (
	"slices"
	"time"
)

// engine is an Engine at work. It reads no clock: the loop calls it at the
// instants it asks for, under the loop's lock, and it counts by those instants
// even when the call is late.
type engine struct {
	cfg     Engine
	kv      *blocks
	waiting []*job // in order of arrival, pre-empted ones in front
	running []*job // in order of admission
	stats   EngineStats

	stepping bool          // a step is under way and ends at due
	compose  bool          // the next step is put together once the instant due is over
	due      time.Duration // since the server started
}

// job is one request in the engine.
type job struct {
	stream *stream
	input  int // tokens of the prompt
	target int // tokens to generate
	done   int // generated
	stored int // tokens in memory
	chunk  int // prompt tokens in the step under way, 0 when it decodes
	inStep bool
	seen   bool // was admitted before
	memory []*block
	hashes []uint64 // of the full blocks of the prompt
}

// prefill is how many tokens are to be computed before the next one can be
// generated; after a pre-emption the reply so far is among them.
func (q *job) prefill() int {
	if q.done > 0 && q.stored >= q.input+q.done-1 {
		return 0
	}
	return q.input + q.done - q.stored
}

// newEngine is idle: the first request makes it put a step together.
func newEngine(cfg Engine) *engine {
	return &engine{cfg: cfg, kv: newBlocks(cfg.KVTokens, cfg.block(), cfg.PrefixCache)}
}

// next is when the engine wants to be called. A step is put together one
// nanosecond late, so that all that arrives at the instant is there.
func (e *engine) next() (time.Duration, bool) {
	switch {
	case e.stepping:
		return e.due, true
	case e.compose:
		return e.due + 1, true
	}
	return 0, false
}

// fire does what was due.
func (e *engine) fire() {
	if e.stepping {
		e.stepping = false
		e.finish(e.due)
		e.compose = true
		return
	}
	e.compose = false
	e.begin(e.due)
}

// attach puts a request into the queue.
func (e *engine) attach(s *stream) {
	q := &job{stream: s, input: max(s.req.InputTokens, 1), target: s.reply.paceTokens}
	s.run = q
	if e.cfg.PrefixCache {
		q.hashes = blockHashes(s.req.Prompt, e.kv.size)
	}
	if q.target == 0 {
		q.target = 1 // nothing is generated, but the prompt is computed: embeddings
	} else {
		s.release(0, s.req.Arrived)
	}
	e.waiting = append(e.waiting, q)
	if !e.stepping && !e.compose {
		e.compose, e.due = true, s.req.Arrived
	}
}

// detach forgets a request: its reply is over, or its client has left.
func (e *engine) detach(s *stream) {
	q := s.run
	if q == nil {
		return
	}
	s.run = nil
	same := func(o *job) bool { return o == q }
	held := len(e.waiting) + len(e.running)
	e.waiting = slices.DeleteFunc(e.waiting, same)
	e.running = slices.DeleteFunc(e.running, same)
	if len(e.waiting)+len(e.running) < held {
		e.stats.Aborted++
		e.kv.free(q)
	}
}

// begin puts a step together and starts it.
func (e *engine) begin(at time.Duration) {
	budget := e.cfg.ChunkTokens
	if budget == 0 {
		budget = int(^uint(0) >> 1)
	}
	decodes := e.planDecodes()
	prompts := e.planPrompts(&budget) + e.admit(at, &budget)
	e.stats.MaxRunning = max(e.stats.MaxRunning, len(e.running))
	e.stats.MaxWaiting = max(e.stats.MaxWaiting, len(e.waiting))
	if decodes+prompts == 0 {
		e.rest()
		return
	}
	d := e.duration(decodes, prompts)
	e.stats.Busy += d
	e.stats.PrefillTokens += prompts
	e.stepping, e.due = true, at+d
}

// rest waits for the next request. One may be here already, when the loop is
// late: its time has not come yet.
func (e *engine) rest() {
	if len(e.waiting) > 0 {
		e.compose, e.due = true, e.waiting[0].stream.req.Arrived
	}
}

// duration is the time of a step: prompts and decodes share the device, so their
// times add up.
func (e *engine) duration(decodes, prompts int) (d time.Duration) {
	if e.cfg.PrefillRate > 0 {
		d = time.Duration(float64(prompts) / e.cfg.PrefillRate * float64(time.Second))
	}
	if decodes > 0 && e.cfg.StepTime != nil {
		d += e.cfg.StepTime(decodes)
	}
	return d
}

// planDecodes finds memory for one more token of each request that decodes, the
// oldest first; the youngest pay for it. Who was pre-empted is not admitted again
// in the same step: it needs more than it gave back.
func (e *engine) planDecodes() (n int) {
	for i := 0; i < len(e.running); i++ {
		q := e.running[i]
		q.chunk, q.inStep = 0, false
		if q.prefill() > 0 {
			continue
		}
		for !e.kv.grow(q, q.stored+1) {
			if e.preempt() == q {
				return n
			}
		}
		q.inStep = true
		n++
	}
	return n
}

// preempt sends the youngest request back to the head of the queue.
func (e *engine) preempt() *job {
	q := e.running[len(e.running)-1]
	e.running = e.running[:len(e.running)-1]
	e.kv.free(q)
	q.inStep = false
	e.waiting = slices.Insert(e.waiting, 0, q)
	e.stats.Preempted++
	return q
}

// planPrompts gives the budget to prompts that are half computed.
func (e *engine) planPrompts(budget *int) (tokens int) {
	for _, q := range e.running {
		if !q.inStep {
			tokens += q.take(budget)
		}
	}
	return tokens
}

// take plans as much of the prompt as the budget has.
func (q *job) take(budget *int) int {
	q.chunk = min(q.prefill(), *budget)
	q.inStep = q.chunk > 0
	*budget -= q.chunk
	return q.chunk
}

// admit starts requests from the head of the queue while there are slots,
// memory and budget. It never looks past the head.
func (e *engine) admit(at time.Duration, budget *int) (tokens int) {
	for len(e.waiting) > 0 && len(e.running) < e.cfg.slots() && *budget > 0 {
		q := e.waiting[0]
		if q.stream.req.Arrived > at || !e.load(q) {
			return tokens
		}
		e.waiting = e.waiting[1:]
		e.running = append(e.running, q)
		tokens += q.take(budget)
	}
	return tokens
}

// load gives a request memory for its prompt, shared where the cache has it.
func (e *engine) load(q *job) bool {
	hit, ok := e.kv.load(q)
	if !ok {
		return false
	}
	q.stored = hit
	if q.seen {
		return true
	}
	q.seen = true
	usage := &q.stream.reply.Usage
	if e.cfg.PrefixCache {
		e.stats.QueriedTokens += q.input
		e.stats.HitTokens += hit
		usage.CachedTokens = hit
		if hit == 0 {
			usage.CachedTokens = NoneCached
		}
	}
	return true
}

// finish ends a step: its tokens leave at that instant.
func (e *engine) finish(at time.Duration) {
	e.stats.Steps++
	left := e.running[:0]
	for _, q := range e.running {
		if q.inStep && e.stepDone(q, at) {
			e.kv.keep(q)
			e.kv.free(q)
			continue
		}
		left = append(left, q)
	}
	clear(e.running[len(left):])
	e.running = left
}

// stepDone counts a step for one request and reports whether it was its last.
func (e *engine) stepDone(q *job, at time.Duration) bool {
	q.inStep = false
	if q.chunk > 0 {
		done := q.chunk == q.prefill()
		q.stored += q.chunk
		q.chunk = 0
		if !done {
			return false
		}
		e.kv.keep(q)
	} else {
		q.stored++
	}
	q.done++
	e.stats.DecodedTokens++
	q.stream.release(1, at)
	return q.done == q.target
}

// snapshot is the statistics now.
func (e *engine) snapshot() EngineStats {
	s := e.stats
	s.Running, s.Waiting, s.UsedTokens = len(e.running), len(e.waiting), e.kv.used*e.kv.size
	return s
}
