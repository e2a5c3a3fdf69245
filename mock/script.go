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
type Script struct {
	// TTFT is the time from the arrival of the request at the server, its body
	// included, to the first content. 0 is at once.
	TTFT time.Duration
	// ITL is the time from one token to the next. 0 is all at once.
	ITL time.Duration
	// Output is the length at which a reply ends by itself, in tokens, with
	// finish reason "stop". 0 is: as long as the request allows, and
	// DefaultOutput when it sets no limit. The request's max_completion_tokens
	// (or max_tokens) cuts it, finish reason "length"; its min_tokens makes it
	// longer, and its ignore_eos takes it to the limit.
	Output int
	// TokensPerChunk is how many tokens travel together, as with speculative
	// decoding. A chunk leaves when its first token is due, so that the rate
	// stays one token per ITL. 0 is 1.
	TokensPerChunk int
	// Role says when the frame that only names the role is sent.
	Role RoleTime
	// Cached is how many of the prompt's tokens the usage calls cached, at most
	// all. 0 does not mention them; NoneCached says 0.
	Cached int
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

// Validate names the first field that makes no sense.
func (s Script) Validate() error {
	counts := []struct {
		field string
		value int
		least int
	}{
		{"Output", s.Output, 0},
		{"TokensPerChunk", s.TokensPerChunk, 0},
		{"Cached", s.Cached, NoneCached},
	}
	for _, c := range counts {
		if c.value < c.least {
			return fmt.Errorf("mock: script: %s is %d, want >= %d", c.field, c.value, c.least)
		}
	}
	times := []struct {
		field string
		value time.Duration
	}{{"TTFT", s.TTFT}, {"ITL", s.ITL}}
	for _, d := range times {
		if d.value < 0 {
			return fmt.Errorf("mock: script: %s is %s, want >= 0", d.field, d.value)
		}
	}
	if s.Role < RoleAtOnce || s.Role > RoleNever {
		return fmt.Errorf("mock: script: Role is %d, want RoleAtOnce, RoleWithFirst or RoleNever", s.Role)
	}
	return nil
}

// Respond makes the timeline. It depends on the script and on the request
// alone.
func (s Script) Respond(r *Request) Reply {
	n, cut := r.outputTokens(s.Output)
	reply := Reply{
		Usage: Usage{InputTokens: r.InputTokens, OutputTokens: n * r.Choices, CachedTokens: min(s.Cached, r.InputTokens)},
	}
	t := timeline{events: make([]Event, 0, n*r.Choices+4)}
	s.open(&t)
	last := s.content(&t, r.Choices, n)
	reason := "stop"
	if cut {
		reason = "length"
	}
	t.finish(last, reason, r)
	reply.Timeline = t.events
	return reply
}

func (s Script) open(t *timeline) {
	switch s.Role {
	case RoleAtOnce:
		t.add(Event{Kind: Role})
	case RoleWithFirst:
		t.add(Event{Kind: Role, At: s.TTFT})
	}
}

// content adds the chunks and returns the instant of the last one.
func (s Script) content(t *timeline, choices, n int) time.Duration {
	last := s.TTFT
	step := max(s.TokensPerChunk, 1)
	for k := 0; k < n; k += step {
		size := min(step, n-k)
		last = s.TTFT + time.Duration(k)*s.ITL
		for choice := range choices {
			t.add(Event{At: last, Text: words(k, size), Tokens: size, Choice: choice})
		}
	}
	return last
}

// timeline collects events.
type timeline struct{ events []Event }

func (t *timeline) add(e Event) { t.events = append(t.events, e) }

// finish adds what a well-behaved server sends after the last token.
func (t *timeline) finish(at time.Duration, reason string, r *Request) {
	for choice := range r.Choices {
		t.add(Event{At: at, Kind: Finish, Text: reason, Choice: choice})
	}
	if r.IncludeUsage {
		t.add(Event{At: at, Kind: UsageTail})
	}
	t.add(Event{At: at, Kind: Done})
}

// vocabulary is what replies are made of: one word is one token. Thirty-two
// short words, so that a chunk has the size of a real one.
var vocabulary = [...]string{
	"the", "queue", "was", "short", "and", "every", "token", "left", "on", "its", "own", "instant", "while", "a", "clock",
	"that", "nobody", "could", "hurry", "kept", "time", "for", "all", "of", "them", "until", "last", "reader", "had", "gone", "back", "home",
}

// words returns n words of a text, from word k on. Each but word 0 carries the
// blank before it, as the tokens of real models do.
func words(k, n int) string {
	if n == 1 {
		return word(k)
	}
	var b []byte
	for i := range n {
		b = append(b, word(k+i)...)
	}
	return string(b)
}

func word(k int) string {
	if k == 0 {
		return vocabulary[0]
	}
	return spaced[k%len(vocabulary)]
}

var spaced = func() (s [len(vocabulary)]string) {
	for i, w := range vocabulary {
		s[i] = " " + w
	}
	return s
}()
