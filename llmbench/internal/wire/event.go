package wire

import "time"

// event is what one data event says, in no protocol's words. Its slices point
// into the event's bytes or into scratch, and are valid while it is folded into
// the reply.
type event struct {
	pieces   []piece
	role     bool
	finish   string
	usage    Usage
	reported bool       // usage is set
	tokens   Opt[int64] // how many tokens the pieces are, where the event itself says so (logprobs, one token per event)
	failure  *ServerError
	timings  Timings
	timed    bool // timings is set
	done     bool // nothing follows that matters
	ignored  bool // not an event of this protocol
	vectors  bool // an embedding: an answer without generated output

	scratch []byte
	first   [1]piece // most events have no more
}

// piece is a stretch of generated output.
type piece struct {
	choice int
	kind   Kind
	text   []byte
	name   bool // a tool's name, not a part of its arguments
}

// reset keeps the two slices' memory: one event serves a whole stream.
func (e *event) reset() {
	*e = event{pieces: e.pieces[:0], scratch: e.scratch[:0]}
}

// add notes a piece; an empty one is no output.
func (e *event) add(choice int, kind Kind, text []byte) {
	if len(text) > 0 {
		if e.pieces == nil {
			e.pieces = e.first[:0]
		}
		e.pieces = append(e.pieces, piece{choice: choice, kind: kind, text: text})
	}
}

func (e *event) addString(choice int, kind Kind, text string) {
	if text != "" {
		e.add(choice, kind, []byte(text))
	}
}

// kind is the one word for the whole event.
func (e *event) kind() Kind {
	best := KindOther
	for _, p := range e.pieces {
		if best == KindOther || rank(p.kind) < rank(best) {
			best = p.kind
		}
	}
	switch {
	case e.vectors:
		return KindContent
	case best != KindOther:
		return best
	case e.finish != "":
		return KindFinish
	case e.role:
		return KindRole
	case e.reported:
		return KindUsage
	}
	return KindOther
}

// rank orders the kinds of output by what a reader of a chart wants to know
// first: the answer has begun.
func rank(k Kind) int {
	switch k {
	case KindContent:
		return 0
	case KindTool:
		return 1
	}
	return 2
}

// Usage is a server's own token counts. Each may be missing.
type Usage struct {
	Prompt, Completion, Total              Opt[int64]
	Reasoning, Cached, Audio               Opt[int64]
	AcceptedPrediction, RejectedPrediction Opt[int64]
}

// over lays a newer report over an older one. Reports are totals, so they
// replace each other and are never added.
func (u Usage) over(older Usage) Usage {
	return Usage{
		Prompt: u.Prompt.or(older.Prompt), Completion: u.Completion.or(older.Completion), Total: u.Total.or(older.Total),
		Reasoning: u.Reasoning.or(older.Reasoning), Cached: u.Cached.or(older.Cached), Audio: u.Audio.or(older.Audio),
		AcceptedPrediction: u.AcceptedPrediction.or(older.AcceptedPrediction),
		RejectedPrediction: u.RejectedPrediction.or(older.RejectedPrediction),
	}
}

// Timings are the server's own measurements of the request: llama.cpp's
// timings, Ollama's durations, TGI's headers.
type Timings struct {
	PromptN, PredictedN, CachedN          Opt[int64]
	Prompt, Predicted, Total, Load, Queue Opt[time.Duration]
}

func (t Timings) over(older Timings) Timings {
	return Timings{
		PromptN: t.PromptN.or(older.PromptN), PredictedN: t.PredictedN.or(older.PredictedN), CachedN: t.CachedN.or(older.CachedN),
		Prompt: t.Prompt.or(older.Prompt), Predicted: t.Predicted.or(older.Predicted), Total: t.Total.or(older.Total),
		Load: t.Load.or(older.Load), Queue: t.Queue.or(older.Queue),
	}
}

// ServerError is what a server said of its failure, cut to a bounded length and
// with control characters escaped.
type ServerError struct {
	Message, Type, Code string
}
