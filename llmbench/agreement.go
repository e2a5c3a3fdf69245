package llmbench

import (
	"fmt"
	"math"
	"time"
)

const (
	// AgreementShare is how far a count may be from the server's own, as a share
	// of it: counters are read a moment after the last reply.
	AgreementShare = 0.02
	// AgreementTime is how far a mean time may be from the server's own, or
	// AgreementTimeShare of it where that is more. Between the two clocks lie
	// HTTP, the tokenizer and two schedulers: 5 to 10 ms were seen between
	// llama.cpp and this client on two busy cores.
	AgreementTime = 20 * time.Millisecond
	// AgreementTimeShare is that room as a share of the server's own time.
	AgreementTimeShare = 0.25
)

// An Agreement holds a figure of ours against the server's own.
type Agreement struct {
	// What is compared, in words: "output tokens".
	What string
	// Ours and Theirs are the two figures, of the whole run with its warm-up: the
	// server's counters know nothing of windows.
	Ours, Theirs float64
	// Unit is "tokens", "requests" or "ms".
	Unit string
	// Room is how far apart they may be, in Unit.
	Room float64
	// AtLeast says that ours may be above theirs by any amount, as a time to first
	// token that has waiting in it may be above the time of the prefill.
	AtLeast bool
}

// Agrees reports whether the two are within Room of each other.
func (a Agreement) Agrees() bool {
	if a.AtLeast && a.Ours > a.Theirs {
		return true
	}
	return math.Abs(a.Ours-a.Theirs) <= a.Room
}

// String tells both figures: "output tokens: 1000 by us, 998 by the server".
func (a Agreement) String() string {
	if a.Unit == "ms" {
		return fmt.Sprintf("%s: %.1f ms by us, %.1f ms by the server", a.What, a.Ours, a.Theirs)
	}
	return fmt.Sprintf("%s: %.0f by us, %.0f by the server", a.What, a.Ours, a.Theirs)
}

// Agreements compares the run with what the server said of itself, as far as it
// did: its counters and its histogram of times to first token from
// [Result.ServerSide], and the times that it put into its replies. It is empty
// where the server said nothing. Counts are left out when a request that was
// sent has no known count: a cut reply cost the server tokens that nobody saw.
func (r *Result) Agreements() []Agreement {
	all := r.countAgreements()
	all = append(all, r.ttftAgreement()...)
	return append(all, r.replyAgreements()...)
}

func (r *Result) countAgreements() (all []Agreement) {
	for _, c := range []struct {
		what, unit string
		ours       func(*Record) Known[int]
		theirs     func(ServerReading) Known[float64]
	}{
		{"prompt tokens", "tokens", func(r *Record) Known[int] { return r.InputTokens },
			func(s ServerReading) Known[float64] { return s.PromptTokens }},
		{"cached tokens", "tokens", func(r *Record) Known[int] { return r.CachedTokens },
			func(s ServerReading) Known[float64] { return s.CachedTokens }},
		{"output tokens", "tokens", func(r *Record) Known[int] { return r.OutputTokens },
			func(s ServerReading) Known[float64] { return s.OutputTokens }},
		{"requests", "requests", func(*Record) Known[int] { return Is(1) },
			func(s ServerReading) Known[float64] { return s.Requests }},
	} {
		theirs, ok := r.ServerSide.Grown(c.theirs).Get()
		ours, complete := r.total(c.ours)
		if ok && complete {
			all = append(all, Agreement{What: c.what, Unit: c.unit, Ours: ours, Theirs: theirs, Room: AgreementShare * theirs})
		}
	}
	return all
}

// total adds up a count over all requests that were sent, and tells whether each
// of them ended well and has it.
func (r *Result) total(count func(*Record) Known[int]) (sum float64, complete bool) {
	for i := range r.Records {
		record := &r.Records[i]
		if record.Outcome == Unsent {
			continue
		}
		n, ok := count(record).Get()
		if !ok || record.Outcome != OK {
			return 0, false
		}
		sum += float64(n)
	}
	return sum, sum > 0
}

// ttftAgreement compares the means, the one thing that a histogram has exactly.
func (r *Result) ttftAgreement() []Agreement {
	sum, hasSum := r.ServerSide.Grown(func(s ServerReading) Known[float64] { return s.TTFTSeconds }).Get()
	n, hasCount := r.ServerSide.Grown(func(s ServerReading) Known[float64] { return s.TTFTCount }).Get()
	ours, ok := r.meanTime(func(record *Record) (time.Duration, bool) {
		first, ok := record.FirstContent()
		return first - record.Sent.Or(0), ok && record.Sent.Ok()
	})
	if !hasSum || !hasCount || n == 0 || !ok {
		return nil
	}
	return []Agreement{timeAgreement("mean time to first token", ours, 1000*sum/n)}
}

// replyAgreements compare with the times that the engine puts into its replies.
func (r *Result) replyAgreements() (all []Agreement) {
	prefill, hasPrefill := r.meanTime(func(record *Record) (time.Duration, bool) {
		return record.Server.prompt().Get()
	})
	ttft, hasTTFT := r.meanTime(func(record *Record) (time.Duration, bool) {
		first, ok := record.FirstContent()
		return first - record.Sent.Or(0), ok && record.Server.prompt().Ok()
	})
	if hasPrefill && hasTTFT {
		a := timeAgreement("mean time to first token against the prefill of the replies", ttft, prefill)
		a.AtLeast = true
		all = append(all, a)
	}
	decode, hasDecode := r.meanTime(func(record *Record) (time.Duration, bool) {
		return record.Server.decode().Get()
	})
	gaps, hasGaps := r.meanTime(func(record *Record) (time.Duration, bool) {
		first, _ := record.FirstContent()
		last, ok := record.LastContent()
		return last - first, ok && record.Server.decode().Ok()
	})
	if hasDecode && hasGaps {
		all = append(all, timeAgreement("mean decode time against that of the replies", gaps, decode))
	}
	return all
}

func timeAgreement(what string, ours, theirs float64) Agreement {
	return Agreement{What: what, Unit: "ms", Ours: ours, Theirs: theirs,
		Room: max(Millis(AgreementTime), AgreementTimeShare*theirs)}
}

// meanTime is the mean over the OK requests that have the time, in ms.
func (r *Result) meanTime(of func(*Record) (time.Duration, bool)) (ms float64, ok bool) {
	var sum time.Duration
	n := 0
	for i := range r.Records {
		if r.Records[i].Outcome != OK {
			continue
		}
		if d, ok := of(&r.Records[i]); ok {
			sum += d
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return Millis(sum) / float64(n), true
}

func (s *ServerTimings) prompt() (none Known[time.Duration]) {
	if s == nil {
		return none
	}
	return s.Prompt
}

func (s *ServerTimings) decode() (none Known[time.Duration]) {
	if s == nil {
		return none
	}
	return s.Decode
}

// disagreements are the warnings that every report shows.
func (r *Result) disagreements() (found []string) {
	for _, a := range r.Agreements() {
		if !a.Agrees() {
			found = append(found, "disagrees on "+a.String())
		}
	}
	return found
}
