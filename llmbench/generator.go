package llmbench

import (
	"slices"
	"time"
)

// LateSend is the lag from which on a request counts as sent late. A timer of
// the operating system is late by 1 to 3 ms on a busy two-core machine (p99 of
// time.Sleep, Go 1.26 on Linux), so less would blame the kernel.
const LateSend = 5 * time.Millisecond

// A Generator tells what the harness itself did during a run, so that its own
// lateness is never taken for the server's. Lags are those of measured
// requests in an open loop, from the schedule to the sending; a closed loop
// has no schedule to be late against.
type Generator struct {
	// CapFull is how many arrivals found MaxInFlight full and had to queue.
	CapFull int `json:"cap_full"`
	// Late is how many requests left more than LateSend after their instant.
	Late int `json:"late"`
	// LagP50, LagP99 and LagMax are how late requests left.
	LagP50 Known[time.Duration] `json:"lag_p50_ns,omitzero"`
	LagP99 Known[time.Duration] `json:"lag_p99_ns,omitzero"`
	LagMax Known[time.Duration] `json:"lag_max_ns,omitzero"`
	// Reads is how many reads brought data; CoalescedReads how many of them
	// held more than one content event, whose gaps then read as zero.
	Reads          int `json:"reads"`
	CoalescedReads int `json:"coalesced_reads"`
}

func (l *load) generator(records []Record) *Generator {
	g := &Generator{CapFull: l.capFull}
	var lags []time.Duration
	for i := range records {
		r := &records[i]
		if r.HTTP != nil {
			g.Reads += r.HTTP.Reads
			g.CoalescedReads += r.HTTP.CoalescedReads
		}
		if !l.schedule.Open || !r.Measured() || !r.Sent.Ok() {
			continue
		}
		lag := r.Sent.Or(0) - r.Scheduled.Or(0)
		lags = append(lags, lag)
		if lag > LateSend {
			g.Late++
		}
	}
	if len(lags) == 0 {
		return g
	}
	slices.Sort(lags)
	g.LagP50, g.LagP99 = Is(nearestRank(lags, 0.5)), Is(nearestRank(lags, 0.99))
	g.LagMax = Is(lags[len(lags)-1])
	return g
}

// nearestRank is the smallest of the sorted values that a share q of them does
// not exceed.
func nearestRank(sorted []time.Duration, q float64) time.Duration {
	rank := int(q * float64(len(sorted)))
	if float64(rank) < q*float64(len(sorted)) {
		rank++
	}
	return sorted[max(rank, 1)-1]
}
