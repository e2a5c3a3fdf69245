package llmbench

import (
	"maps"
	"math"
	"strings"

	"github.com/llmbench/go/llmbench/internal/prompt"
	"github.com/llmbench/go/llmbench/internal/wire"
)

// A conversation is what a session has said so far. One goroutine at a time uses
// it.
type conversation struct {
	messages []wire.Message
	tokens   int // as planned, replies as the server counted them
}

// A writer writes the requests of a run: the same planned request is always the
// same bytes, but for the model's own replies in a history.
type writer struct {
	seed     uint64
	profile  Profile
	model    string
	block    int      // tokens per block of the trace; 0 without one
	pictures []string // data URLs
	// perWord and template turn tokens into words: words·perWord + template is
	// what the server counts.
	perWord  float64
	template int
}

// pictures is how many different images a run makes; they are made before it
// begins, as drawing them takes longer than a request may be late.
const pictures = 16

func newWriter(seed uint64, profile Profile, model string) *writer {
	w := &writer{seed: seed, profile: profile, model: model, perWord: profile.Prompt.TokensPerWord}
	if w.perWord == 0 {
		w.perWord = 1
	}
	if r, ok := profile.Arrivals.(replay); ok {
		w.block = r.trace.BlockTokens
	} else if profile.Dataset != nil {
		w.block = profile.Dataset.BlockTokens
	}
	w.draw()
	return w
}

// draw makes the pictures that the profile or its trace asks for.
func (w *writer) draw() {
	size := w.profile.Prompt.Images
	if size.Count == 0 && !w.profile.hasImages() {
		return
	}
	if size.Width == 0 {
		size.Width, size.Height = 256, 256 // a trace says how many pictures, not how large
	}
	for i := range pictures {
		w.pictures = append(w.pictures, prompt.Picture(w.seed, i, size.Width, size.Height))
	}
}

func (p Profile) hasImages() bool {
	data := p.Dataset
	if r, ok := p.Arrivals.(replay); ok {
		data = r.trace
	}
	if data == nil {
		return false
	}
	for i := range data.Rows {
		if data.Rows[i].Images > 0 {
			return true
		}
	}
	return false
}

// words is how many words make so many tokens, at least one.
func (w *writer) words(tokens int) int {
	return max(1, int(math.Round(float64(tokens)/w.perWord)))
}

// request is what a planned request asks for, and how many tokens its prompt was
// meant to have.
func (w *writer) request(next *Planned, talk *conversation) (*wire.Request, int) {
	p := w.profile
	said := wire.Message{Role: "user", Content: w.text(next), Images: w.images(next)}
	messages := append(w.system(), talk.messages...)
	if w.remembers() {
		talk.messages = append(talk.messages, said)
	}
	planned := next.Input + w.common(next) + talk.tokens
	return &wire.Request{
		Model: w.model, Messages: append(messages, said),
		MaxTokens: next.Output, MinTokens: p.Body.MinTokens, MaxTokensField: p.Body.LimitField,
		IgnoreEOS: p.Body.IgnoreEOS, Stream: !p.Body.NoStream, OmitUsage: p.Body.NoUsage,
		Extra: w.extra(next),
	}, planned
}

// system is the system prompt in a slice of its own, if there is one.
func (w *writer) system() []wire.Message {
	text := w.profile.Body.System
	if w.profile.Prompt.Shared > 0 {
		text = strings.TrimSpace(text + "\n" + prompt.Shared(w.seed, w.words(w.profile.Prompt.Shared)))
	}
	if text == "" {
		return nil
	}
	return []wire.Message{{Role: "system", Content: text}}
}

// common is how many tokens of a prompt are not its own: those shared with all
// requests, and its prefix where it carries one.
func (w *writer) common(next *Planned) int {
	tokens := w.profile.Prompt.Shared
	if w.prefixed(next) {
		tokens += w.profile.Prompt.PrefixTokens
	}
	return tokens
}

// prefixed tells whether the message itself begins with the prefix: in a history
// it is there already.
func (w *writer) prefixed(next *Planned) bool {
	return w.profile.Prompt.Prefixes > 0 && (!next.follows || w.profile.Sessions.History == NoHistory)
}

// text is the user's message.
func (w *writer) text(next *Planned) string {
	text := w.own(next)
	if !w.prefixed(next) {
		return text
	}
	p := w.profile.Prompt
	which := prompt.Choose(w.seed, next.root(), p.Prefixes)
	return prompt.Prefix(w.seed, which, w.words(p.PrefixTokens)) + " " + text
}

// own is the message without its prefix.
func (w *writer) own(next *Planned) string {
	tokens := max(1, next.Input-w.template)
	switch row := next.row; {
	case row != nil && row.Prompt != "":
		return row.Prompt
	case row != nil && len(row.Blocks) > 0:
		return prompt.Blocks(w.seed, next.key, row.Blocks, w.words(w.block), w.words(tokens))
	}
	return prompt.Words(w.seed, next.key, w.words(tokens))
}

// root names the session of a request.
func (p *Planned) root() uint64 {
	if p.follows {
		return p.key - uint64(p.Turn)
	}
	return p.key
}

func (w *writer) images(next *Planned) []string {
	count := w.profile.Prompt.Images.Count
	if next.row != nil {
		count += next.row.Images
	}
	var images []string
	for i := range count {
		images = append(images, w.pictures[(int(next.key%pictures)+i)%pictures])
	}
	return images
}

// extra is the caller's own, with the tools and the session's slot.
func (w *writer) extra(next *Planned) map[string]any {
	p := w.profile
	if len(p.Body.Tools) == 0 && p.Sessions.Slots == 0 {
		return p.Body.Extra
	}
	extra := map[string]any{}
	if len(p.Body.Tools) > 0 {
		extra["tools"] = p.Body.Tools
	}
	if p.Sessions.Slots > 0 {
		extra["id_slot"] = next.root() / maxTurns % uint64(p.Sessions.Slots)
	}
	maps.Copy(extra, p.Body.Extra)
	return extra
}

// heard adds the reply to the conversation.
func (w *writer) heard(next *Planned, talk *conversation, reply string, record *Record) {
	if !w.remembers() {
		return
	}
	if w.profile.Sessions.History == FixedHistory {
		reply = w.answer(next)
	}
	talk.messages = append(talk.messages, wire.Message{Role: "assistant", Content: reply})
	talk.tokens += next.Input + record.OutputTokens.Or(0)
	if w.prefixed(next) {
		talk.tokens += w.profile.Prompt.PrefixTokens
	}
}

// answer stands for the model's reply in a fixed history.
func (w *writer) answer(next *Planned) string {
	if next.row != nil && next.row.Reply != "" {
		return next.row.Reply
	}
	return prompt.Answer(w.seed, next.key, w.words(max(next.Output, 1)))
}

// keepText is how many bytes of a reply the harness needs.
func (w *writer) keepText() int {
	if w.remembers() && w.profile.Sessions.History == ReplyHistory {
		return 1 << 20
	}
	return 0
}

// exact tells whether the length of a prompt is the harness's to choose: not
// where a text of the caller's, a history or a picture is in it.
func (w *writer) exact(next *Planned) bool {
	p := w.profile
	return !next.follows && p.Body.System == "" && len(p.Body.Tools) == 0 && p.Prompt.Images.Count == 0 &&
		(next.row == nil || next.row.Prompt == "" && next.row.Images == 0)
}

// remembers tells whether conversations have a history.
func (w *writer) remembers() bool {
	sessions := w.profile.Sessions.Turns != nil || w.profile.Dataset != nil
	return sessions && w.profile.Sessions.History != NoHistory
}
