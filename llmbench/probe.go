package llmbench

import (
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// beat is how often the heart of a run beats: a timer whose lateness tells how
// late any goroutine of the harness may have been. A hundred wake-ups a second
// cost 0.1 % of a core.
const beat = 10 * time.Millisecond

// A probe watches the process while a run lasts. In a bubble it watches nothing:
// the clock there is not that of the machine, and a heart that beats would hide
// a deadlock from synctest.
type probe struct {
	off   bool
	quit  chan struct{}
	group sync.WaitGroup

	began  time.Time
	before reading
	facts  probed
}

// probed is what a probe saw.
type probed struct {
	elapsed   time.Duration
	beats     []time.Duration // lateness of each
	cpu       Known[time.Duration]
	files     Known[int] // open at most
	fileLimit Known[int]
	sched     histogram
	pauses    histogram
}

// A reading is the process's counters at one instant.
type reading struct {
	cpu           Known[time.Duration]
	sched, pauses histogram
}

func startProbe(bubble bool) *probe {
	p := &probe{off: bubble, quit: make(chan struct{})}
	if p.off {
		return p
	}
	p.began, p.before = time.Now(), read()
	p.group.Go(p.watch)
	return p
}

// watch is the heart.
func (p *probe) watch() {
	ticks := time.NewTimer(beat)
	defer ticks.Stop()
	for due := p.began.Add(beat); ; {
		select {
		case <-ticks.C:
		case <-p.quit:
			return
		}
		now := time.Now()
		p.facts.beats = append(p.facts.beats, now.Sub(due))
		if len(p.facts.beats)%100 == 1 { // once a second
			p.countFiles()
		}
		due = now.Add(beat)
		ticks.Reset(beat)
	}
}

func (p *probe) countFiles() {
	open, limit := openFiles()
	p.facts.fileLimit = limit
	if n, ok := open.Get(); ok && n > p.facts.files.Or(-1) {
		p.facts.files = open
	}
}

// stop ends the watch and settles what was seen.
func (p *probe) stop() {
	close(p.quit)
	p.group.Wait()
	if p.off {
		return
	}
	p.countFiles()
	after := read()
	p.facts.elapsed = time.Since(p.began)
	if before, ok := p.before.cpu.Get(); ok {
		p.facts.cpu = Is(after.cpu.Or(0) - before)
	}
	p.facts.sched = after.sched.since(p.before.sched)
	p.facts.pauses = after.pauses.since(p.before.pauses)
}

// share is the part of the processors that Go may use which the process used.
func (f *probed) share() Known[float64] {
	cpu, ok := f.cpu.Get()
	if !ok || f.elapsed <= 0 {
		return Known[float64]{}
	}
	return Is(float64(cpu) / float64(f.elapsed) / float64(runtime.GOMAXPROCS(0)))
}

// read asks the runtime and the system for the counters.
func read() reading {
	samples := []metrics.Sample{{Name: "/sched/latencies:seconds"}, {Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(samples)
	return reading{cpu: processCPU(), sched: histogramOf(samples[0]), pauses: histogramOf(samples[1])}
}

// A histogram is one of runtime/metrics: counts[i] values lie between bounds[i]
// and bounds[i+1], in seconds.
type histogram struct {
	bounds []float64
	counts []uint64
}

// histogramOf copies a sample; it is empty where the runtime has no such metric.
func histogramOf(s metrics.Sample) histogram {
	if s.Value.Kind() != metrics.KindFloat64Histogram {
		return histogram{}
	}
	h := s.Value.Float64Histogram()
	return histogram{h.Buckets, append([]uint64(nil), h.Counts...)}
}

// since is what came after an earlier reading.
func (h histogram) since(before histogram) histogram {
	for i := range before.counts {
		h.counts[i] -= before.counts[i]
	}
	return h
}

func (h histogram) n() (n uint64) {
	for _, c := range h.counts {
		n += c
	}
	return n
}

// quantile is the upper bound of the bucket in which the share q of the values
// ends; absent when there are none.
func (h histogram) quantile(q float64) Known[time.Duration] {
	n := h.n()
	if n == 0 {
		return Known[time.Duration]{}
	}
	seen := uint64(0)
	for i, c := range h.counts {
		if seen += c; c > 0 && float64(seen) >= q*float64(n) {
			bound := h.bounds[i+1]
			if math.IsInf(bound, 1) {
				bound = h.bounds[i]
			}
			return Is(instant(max(bound, 0)))
		}
	}
	return Known[time.Duration]{}
}
