package mock

import (
	"fmt"
	"time"
)

// DefaultOutput is the length of a reply, in tokens, when neither the Script
// nor the request says one: the default of max_tokens in OpenAI's completions.
const DefaultOutput = 16

// Script is a reply with fixed times. Its zero value answers at once with
// DefaultOutput tokens, or as many as the request asks for.
//
// The first chunk of content leaves TTFT after the arrival of the request, and
// token k, counted from 0, at TTFT + k*ITL. These are instants, not pauses: a
// token that leaves late does not move the next.
//
// A Script looks at the request alone, and its random parts at the seed and the
// request: which request came first changes nothing.
type Script struct {
	// TTFT is the time from the arrival of the request at the server, its body
	// included, to the first content. 0 is at once.
	TTFT time.Duration
	// TTFTPerInputToken is added to TTFT for every token of the prompt.
	TTFTPerInputToken time.Duration
	// TTFTs, when set, is drawn once per request and added to TTFT.
	TTFTs Times
	// ITL is the time from one token to the next. 0 is all at once.
	ITL time.Duration
	// Gaps, when set, stands for ITL: gap k lies between token k and k+1; after
	// the last gap the list begins again.
	Gaps []time.Duration
	// ITLs, when set, is drawn for every token and added to ITL or the gap.
	ITLs Times
	// HeaderDelay is how long the response headers are held back. Content that
	// is due earlier waits for them.
	HeaderDelay time.Duration
	// KeepAlive, when set, sends an SSE comment every KeepAlive until the first
	// content.
	KeepAlive time.Duration

	// Output is the length at which a reply ends by itself, in tokens, with
	// finish reason "stop". 0 is: as long as the request allows, and
	// DefaultOutput when it sets no limit. The request's max_completion_tokens
	// (or max_tokens) cuts it, finish reason "length"; its min_tokens makes it
	// longer, and its ignore_eos takes it to the limit.
	Output int
	// OutputSpread draws the length from Output-OutputSpread to
	// Output+OutputSpread, all as likely, at least 1.
	OutputSpread int
	// Reasoning is how many of the first tokens are thinking.
	Reasoning int
	// Text is what the reply says; its words are its tokens, and with Output 0
	// it gives the length. "" is a text of the mock's own.
	Text string
	// Tools are the calls that follow the text. With Output 0 and no Text there
	// is no text. Each name is a token and so is each word of the arguments.
	Tools []ToolCall
	// TokensPerChunk is how many tokens travel together, as with speculative
	// decoding. A chunk leaves when its first token is due, so that the rate
	// stays one token per ITL. 0 is 1.
	TokensPerChunk int

	// Role says when the frame that only names the role is sent.
	Role RoleTime
	// Finish is the finish reason; "" is stop, length or tool_calls, as it went.
	Finish string
	// Usage says when usage is reported.
	Usage UsageTime
	// UsageError is added to the output tokens that usage reports: a server that
	// counts wrongly.
	UsageError int
	// Cached is how many of the prompt's tokens the usage calls cached, at most
	// all. 0 does not mention them; NoneCached says 0.
	Cached int
	// Model is the name in the reply, what the request asked for when "".
	Model string

	// Faults are applied to the reply, the first first.
	Faults []Fault
	// Seed is where the random parts start from.
	Seed uint64
}

// ToolCall is one call of a function.
type ToolCall struct {
	Name      string
	Arguments string // JSON
}

// RoleTime is when a chat stream sends the frame without content that opens it.
type RoleTime int

// Engines differ here, and clients that take the frame for the first token
// measure a TTFT of nothing.
const (
	RoleAtOnce    RoleTime = iota // with the headers, as vLLM does
	RoleWithFirst                 // with the first content
	RoleNever
)

// UsageTime is when a reply reports usage. A reply in one body always does, but
// for UsageNever.
type UsageTime int

// What servers do with stream_options.include_usage.
const (
	UsageAsAsked UsageTime = iota // a tail when the request asks for it
	UsageAlways                   // a tail, asked or not
	UsageNever                    // none, asked or not
	UsageEvery                    // running totals in every frame, and a tail
)

// Respond makes the timeline. It depends on the script and on the request
// alone.
func (s Script) Respond(r *Request) Reply {
	p := s.pieces(r)
	reply := Reply{
		HeaderAt:   s.HeaderDelay,
		Model:      s.Model,
		NoUsage:    s.Usage == UsageNever,
		UsageEvery: s.Usage == UsageEvery,
		Usage: Usage{
			InputTokens:     r.InputTokens,
			OutputTokens:    p.length*r.Choices + s.UsageError,
			ReasoningTokens: min(s.Reasoning, p.length) * r.Choices,
			CachedTokens:    min(s.Cached, r.InputTokens),
		},
	}
	reply.Timeline = s.timeline(r, p)
	for _, f := range s.Faults {
		f.apply(r, &reply)
	}
	return reply
}

