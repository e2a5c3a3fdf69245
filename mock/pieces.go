package mock

import (
	"strings"
	"time"
	"unicode"
)

// pieces is the text of one reply, token by token: thinking first, then the
// answer, then the tool calls.
type pieces struct {
	length    int // tokens after the request's limit
	reason    string
	reasoning int
	text      []string // the tokens of the script's own text; more is made up
	textEnd   int      // where the text ends and the tool calls begin
	tools     []toolToken
}

// toolToken is one token of a tool call.
type toolToken struct {
	place ToolPiece
	text  string
}

// pieces decides on the length first, since it says where the text gives way to
// the tool calls.
func (s Script) pieces(r *Request) pieces {
	p := pieces{reasoning: s.Reasoning, text: tokens(s.Text), tools: toolTokens(s.Tools)}
	natural := s.textLength(r, len(p.text)) + len(p.tools)
	n, cut := r.outputTokens(natural)
	p.length, p.reason = n, "stop"
	// A limit below the natural length cuts tool calls short; a reply that is
	// made longer than that gets more text before them.
	p.textEnd = max(natural, n) - len(p.tools)
	switch {
	case cut:
		p.reason = "length"
	case len(p.tools) > 0:
		p.reason = "tool_calls"
	}
	return p
}

// textLength is where the text ends by itself, 0 when only the request knows.
func (s Script) textLength(r *Request, words int) int {
	switch {
	case s.OutputSpread > 0:
		rng := r.Rand(s.Seed ^ lengthStream)
		return max(1, s.Output-s.OutputSpread+rng.IntN(2*s.OutputSpread+1))
	case s.Output > 0:
		return s.Output
	case words > 0:
		return words + s.Reasoning
	}
	return 0
}

// Lengths and times come from sources of their own, so that a longer reply does
// not change the times of the shorter one.
const (
	lengthStream = 0x6c656e67
	mixStream    = 0x6d6978
)

// chunk returns the event of token k and of those that travel with it, at most
// n, all of one kind.
func (p pieces) chunk(k, n int) (Event, int) {
	if k >= p.textEnd && len(p.tools) > 0 {
		return p.toolChunk(k-p.textEnd, min(n, p.length-k))
	}
	kind, end := Content, p.length
	if len(p.tools) > 0 {
		end = min(end, p.textEnd)
	}
	from := k - p.reasoning
	if k < p.reasoning {
		kind, end, from = Reasoning, min(end, p.reasoning), k
	}
	n = min(n, end-k)
	text := ""
	if kind == Content {
		text = p.words(from, n)
	} else {
		text = words(from, n)
	}
	return Event{Kind: kind, Text: text, Tokens: n}, n
}

// toolChunk never joins two calls.
func (p pieces) toolChunk(k, n int) (Event, int) {
	first := p.tools[k]
	e := Event{Kind: Tool, Tool: first.place, Text: first.text, Tokens: 1}
	for e.Tokens < n && k+e.Tokens < len(p.tools) && p.tools[k+e.Tokens].place.Index == first.place.Index {
		e.Text += p.tools[k+e.Tokens].text
		e.Tokens++
	}
	return e, e.Tokens
}

// words is n tokens of the answer from token k on.
func (p pieces) words(k, n int) string {
	if len(p.text) == 0 {
		return words(k, n)
	}
	var b strings.Builder
	for i := k; i < k+n; i++ {
		if i < len(p.text) {
			b.WriteString(p.text[i])
		} else {
			b.WriteString(spaced[i%len(spaced)])
		}
	}
	return b.String()
}

// tokens cuts a text into words, each with the white space before it; white
// space at the end stays with the last word.
func tokens(text string) []string {
	var all []string
	start, inWord := 0, false
	for i, c := range text {
		if inWord && unicode.IsSpace(c) {
			all = append(all, text[start:i])
			start = i
		}
		inWord = !unicode.IsSpace(c)
	}
	switch {
	case inWord:
		all = append(all, text[start:])
	case len(all) > 0:
		all[len(all)-1] += text[start:]
	}
	return all
}

// toolTokens: the name travels first and alone, as engines send it.
func toolTokens(calls []ToolCall) []toolToken {
	var all []toolToken
	for i, call := range calls {
		all = append(all, toolToken{place: ToolPiece{Index: i, Name: call.Name}})
		for _, word := range tokens(call.Arguments) {
			all = append(all, toolToken{place: ToolPiece{Index: i}, text: word})
		}
	}
	return all
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
	var b strings.Builder
	for i := range n {
		b.WriteString(word(k + i))
	}
	return b.String()
}

func word(k int) string {
	if k == 0 {
		return vocabulary[0]
	}
	return spaced[k%len(spaced)]
}

var spaced = func() (s [len(vocabulary)]string) {
	for i, w := range vocabulary {
		s[i] = " " + w
	}
	return s
}()

// tokenClock says when token k is due. Asked in rising order.
type tokenClock struct {
	first time.Duration
	next  func(k int) time.Duration // the gap between token k and k+1; nil is itl
	itl   time.Duration
	k     int
	sum   time.Duration
}

// clock draws the first token's time before any gap, so that a script with other
// gaps has the same TTFTs.
func (s Script) clock(r *Request) *tokenClock {
	c := &tokenClock{first: s.TTFT + time.Duration(r.InputTokens)*s.TTFTPerInputToken, itl: s.ITL}
	if s.TTFTs != nil || s.ITLs != nil {
		rng := r.Rand(s.Seed)
		if s.TTFTs != nil {
			c.first += max(0, s.TTFTs.Draw(rng))
		}
		if s.ITLs != nil {
			c.next = func(k int) time.Duration { return s.gap(k) + max(0, s.ITLs.Draw(rng)) }
			return c
		}
	}
	if len(s.Gaps) > 0 {
		c.next = s.gap
	}
	return c
}

func (s Script) gap(k int) time.Duration {
	if len(s.Gaps) == 0 {
		return s.ITL
	}
	return s.Gaps[k%len(s.Gaps)]
}

// at multiplies where it can: a sum of rounded gaps would drift.
func (c *tokenClock) at(k int) time.Duration {
	if c.next == nil {
		return c.first + time.Duration(k)*c.itl
	}
	for ; c.k < k; c.k++ {
		c.sum += c.next(c.k)
	}
	return c.first + c.sum
}
