package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// ShareGPT reads the JSON array of the ShareGPT conversations: id, and
// conversations as a list of {from, value}. There is one row per question that
// has an answer; a conversation is a session. It has no times, and no counts of
// tokens: Input and Output are counts of words, an estimate that the server's
// usage corrects in the result.
func ShareGPT(r io.Reader) (*Trace, error) {
	t := &Trace{Name: "sharegpt"}
	lines := &lineCounter{in: r}
	in := json.NewDecoder(lines)
	bad := func(err error) error {
		return fmt.Errorf("trace: %s: line %d: %w", t.Name, lines.at(in.InputOffset()), err)
	}
	if start, err := in.Token(); err != nil || start != json.Delim('[') {
		return nil, bad(fmt.Errorf("the file does not begin with [, want a JSON array of conversations"))
	}
	for number := 1; in.More(); number++ {
		var talk conversation
		if err := in.Decode(&talk); err != nil {
			return nil, bad(fmt.Errorf("conversation %d: %w", number, err))
		}
		rows, err := talk.rows(number)
		if err != nil {
			return nil, bad(fmt.Errorf("conversation %d: %w", number, err))
		}
		t.Rows = append(t.Rows, rows...)
	}
	if _, err := in.Token(); err != nil {
		return nil, bad(fmt.Errorf("the array does not end: %w", err))
	}
	return t, nil
}

type conversation struct {
	ID    string `json:"id"`
	Turns *[]struct {
		From  string `json:"from"`
		Value string `json:"value"`
	} `json:"conversations"`
}

// rows pairs each question with the answer that follows it; what stands between
// (a system text, a second question) is passed over.
func (c conversation) rows(number int) ([]Row, error) {
	if c.Turns == nil {
		return nil, fmt.Errorf("it has no conversations")
	}
	session := c.ID
	if session == "" {
		session = fmt.Sprintf("conversation %d", number)
	}
	var rows []Row
	question := ""
	for _, turn := range *c.Turns {
		switch turn.From {
		case "human", "user":
			question = turn.Value
		case "gpt", "chatgpt", "assistant", "bing", "bard":
			if strings.TrimSpace(question) == "" || strings.TrimSpace(turn.Value) == "" {
				continue
			}
			rows = append(rows, Row{
				Session: session, Turn: len(rows), Prompt: question, Reply: turn.Value,
				Input: len(strings.Fields(question)), Output: len(strings.Fields(turn.Value)),
			})
			question = ""
		}
	}
	return rows, nil
}

// A lineCounter knows on which line each byte that went through it stood.
type lineCounter struct {
	in    io.Reader
	read  int64
	ends  []int64 // offsets after each line feed not yet passed
	lines int     // line feeds passed
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			l.ends = append(l.ends, l.read+int64(i)+1)
		}
	}
	l.read += int64(n)
	return n, err
}

// at is the line of the byte at an offset, from 1; offsets must not fall.
func (l *lineCounter) at(offset int64) int {
	for len(l.ends) > 0 && l.ends[0] <= offset {
		l.ends, l.lines = l.ends[1:], l.lines+1
	}
	return l.lines + 1
}
