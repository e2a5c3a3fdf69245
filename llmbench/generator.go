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
// lateness is never taken for the server's. What it could not find out is
// absent; in a synctest bubble that is all that is the machine's.
type Generator struct {
	// Fitness is the verdict, and Reasons say what led to it when it is not Fit,
	// each a sentence with its figure and threshold.
	Fitness Fitness  `json:"fitness"`
	Reasons []string `json:"reasons,omitempty"`

	// CapFull is how many arrivals found MaxInFlight or MaxPrefill full and had to
	// queue.
	CapFull int `json:"cap_full"`
	// Late is how many measured requests of an open loop left more than LateSend
	// after their instant; a closed loop has no schedule to be late against.
	Late int `json:"late"`
	// LagP50, LagP99 and LagMax are how late they left, for whatever reason.
	LagP50 Known[time.Duration] `json:"lag_p50_ns,omitzero"`
	LagP99 Known[time.Duration] `json:"lag_p99_ns,omitzero"`
	LagMax Known[time.Duration] `json:"lag_max_ns,omitzero"`
	// DelayP50, DelayP99 and DelayMax are the part of the lag that is the
	// harness's own, of requests of any loop: a late wake-up, the making of the
	// request, the wait for a processor, but not the wait for a slot.
	DelayP50 Known[time.Duration] `json:"delay_p50_ns,omitzero"`
	DelayP99 Known[time.Duration] `json:"delay_p99_ns,omitzero"`
	DelayMax Known[time.Duration] `json:"delay_max_ns,omitzero"`
	// WakeP50, WakeP99 and WakeMax are how late a timer of 10 ms came, all through
	// the run.
	WakeP50 Known[time.Duration] `json:"wake_p50_ns,omitzero"`
	WakeP99 Known[time.Duration] `json:"wake_p99_ns,omitzero"`
	WakeMax Known[time.Duration] `json:"wake_max_ns,omitzero"`
	// SchedP99 is the p99 of the time that a goroutine was ready and did not run.
	SchedP99 Known[time.Duration] `json:"sched_p99_ns,omitzero"`
	// GCPauses is how often the collector stopped the process, and GCPauseMax for
	// how long at most.
	GCPauses   int                  `json:"gc_pauses"`
	GCPauseMax Known[time.Duration] `json:"gc_pause_max_ns,omitzero"`
	// CPU is the CPU time that the process used, with all that runs in it beside
	// the harness, and CPUShare that time over the run's time and GOMAXPROCS.
	CPU      Known[time.Duration] `json:"cpu_ns,omitzero"`
	CPUShare Known[float64]       `json:"cpu_share,omitzero"`
	// Files is how many file descriptors were open at most, FileLimit how many may
	// be.
	Files     Known[int] `json:"files,omitzero"`
	FileLimit Known[int] `json:"file_limit,omitzero"`
	// Faults are requests that failed for want of a file descriptor, a port or
	// memory on this side.
	Faults int `json:"faults"`
	// Reads is how many reads brought data; CoalescedReads how many of them
	// held more than one content event, whose gaps then read as zero. A server that
	// writes several events at once is a reason too.
	Reads          int `json:"reads"`
	CoalescedReads int `json:"coalesced_reads"`
	// InputError is how far prompts were from the length that was planned, where
	// the server reports theirs: the mean of |input − planned|/planned.
	InputError Known[float64] `json:"input_error,omitzero"`
	// Rehearsal is how exact the harness was against a mock; nil if nobody asked.
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"`
}

func (l *load) generator(records []Record) *Generator {
	g := &Generator{CapFull: l.capFull, Faults: int(l.client.faults.Load()), InputError: l.inputError(), Rehearsal: l.profile.Rehearsal}
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
	g.LagP50, g.LagP99, g.LagMax = spreadOf(lags)
	g.DelayP50, g.DelayP99, g.DelayMax = spreadOf(l.delays)
	g.addProcess(&l.probe.facts)
	g.judge()
	return g
}

// addProcess copies what the probe saw.
func (g *Generator) addProcess(seen *probed) {
	g.WakeP50, g.WakeP99, g.WakeMax = spreadOf(seen.beats)
	g.SchedP99 = seen.sched.quantile(0.99)
	g.GCPauses, g.GCPauseMax = int(seen.pauses.n()), seen.pauses.quantile(1)
	g.CPU, g.CPUShare = seen.cpu, seen.share()
	g.Files, g.FileLimit = seen.files, seen.fileLimit
}

// inputError is the residual error of the prompts' lengths.
func (l *load) inputError() Known[float64] {
	if l.sized == 0 {
		return Known[float64]{}
	}
	return Is(l.sizeError / float64(l.sized))
}

// spreadOf is the median, the p99 and the largest; absent when there are none.
func spreadOf(values []time.Duration) (p50, p99, most Known[time.Duration]) {
	if len(values) == 0 {
		return p50, p99, most
	}
	sorted := slices.Sorted(slices.Values(values))
	return Is(nearestRank(sorted, 0.5)), Is(nearestRank(sorted, 0.99)), Is(sorted[len(sorted)-1])
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
