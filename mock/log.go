package mock

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Log is what happened so far, one line per event, in order of time and then of
// the requests' numbers: arrival, first token, end. In virtual time the same run
// gives the same text.
func (s *Server) Log() string {
	type line struct {
		at     time.Duration
		number int
		text   string
	}
	var lines []line
	for _, x := range s.Requests() {
		add := func(at time.Duration, format string, args ...any) {
			lines = append(lines, line{at, x.Number, fmt.Sprintf(format, args...)})
		}
		add(x.Arrived, "%s, %d tokens in", x.API, x.InputTokens)
		if x.Tokens > 0 {
			add(x.FirstToken, "first token")
		}
		switch {
		case x.Left > 0:
			add(x.Left, "client left after %d tokens", x.Tokens)
		case x.Ended > 0:
			add(x.Ended, "%s", x.outcome())
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number))
	})
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%-12s #%d %s\n", l.at, l.number, l.text)
	}
	return b.String()
}

// outcome words how a reply ended.
func (x Exchange) outcome() string {
	how := map[Kind]string{Drop: "closed", Reset: "reset"}[x.How]
	switch {
	case how != "":
		return fmt.Sprintf("%s after %d tokens", how, x.Tokens)
	case x.Finish != "":
		return fmt.Sprintf("%d %s, %d tokens out", x.Status, x.Finish, x.Tokens)
	}
	return fmt.Sprintf("%d, %d tokens out", x.Status, x.Tokens)
}
