package llmbench

import (
	"time"
)

// A Window is the stretch [From, To) of a run that figures are about, and the
// id of the rule that chose it.
type Window struct {
	From, To time.Duration
	Rule     string
}

// The rule ids of windows.
const (
	// WholeRule is the whole run: from the first scheduled instant (where
	// unknown, the send) to the last end of the measured requests.
	WholeRule = "whole"
	// BetweenRule is a stretch that the caller chose. Curves are clipped to it;
	// request metrics are over the requests that start in it.
	BetweenRule = "between"
)

// Share is the part of the other window's length that this one has; 0 if the
// other has none.
func (w Window) Share(of Window) float64 {
	if of.Length() <= 0 {
		return 0
	}
	return float64(w.Length()) / float64(of.Length())
}

// Length is how long the window is.
func (w Window) Length() time.Duration { return w.To - w.From }

// holds reports whether an instant lies in the window.
func (w Window) holds(at int64) bool { return at >= int64(w.From) && at < int64(w.To) }

// covers reports whether the window's request metrics cover the request: all of
// them in a whole run, those that start in the window else. A request that was
// never sent counts where it was scheduled. AISBench's rule includes the last
// instant.
func (w Window) covers(r *Record) bool {
	if w.Rule == WholeRule {
		return true
	}
	at, ok := nanos(r.Sent)
	if !ok {
		at, ok = nanos(r.Scheduled)
	}
	return ok && (w.holds(at) || w.Rule == StableRule && at == int64(w.To))
}

// chooseWindow finds the window that the options ask for.
func chooseWindow(records []Record, opts AnalyzeOptions) (Window, error) {
	given := opts.From != 0 || opts.To != 0
	rule := opts.Rule
	if rule == "" {
		rule = WholeRule
		if given {
			rule = BetweenRule
		}
	}
	if given && rule != BetweenRule {
		return Window{}, wrong("From and To", "are given, want none beside the rule %s", rule)
	}
	switch rule {
	case WholeRule:
		return wholeWindow(records), nil
	case BetweenRule:
		if opts.To <= opts.From {
			return Window{}, wrong("To", "is %v, want after From, %v", opts.To, opts.From)
		}
		return Window{From: opts.From, To: opts.To, Rule: BetweenRule}, nil
	case StableRule:
		return StableWindow(records, opts.Concurrency)
	case SteadyRule:
		return SteadyWindow(records)
	}
	return Window{}, wrong("Rule", "is %q, want one of %q", rule, []string{WholeRule, BetweenRule, StableRule, SteadyRule})
}

// wholeWindow spans the measured requests: from the first instant at which one
// was wanted or sent (a send before its schedule is a fault of the clock, but no
// part of a request may lie outside) to the last end. Without an end it has no
// length.
func wholeWindow(records []Record) Window {
	var starts, ends spread
	for i := range records {
		r := &records[i]
		if !r.Measured() {
			continue
		}
		if at, ok := nanos(r.Scheduled); ok {
			starts.add(at)
		}
		if at, ok := nanos(r.Sent); ok {
			starts.add(at)
		}
		if at, ok := nanos(r.End); ok {
			ends.add(at)
		}
	}
	w := Window{From: time.Duration(starts.first), Rule: WholeRule}
	w.To = max(w.From, time.Duration(ends.last))
	return w
}
