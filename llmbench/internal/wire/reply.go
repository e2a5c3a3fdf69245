package wire

import "time"

// Reply is what was seen of one exchange. All instants come from Call.Now.
type Reply struct {
	Outcome Outcome
	// Err says in at most about 300 printable characters what went wrong and
	// what to try; empty when the outcome is ok.
	Err string
	// Note says what was odd about a reply that is ok all the same, as a
	// missing [DONE]. Mostly empty.
	Note string
	// Generator is true where the failure is this machine's: no file
	// descriptors, no ports left. It says nothing about the server.
	Generator bool
	// Server is what the server itself said of its failure, where it spoke.
	Server ServerError

	Status       int // 0: no response
	FinishReason string
	DoneSeen     bool // [DONE], or the protocol's own last event
	RetryAfter   Opt[time.Duration]

	Sent      time.Duration      // just before the transport was given the request
	Headers   Opt[time.Duration] // response headers read
	FirstByte Opt[time.Duration] // first Read of the body that brought bytes, whatever they were
	End       time.Duration      // last byte read, or the failure was seen; never before the last chunk

	// Streamed is false where the reply came as one body. It then has one
	// chunk, at End.
	Streamed bool
	Chunks   []Chunk
	Usage    *Usage   // the last report; nil: none
	Timings  *Timings // the server's own; nil: none

	// Choices hold the generated text, the first Call.KeepText bytes of each
	// channel, by choice index. Empty when KeepText is 0.
	Choices []Choice

	Reads          int // Reads of the body that brought bytes
	CoalescedReads int // those that completed more than one event of generated output: their chunks share one instant
	BytesOut       int64
	BytesIn        int64  // of the body, as they came: before decompression
	Malformed      int    // events that could not be decoded
	MalformedText  string // the first of them, bounded and escaped
	Ignored        int    // events that are not of the protocol, and those that came with the last one and after it

	Trace    Trace
	Attempts int // connections that were given the request; more than 1: a kept one turned out to be closed
	Capture  *Capture
}

// Text is the first choice's text; see Choices.
func (r *Reply) Text() string {
	if len(r.Choices) == 0 {
		return ""
	}
	return r.Choices[0].Text
}

// Reasoning is the first choice's thinking; see Choices.
func (r *Reply) Reasoning() string {
	if len(r.Choices) == 0 {
		return ""
	}
	return r.Choices[0].Reasoning
}

// Chunk is one data event.
type Chunk struct {
	At      time.Duration // when the Read that completed it returned
	Tokens  int32         // generated tokens in it; only where Counted
	Kind    Kind
	Counted bool
}

// Choice is the generated output of one of the n answers.
type Choice struct {
	Text, Reasoning string
	ToolNames       string // the names of the tools that were called, separated by LF
	ToolArguments   string // the argument pieces of all calls, in order of arrival
}