// timeline lays the pieces out in time.
func (s Script) timeline(r *Request, p pieces) []Event {
	clock := s.clock(r)
	t := make([]Event, 0, (p.length/max(s.TokensPerChunk, 1)+2)*r.Choices+3)
	first := clock.first
	t = s.opening(t, first)
	last := first
	for k := 0; k < p.length; {
		e, n := p.chunk(k, max(s.TokensPerChunk, 1))
		last = clock.at(k)
		e.At = last
		for e.Choice = range r.Choices {
			t = append(t, e)
		}
		k += n
	}
	return s.closing(t, last, p.reason, r)
}

// opening adds what is sent before the first content.
func (s Script) opening(t []Event, first time.Duration) []Event {
	if s.Role == RoleAtOnce {
		t = append(t, Event{Kind: Role})
	}
	if s.KeepAlive > 0 {
		for at := s.KeepAlive; at < first; at += s.KeepAlive {
			t = append(t, Event{Kind: Comment, Text: "keep-alive", At: at})
		}
	}
	if s.Role == RoleWithFirst {
		t = append(t, Event{Kind: Role, At: first})
	}
	return t
}

// closing adds what a well-behaved server sends after the last token.
func (s Script) closing(t []Event, last time.Duration, reason string, r *Request) []Event {
	if s.Finish != "" {
		reason = s.Finish
	}
	for choice := range r.Choices {
		t = append(t, Event{At: last, Kind: Finish, Text: reason, Choice: choice})
	}
	tail := s.Usage == UsageAlways || s.Usage == UsageEvery || s.Usage == UsageAsAsked && r.IncludeUsage
	if tail {
		t = append(t, Event{At: last, Kind: UsageTail})
	}
	return append(t, Event{At: last, Kind: Done})
}

// Validate names the first field that makes no sense.
func (s Script) Validate() error {
	counts := []struct {
		field string
		value int
		least int
	}{
		{"Output", s.Output, 0},
		{"OutputSpread", s.OutputSpread, 0},
		{"Reasoning", s.Reasoning, 0},
		{"TokensPerChunk", s.TokensPerChunk, 0},
		{"Cached", s.Cached, NoneCached},
	}
	for _, c := range counts {
		if c.value < c.least {
			return fmt.Errorf("mock: script: %s is %d, want >= %d", c.field, c.value, c.least)
		}
	}
	if s.OutputSpread > 0 && s.OutputSpread > s.Output {
		return fmt.Errorf("mock: script: OutputSpread is %d, want <= Output, which is %d", s.OutputSpread, s.Output)
	}
	if s.Role < RoleAtOnce || s.Role > RoleNever {
		return fmt.Errorf("mock: script: Role is %d, want RoleAtOnce, RoleWithFirst or RoleNever", s.Role)
	}
	if s.Usage < UsageAsAsked || s.Usage > UsageEvery {
		return fmt.Errorf("mock: script: Usage is %d, want UsageAsAsked, UsageAlways, UsageNever or UsageEvery", s.Usage)
	}
	return firstError(s.validTimes, s.validParts)
}

// validTimes finds the times below 0.
func (s Script) validTimes() error {
	times := []struct {
		field string
		value time.Duration
	}{
		{"TTFT", s.TTFT}, {"TTFTPerInputToken", s.TTFTPerInputToken}, {"ITL", s.ITL},
		{"HeaderDelay", s.HeaderDelay}, {"KeepAlive", s.KeepAlive},
	}
	for _, d := range times {
		if d.value < 0 {
			return fmt.Errorf("mock: script: %s is %s, want >= 0", d.field, d.value)
		}
	}
	for k, gap := range s.Gaps {
		if gap < 0 {
			return fmt.Errorf("mock: script: Gaps[%d] is %s, want >= 0", k, gap)
		}
	}
	return nil
}

// validParts finds what distributions and faults have to say.
func (s Script) validParts() error {
	for _, part := range []any{s.TTFTs, s.ITLs} {
		if err := validate(part); err != nil {
			return err
		}
	}
	for _, f := range s.Faults {
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

// validate asks a value that can say whether it makes sense.
func validate(part any) error {
	if v, ok := part.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

func firstError(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
