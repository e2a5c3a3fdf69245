package mock

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Engine is a Responder that behaves as a server with continuous batching does:
// requests wait in one queue, run together in a batch, and slow each other down.
// Its zero value answers at once.
//
// Time passes in steps. A step computes at most ChunkTokens tokens of prompts,
// oldest request first, and one token for each request that has its prompt
// behind it. It takes
//
//	(prompt tokens) / PrefillRate  +  StepTime(requests that decode)
//
// and at its end every request that decodes has one more token, and every
// request whose prompt is complete has its first. Requests join and leave between
// steps. So a lone request has TTFT = ISL/PrefillRate and ITL = StepTime(1), a
// full batch makes Slots/StepTime(Slots) tokens per second, and one slot with
// replies of one token is the queue M/D/1 under Poisson arrivals.
//
// The model is that of vLLM's scheduler, without what does not show in times:
// see "Efficient Memory Management for Large Language Model Serving with
// PagedAttention" (Kwon et al., 2023) for blocks and pre-emption, and "Taming
// Throughput-Latency Tradeoff in LLM Inference with Sarathi-Serve" (Agrawal et
// al., 2024) for chunked prefill.
//
// An Engine depends on nothing but the requests and their times: the same
// arrivals give the same instants.
type Engine struct {
	// Slots is how many requests run at a time. 0 is DefaultSlots.
	Slots int
	// QueueLimit is how many requests may wait; what comes on top is refused
	// with 503. 0 is no limit.
	QueueLimit int
	// PrefillRate is the speed of reading prompts, in tokens per second. 0 takes
	// no time.
	PrefillRate float64
	// ChunkTokens bounds the prompt tokens of one step. 0 is no bound.
	ChunkTokens int
	// StepTime is the time of one decode step for so many requests, at least 1.
	// nil takes no time. See LinearStep.
	StepTime func(requests int) time.Duration
	// KVTokens is how many tokens of prompts and replies fit into memory. What
	// does not fit waits; a reply that grows over it pre-empts the youngest
	// request, which then computes its prompt and its reply so far again. A
	// request that could never fit is refused with 400. 0 is no limit.
	KVTokens int
	// BlockTokens is the size of the pieces in which memory is given out and
	// prefixes are shared. 0 is DefaultBlock.
	BlockTokens int
	// PrefixCache keeps the blocks of prompts and replies until their memory is
	// needed, least recently used first, and spares a request whose prompt
	// begins with the same words the time to compute them.
	PrefixCache bool
	// Reply says what is answered: lengths, text, usage, faults. The times of its
	// tokens (TTFT, ITL and what goes with them) must be zero, as they follow from
	// the fields above.
	Reply Script
}

// What an Engine has when nothing else is said: vLLM's block size, and a batch
// that is easy to fill.
const (
	DefaultSlots = 64
	DefaultBlock = 16
)

// LinearStep is a decode step of base + perRequest for each request: reading the
// weights costs the same for all, reading a request's cache does not.
func LinearStep(base, perRequest time.Duration) func(int) time.Duration {
	return func(requests int) time.Duration { return base + time.Duration(requests)*perRequest }
}

// EngineStats is what an Engine did so far.
type EngineStats struct {
	Running, Waiting int           // requests now
	MaxRunning       int           // the most at a time
	MaxWaiting       int           // the most that waited when a step began
	Steps            int           // finished
	Busy             time.Duration // time in steps, the one under way included as a whole
	PrefillTokens    int           // computed, cache hits not among them
	DecodedTokens    int           // generated, first tokens included
	Preempted        int           // times a request was
	Refused          int           // requests, because the queue was full or they could never fit
	Aborted          int           // requests that ended early: the client left, or a fault ended the reply
	QueriedTokens    int           // prompt tokens looked up in the prefix cache
	HitTokens        int           // and found
	UsedTokens       int           // memory held by running requests now, in tokens
}

