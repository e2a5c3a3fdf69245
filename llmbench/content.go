package llmbench

import (
	"fmt"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// turns are the requests of session i, all but their places and phases. They
// depend on the profile, the seed and i alone, so a closed loop may ask in any
// order.
func (s *Schedule) turns(i int) []Planned {
	if r, ok := s.profile.Arrivals.(replay); ok {
		return []Planned{s.fromRow(&r.trace.Rows[i], uint64(i))}
	}
	if len(s.groups) > 0 {
		return s.fromDataset(i)
	}
	class := s.class(i)
	if s.profile.Sessions.Turns == nil {
		alone := s.drawn(uint64(i), class)
		return []Planned{alone}
	}
	n := min(s.profile.Sessions.Turns.draw(draw.New(s.seed, draw.Turns+uint64(i))), maxTurns)
	turns := make([]Planned, n)
	for k := range turns {
		turns[k] = s.drawn(uint64(i)*maxTurns+uint64(k), class)
		turns[k].Session, turns[k].Turn, turns[k].follows = fmt.Sprintf("s%d", i), k, k > 0
	}
	return turns
}

// drawn is a request whose lengths the profile has, or its class.
func (s *Schedule) drawn(key uint64, class Class) Planned {
	p := s.profile
	if class.Input != nil {
		p.Input = class.Input
	}
	if class.Output != nil {
		p.Output = class.Output
	}
	next := Planned{key: key, Label: class.Label}
	stream := draw.New(s.seed, draw.Lengths+key)
	next.Input = p.Input.draw(stream)
	if p.Output != nil {
		next.Output = p.Output.draw(stream)
	}
	s.habits(&next)
	return next
}

// fromRow is a request as a trace has it.
func (s *Schedule) fromRow(row *TraceRow, key uint64) Planned {
	next := Planned{
		key: key, row: row, Label: row.Label, Session: row.Session, Turn: row.Turn,
		Input: row.Input, Output: row.Output,
	}
	if row.Input == 0 {
		next.Input = len(strings.Fields(row.Prompt))
	}
	stream := draw.New(s.seed, draw.Lengths+key)
	if s.profile.Input != nil {
		next.Input = s.profile.Input.draw(stream)
	}
	if s.profile.Output != nil {
		next.Output = s.profile.Output.draw(stream)
	}
	s.habits(&next)
	return next
}

// habits draws what is about the user and not about the text.
func (s *Schedule) habits(next *Planned) {
	if think := s.profile.Think; think != nil {
		next.Think = think.draw(draw.New(s.seed, draw.Pauses+next.key))
	}
	if cancel := s.profile.Cancel; cancel.Share > 0 {
		stream := draw.New(s.seed, draw.Cancels+next.key)
		if stream.Float() < cancel.Share {
			next.Cancel = Is(cancel.delay(stream))
		}
	}
}

// fromDataset is session i of the data set, which begins again when it is
// through. A round's requests have texts of their own where the rows have none.
func (s *Schedule) fromDataset(i int) []Planned {
	group := s.groups[i%len(s.groups)]
	turns := make([]Planned, len(group))
	for k, row := range group {
		turns[k] = s.fromRow(row, uint64(i)*maxTurns+uint64(k))
		turns[k].follows = k > 0
		if row.Session != "" {
			turns[k].Session, turns[k].Turn = fmt.Sprintf("s%d", i), k
		}
	}
	return turns
}

// grouped are the rows of a data set by session, in an order that the seed
// shuffles: files are often sorted by something. Rows without a session stand
// alone.
func grouped(data *Trace, seed uint64) [][]*TraceRow {
	var groups [][]*TraceRow
	places := map[string]int{}
	for i := range data.Rows {
		row := &data.Rows[i]
		place, known := places[row.Session]
		if row.Session == "" || !known || len(groups[place]) >= maxTurns {
			place = len(groups)
			groups = append(groups, nil)
			places[row.Session] = place
		}
		groups[place] = append(groups[place], row)
	}
	stream := draw.New(seed, draw.Jitter+1)
	for i := len(groups) - 1; i > 0; i-- {
		j := stream.Below(i + 1)
		groups[i], groups[j] = groups[j], groups[i]
	}
	return groups
}

// A CancelPart says which requests are cancelled on purpose, to see whether the
// server frees what they held. They end as [Cancelled], apart from failures.
type CancelPart struct {
	// Share of the requests, in [0,1].
	Share float64
	// After is how long after its sending a request is cancelled; nil is at once.
	// A request that ends earlier is not.
	After Pause
}

func (c CancelPart) delay(s *draw.Stream) time.Duration {
	if c.After == nil {
		return 0
	}
	return c.After.draw(s)
}

func (c CancelPart) check() error {
	if !(c.Share >= 0 && c.Share <= 1) {
		return wrong("Cancel.Share", "is %v, want a share in [0,1]", c.Share)
	}
	if c.After == nil {
		return nil
	}
	if err := c.After.check(); err != nil {
		return wrong("Cancel.After", "%w", err)
	}
	return nil
}
