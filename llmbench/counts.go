package llmbench

// Counts say what became of the measured requests of a window. Planned = Sent +
// Unsent, and Sent is the sum of the other outcomes.
type Counts struct {
	Planned    int `json:"planned"`
	Sent       int `json:"sent"`
	OK         int `json:"ok"`
	Error      int `json:"error"`
	Timeout    int `json:"timeout"`
	Rejected   int `json:"rejected"`
	Empty      int `json:"empty"`
	Incomplete int `json:"incomplete"`
	Cancelled  int `json:"cancelled"`
	Unsent     int `json:"unsent"`
	// Warmup requests are in none of the counts above.
	Warmup int `json:"warmup"`
	// Cooldown requests are not either.
	Cooldown int `json:"cooldown,omitempty"`
	// Inconsistent requests have instants that contradict each other: an event
	// before the send, chunks out of order, an end before a chunk. They count
	// above, their tokens count, and they enter no latency and no phase.
	Inconsistent int `json:"inconsistent"`
	// EarlySends left before their scheduled instant; their queue wait is 0.
	EarlySends int `json:"early_sends"`
	// Duplicates are requests whose non-empty ID another request has too,
	// counted beyond the first. All of them are analysed: dropping one would
	// make the result depend on the order of the records.
	Duplicates int `json:"duplicates"`
}

// Failed is the number of failures of the server: deliberate cancellations and
// unsent requests are none.
func (c Counts) Failed() int {
	return c.Error + c.Timeout + c.Rejected + c.Empty + c.Incomplete
}

// leaveOut counts a request that is not measured.
func (c *Counts) leaveOut(p Phase) {
	if p == Cooldown {
		c.Cooldown++
		return
	}
	c.Warmup++
}

func (c *Counts) add(o Outcome) {
	c.Planned++
	if o != Unsent {
		c.Sent++
	}
	switch o {
	case OK:
		c.OK++
	case Error:
		c.Error++
	case Timeout:
		c.Timeout++
	case Rejected:
		c.Rejected++
	case Empty:
		c.Empty++
	case Incomplete:
		c.Incomplete++
	case Cancelled:
		c.Cancelled++
	case Unsent:
		c.Unsent++
	}
}
