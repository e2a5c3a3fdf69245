package llmbench

import (
	"fmt"
	"time"
)

// A Fitness is what the generator was worth during a run.
type Fitness string

const (
	// Fit is a generator whose own part in the figures can be neglected.
	Fit Fitness = "fit"
	// Strained is one that was late by milliseconds: fine for seconds, not for
	// gaps between tokens.
	Strained Fitness = "strained"
	// Unfit is one that was the bottleneck. No claim about the server is judged on
	// it.
	Unfit Fitness = "unfit"
)

// The thresholds of the verdict. A quiet two-core machine stays under 2 ms in
// all of them, a busy one under 5; 50 ms are seen by no gap between tokens any
// more, and by few first tokens. A process that has 95 % of its processors has
// nothing left for the next request.
const (
	StrainedDelay = LateSend
	UnfitDelay    = 50 * time.Millisecond
	StrainedCPU   = 0.80
	UnfitCPU      = 0.95
	StrainedFiles = 0.90
)

// judge settles the verdict from the figures.
func (g *Generator) judge() {
	g.Fitness = Fit
	for _, d := range []struct {
		what  string
		value Known[time.Duration]
	}{
		{"requests left late by the harness's own doing, p99", g.DelayP99},
		{"a 10 ms timer came late, p99", g.WakeP99},
		{"goroutines waited for a processor, p99", g.SchedP99},
		{"the collector stopped the process, longest", g.GCPauseMax},
	} {
		g.judgeTime(d.what, d.value)
	}
	g.judgeCPU()
	g.judgeFiles()
}

func (g *Generator) judgeTime(what string, value Known[time.Duration]) {
	v := value.Or(0)
	switch {
	case v > UnfitDelay:
		g.blame(Unfit, "%s: %v, want at most %v", what, rounded(v), UnfitDelay)
	case v > StrainedDelay:
		g.blame(Strained, "%s: %v, want at most %v", what, rounded(v), StrainedDelay)
	}
}

// judgeCPU takes a busy process for unfit only when it was late too: a benchmark
// that shares its process with the mock can be both busy and on time.
func (g *Generator) judgeCPU() {
	share := g.CPUShare.Or(0)
	switch {
	case share > UnfitCPU && g.SchedP99.Or(0) > StrainedDelay:
		g.blame(Unfit, "the process used %.0f %% of its processors, want at most %.0f %%", 100*share, 100*UnfitCPU)
	case share > StrainedCPU:
		g.blame(Strained, "the process used %.0f %% of its processors, want at most %.0f %%", 100*share, 100*StrainedCPU)
	}
}

func (g *Generator) judgeFiles() {
	if g.Faults > 0 {
		g.blame(Unfit, "%d requests failed for want of a file descriptor, a port or memory on this side, want 0", g.Faults)
	}
	open, limit := g.Files.Or(0), g.FileLimit.Or(0)
	if limit > 0 && float64(open) > StrainedFiles*float64(limit) {
		g.blame(Strained, "%d of %d file descriptors were open, want at most %.0f %%", open, limit, 100*StrainedFiles)
	}
}

// blame adds a reason and lowers the verdict.
func (g *Generator) blame(to Fitness, format string, args ...any) {
	g.Reasons = append(g.Reasons, fmt.Sprintf(format, args...))
	if to == Unfit || g.Fitness == Fit {
		g.Fitness = to
	}
}

// rounded is a time for people: three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
