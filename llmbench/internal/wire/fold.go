package wire

import (
	"math"
	"time"
)

// fold adds events to a reply, one after another.
type fold struct {
	reply    *Reply
	keep     int
	n        int  // choices asked for
	finished bool // a finish reason was seen
	output   bool // something was generated
	failed   *ServerError
	running  total
	texts    []texts
}

// total turns usage reports that run along with the stream into tokens per
// chunk. A report on the last chunk alone is a total of all, not of that chunk:
// so chunks are counted only while every generated chunk so far came with a
// report.
type total struct {
	tokens int64
	off    bool
}

// texts gather one choice's output.
type texts struct {
	text, reasoning, names, arguments []byte
}

// add notes an event as a chunk and takes what it says of the whole reply. An
// event of another protocol is only counted: it is no sign of progress.
func (f *fold) add(at time.Duration, ev *event) {
	if ev.ignored {
		f.reply.Ignored++
		return
	}
	chunk := Chunk{At: at, Kind: ev.kind()}
	f.count(&chunk, ev)
	f.reply.Chunks = append(f.reply.Chunks, chunk)
	f.output = f.output || chunk.Kind.Generated()
	if ev.finish != "" {
		f.reply.FinishReason, f.finished = printable(ev.finish, 60), true
	}
	if ev.reported {
		f.report(ev.usage)
	}
	if ev.timed {
		f.time(ev.timings)
	}
	if ev.failure != nil && f.failed == nil {
		f.failed = ev.failure
	}
	f.reply.DoneSeen = f.reply.DoneSeen || ev.done
	if f.keep > 0 {
		f.collect(ev)
	}
}

// count sets the chunk's tokens where they are known: from running usage, else
// from the event's own count.
func (f *fold) count(chunk *Chunk, ev *event) {
	generated := chunk.Kind.Generated()
	completion := ev.usage.Completion
	switch {
	case ev.reported && completion.Known && !f.running.off && completion.V >= f.running.tokens && f.n <= 1:
		tokens := completion.V - f.running.tokens
		f.running.tokens = completion.V
		if generated {
			chunk.setTokens(tokens)
		}
	case generated:
		f.running.off = true
	}
	if ev.vectors {
		chunk.setTokens(0)
	}
	if generated && !chunk.Counted && ev.tokens.Known {
		chunk.setTokens(ev.tokens.V)
	}
}

// setTokens leaves a count out that no chunk can have, rather than one that
// wraps.
func (c *Chunk) setTokens(n int64) {
	if n <= math.MaxInt32 {
		c.Tokens, c.Counted = int32(n), true
	}
}

func (f *fold) report(u Usage) {
	if f.reply.Usage == nil {
		f.reply.Usage = &Usage{}
	}
	*f.reply.Usage = u.over(*f.reply.Usage)
}

func (f *fold) time(t Timings) {
	if f.reply.Timings == nil {
		f.reply.Timings = &Timings{}
	}
	*f.reply.Timings = t.over(*f.reply.Timings)
}

// collect keeps texts by choice: n answers come interleaved, and in any order.
func (f *fold) collect(ev *event) {
	for _, p := range ev.pieces {
		for len(f.texts) <= p.choice {
			f.texts = append(f.texts, texts{})
		}
		t := &f.texts[p.choice]
		switch {
		case p.kind == KindContent:
			t.text = f.bounded(t.text, p.text)
		case p.kind == KindReasoning:
			t.reasoning = f.bounded(t.reasoning, p.text)
		case p.name && len(t.names) > 0:
			t.names = f.bounded(f.bounded(t.names, []byte{'\n'}), p.text)
		case p.name:
			t.names = f.bounded(t.names, p.text)
		default:
			t.arguments = f.bounded(t.arguments, p.text)
		}
	}
}

func (f *fold) bounded(have, more []byte) []byte {
	room := max(0, f.keep-len(have))
	return append(have, more[:min(room, len(more))]...)
}

// close hands the gathered texts over.
func (f *fold) close() {
	for i := range f.texts {
		t := &f.texts[i]
		f.reply.Choices = append(f.reply.Choices, Choice{
			Text: string(t.text), Reasoning: string(t.reasoning),
			ToolNames: string(t.names), ToolArguments: string(t.arguments),
		})
	}
}
