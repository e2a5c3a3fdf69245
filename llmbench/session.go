package llmbench

import (
	"fmt"
	"strings"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// Sessions make conversations out of requests. A session's next turn is sent
// when the reply before it has ended and Profile.Think is over, and carries what
// was said so far. Arrivals start sessions, and the users of a closed loop go
// from one session to the next.
type Sessions struct {
	// Turns is the number of requests of a session; nil is 1, no session.
	Turns Length
	// History is what a turn carries of the ones before it.
	History History
	// Slots is how many sequences an engine keeps apart: the session's number
	// modulo Slots goes with each request as id_slot (llama.cpp), so that a
	// conversation comes back to the slot that has its cache. 0 sends none.
	Slots int
}

// A History is what a request carries of the conversation before it.
type History int

const (
	// ReplyHistory is all that was said: the prompts, and the replies as the
	// model gave them.
	ReplyHistory History = iota
	// FixedHistory has in place of the model's replies a text of the length that
	// was asked for (or the trace's reply), so that prompts do not depend on what
	// a model says.
	FixedHistory
	// NoHistory is the new prompt alone.
	NoHistory
)

var histories = [...]string{"reply", "fixed", "none"}

// String returns the word for it in files.
func (h History) String() string {
	if h >= 0 && int(h) < len(histories) {
		return histories[h]
	}
	return fmt.Sprintf("History(%d)", int(h))
}

// MarshalText writes the word.
func (h History) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

func (s Sessions) check() error {
	if s.History < ReplyHistory || s.History > NoHistory {
		return wrong("Sessions.History", "is %d, want ReplyHistory, FixedHistory or NoHistory", int(s.History))
	}
	if s.Slots < 0 {
		return wrong("Sessions.Slots", "is %d, want >= 0", s.Slots)
	}
	if s.Turns == nil {
		return nil
	}
	if err := s.Turns.check(); err != nil {
		return wrong("Sessions.Turns", "%s", strings.ReplaceAll(err.Error(), " tokens", " turns"))
	}
	return nil
}

// maxTurns keeps the names of streams apart: 16 bits of a key are the turn.
const maxTurns = 1 << 16

// A Class is a kind of request in a mix, with figures of its own under its
// label.
type Class struct {
	Label string
	// Share is its part of the requests, relative to the shares of the others.
	Share float64
	// Input and Output take the place of the profile's; nil keeps them.
	Input, Output Length
}

// String describes the class in one line.
func (c Class) String() string {
	text := fmt.Sprintf("%s %.4g", c.Label, c.Share)
	if c.Input != nil {
		text += fmt.Sprintf(", input %v", c.Input)
	}
	if c.Output != nil {
		text += fmt.Sprintf(", output %v", c.Output)
	}
	return text
}

func checkClasses(classes []Class) error {
	for i, c := range classes {
		if c.Label == "" {
			return wrong(fmt.Sprintf("Classes[%d].Label", i), "is empty, want a name")
		}
		if !(c.Share > 0) || c.Share > 1e9 {
			return wrong(fmt.Sprintf("Classes[%d].Share", i), "is %v, want > 0", c.Share)
		}
		for _, l := range []Length{c.Input, c.Output} {
			if l == nil {
				continue
			}
			if err := l.check(); err != nil {
				return wrong(fmt.Sprintf("Classes[%d]:", i), "a length %w", err)
			}
		}
	}
	return nil
}

// class draws the class of a session; the zero Class when there are none.
func (s *Schedule) class(session int) Class {
	classes := s.profile.Classes
	if len(classes) == 0 {
		return Class{}
	}
	total := 0.0
	for _, c := range classes {
		total += c.Share
	}
	at := float64(draw.New(s.seed, draw.Classes+uint64(session)).Float() * total) // rounded, so that no machine fuses it with the next line
	for _, c := range classes {
		if at -= c.Share; at < 0 {
			return c
		}
	}
	return classes[len(classes)-1]
}