// Validate names the first field that makes no sense.
func (e Engine) Validate() error {
	counts := []struct {
		field string
		value int
	}{
		{"Slots", e.Slots}, {"QueueLimit", e.QueueLimit}, {"ChunkTokens", e.ChunkTokens},
		{"KVTokens", e.KVTokens}, {"BlockTokens", e.BlockTokens},
	}
	for _, c := range counts {
		if c.value < 0 {
			return fmt.Errorf("mock: engine: %s is %d, want >= 0", c.field, c.value)
		}
	}
	if !(e.PrefillRate >= 0) {
		return fmt.Errorf("mock: engine: PrefillRate is %v, want >= 0", e.PrefillRate)
	}
	if e.StepTime != nil && e.StepTime(1) < 0 {
		return fmt.Errorf("mock: engine: StepTime(1) is %s, want >= 0", e.StepTime(1))
	}
	if e.KVTokens > 0 && e.KVTokens < e.block() {
		return fmt.Errorf("mock: engine: KVTokens is %d, want at least a block, which is %d", e.KVTokens, e.block())
	}
	if err := e.Reply.Validate(); err != nil {
		return err
	}
	return e.timeless()
}

// timeless refuses a Reply with times: they would be left out without a word, and
// a test that set them would measure something else.
func (e Engine) timeless() error {
	s := e.Reply
	for _, f := range []struct {
		field string
		set   bool
	}{
		{"TTFT", s.TTFT != 0}, {"TTFTPerInputToken", s.TTFTPerInputToken != 0}, {"TTFTs", s.TTFTs != nil},
		{"ITL", s.ITL != 0}, {"Gaps", s.Gaps != nil}, {"ITLs", s.ITLs != nil},
	} {
		if f.set {
			return fmt.Errorf("mock: engine: Reply.%s is set, want none: an engine's times come from PrefillRate and StepTime", f.field)
		}
	}
	return nil
}

// Respond of an Engine that no server runs has no times; a server makes an
// engine of its own.
func (e Engine) Respond(r *Request) Reply { return e.script().Respond(r) }

// bind makes the state: each server has an engine of its own, so that one value
// can be used for many tests.
func (e Engine) bind(b *binding) Responder {
	run := newEngine(e)
	b.engines = append(b.engines, run)
	return run
}

func (e Engine) slots() int { return orDefault(e.Slots, DefaultSlots) }
func (e Engine) block() int { return orDefault(e.BlockTokens, DefaultBlock) }

// orDefault: the zero value of a field is its default.
func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// script is the reply without times and faults: the engine gives the first, and
// puts the second on afterwards.
func (e Engine) script() Script {
	s := e.Reply
	s.TTFT, s.TTFTPerInputToken, s.TTFTs, s.ITL, s.Gaps, s.ITLs = 0, 0, nil, 0, nil, nil
	s.Faults = nil
	return s
}

// Respond queues a request, or refuses it.
func (e *engine) Respond(r *Request) Reply {
	if e.cfg.QueueLimit > 0 && len(e.waiting) >= e.cfg.QueueLimit {
		e.stats.Refused++
		reply := refusal(r, http.StatusServiceUnavailable, "queue is full")
		reply.Header.Set("Retry-After", "1")
		return reply
	}
	reply := e.cfg.script().Respond(r)
	target := 0
	for _, ev := range reply.Timeline {
		if ev.Kind.generated() && ev.Choice == 0 {
			target += ev.Tokens
		}
	}
	if !e.kv.couldHold(r.InputTokens + target) {
		e.stats.Refused++
		return refusal(r, http.StatusBadRequest, errTooLong.Error())
	}
	for _, f := range e.cfg.Reply.Faults {
		f.apply(r, &reply)
	}
	reply.pace, reply.paceTokens = e, target
	return reply
}

var errTooLong = errors.New("prompt and reply are longer than the memory of the server")

// add sums engines; a maximum of two is at most the sum, which it gives.
func (s *EngineStats) add(o EngineStats) {
	s.Running += o.Running
	s.Waiting += o.Waiting
	s.MaxRunning += o.MaxRunning
	s.MaxWaiting += o.MaxWaiting
	s.Steps += o.Steps
	s.Busy += o.Busy
	s.PrefillTokens += o.PrefillTokens
	s.DecodedTokens += o.DecodedTokens
	s.Preempted += o.Preempted
	s.Refused += o.Refused
	s.Aborted += o.Aborted
	s.QueriedTokens += o.QueriedTokens
	s.HitTokens += o.HitTokens
	s.UsedTokens += o.UsedTokens
}
