package mock

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Cancelled waits until every reply that was in flight at the instant has ended
// or was cancelled, at most until within has passed since then, and returns an
// error that names those that went on. It is for what stands between a client
// and the server: when the client leaves, a gateway has to cancel what it asked
// for.
//
//	left := time.Now()
//	cancel() // the client of the gateway
//	err := server.Cancelled(left, 50*time.Millisecond)
//
// With nothing in flight at the instant there is nothing to judge, and that is an
// error too.
func (s *Server) Cancelled(since time.Time, within time.Duration) error {
	if within < 0 {
		return fmt.Errorf("mock: cancelled: within is %s, want >= 0", within)
	}
	from := since.Sub(s.loop.start)
	s.waitUntil(time.Until(since.Add(within)), func() bool { return len(s.goingOn(from, from+within)) == 0 })
	all := s.inFlightAt(from)
	if len(all) == 0 {
		return errors.New("cannot judge cancelled streams: no stream was in flight when the client left")
	}
	late := s.goingOn(from, from+within)
	if len(late) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d streams went on after the client left, want all cancelled within %s", len(late), len(all), within)
	for i, x := range late {
		if i == 5 {
			fmt.Fprintf(&b, "\n  and        %d more", len(late)-i)
			break
		}
		fmt.Fprintf(&b, "\n  request    #%d %s: %s", x.Number, x.ID, x.later(from))
	}
	return errors.New(b.String())
}

// later words what a reply did after an instant.
func (x Exchange) later(from time.Duration) string {
	if x.Left > 0 {
		return fmt.Sprintf("cancelled %s after, with %d tokens sent", x.Left-from, x.Tokens)
	}
	return fmt.Sprintf("still open, with %d tokens sent, the last %s after", x.Tokens, x.LastToken-from)
}

// inFlightAt is the replies that were under way at the instant.
func (s *Server) inFlightAt(from time.Duration) (all []Exchange) {
	for _, x := range s.Requests() {
		if x.Arrived <= from && (x.Ended == 0 || x.Ended > from) && (x.Left == 0 || x.Left >= from) {
			all = append(all, x)
		}
	}
	return all
}

// goingOn is those of them that were not over by another.
func (s *Server) goingOn(from, by time.Duration) (late []Exchange) {
	for _, x := range s.inFlightAt(from) {
		if (x.Ended == 0 || x.Ended > by) && (x.Left == 0 || x.Left > by) {
			late = append(late, x)
		}
	}
	return late
}

// waitUntil waits for a condition, which it checks whenever a reply has ended.
func (s *Server) waitUntil(d time.Duration, ok func() bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		change := s.loop.change()
		if ok() {
			return
		}
		select {
		case <-change:
		case <-timer.C:
			return
		case <-s.loop.quit:
			return
		}
	}
}

// RequireCancelled fails the test with the error of Cancelled.
func (s *Server) RequireCancelled(t T, since time.Time, within time.Duration) {
	t.Helper()
	if err := s.Cancelled(since, within); err != nil {
		t.Fatalf("%v", err)
	}
}

// RequireRequests fails the test when the server has not seen exactly n requests.
func (s *Server) RequireRequests(t T, n int) {
	t.Helper()
	if got := len(s.Requests()); got != n {
		t.Fatalf("the server saw %d requests, want %d", got, n)
	}
}

// RequireConnections fails the test when clients opened more than n connections:
// one that does not read replies to their end, or keeps too few idle, does.
func (s *Server) RequireConnections(t T, n int) {
	t.Helper()
	if got := s.Connections(); got > n {
		t.Fatalf("clients opened %d connections for %d requests, want at most %d", got, len(s.Requests()), n)
	}
}
