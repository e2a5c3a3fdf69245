// Power writes the table of what a comparison can tell to the file it is given:
//
//	go run ./internal/infer/power POWER.md
//
// Every cell is a seeded simulation of whole comparisons: each run gives one
// number per figure, drawn from a normal distribution, and the figures are judged
// by the functions that llmbench.Compare uses.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/llmbench/go/llmbench/internal/infer"
)

const (
	alpha = 0.05
	slack = 0.02 // llmbench.DefaultSlack
	// trials leave each percentage a standard error under 1.6 points.
	trials = 1000
	seed   = 20261130
)

var (
	sizes   = []int{4, 5, 6, 8, 10, 15, 20}
	spreads = []float64{0.01, 0.03, 0.05, 0.10}
	slowed  = []float64{0, 0.03, 0.05, 0.10, 0.20}
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: power FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(page()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "power:", err)
		os.Exit(1)
	}
}

// page is the whole file.
func page() string {
	var text strings.Builder
	fmt.Fprintf(&text, header, trials, 100*slack, 100*alpha)
	for _, s := range []setup{
		{figures: 1}, {figures: 1, paired: true}, {figures: 4}, {figures: 4, paired: true}, {figures: 4, all: true},
	} {
		writeTable(&text, s)
	}
	return text.String()
}

const header = `# What a comparison can tell

<!-- Written by go generate (internal/infer/power); do not edit. -->

How often ` + "`llmbench.Compare`" + ` calls a server that became slower a regression, in %% of %d simulated comparisons (a standard
error of at most 1.6 points). CV is the coefficient of variation between runs of one server, which ` + "`Repeat`" + ` prints; runs are
normal and independent, the slack is the default %g %%, the level %g %% after Holm's correction.

The column "no change" is how often there is a false alarm, of any figure. Where one of four figures is slower, the table says how
often that one is found, which is the hardest case; where all are, how often at least one is. A dash is a size with which nothing can
be significant: the verdict is that there are too few runs.
`

func writeTable(text *strings.Builder, of setup) {
	unit, how := "runs a side", "independent runs, Mann-Whitney"
	if of.paired {
		unit, how = "pairs", "pairs of runs, Wilcoxon's signed-rank test"
	}
	what := map[int]string{1: "One figure", 4: "One slower figure of four"}[of.figures]
	if of.all {
		what = "Four figures, all slower"
	}
	fmt.Fprintf(text, "\n## %s: %s\n\n| %s | CV |", what, how, unit)
	for _, slower := range slowed {
		if slower == 0 {
			text.WriteString(" no change |")
			continue
		}
		fmt.Fprintf(text, " %g %% slower |", 100*slower)
	}
	text.WriteString("\n|" + strings.Repeat(" ---: |", 2+len(slowed)) + "\n")
	for _, n := range sizes {
		for _, cv := range spreads {
			fmt.Fprintf(text, "| %d | %g %% |", n, 100*cv)
			for _, slower := range slowed {
				of.n, of.cv, of.slower = n, cv, slower
				fmt.Fprintf(text, " %s |", cell(of))
			}
			text.WriteString("\n")
		}
	}
}

// setup is one cell: what is simulated.
type setup struct {
	n, figures int
	cv, slower float64
	paired     bool
	all        bool // all figures are slower, not the first alone
}

func cell(s setup) string {
	least := infer.LeastP(s.n, s.n)
	if s.paired {
		least = infer.LeastPaired(s.n)
	}
	if float64(s.figures)*least >= alpha {
		return "-"
	}
	found, _ := s.simulate()
	return fmt.Sprintf("%.1f", 100*found)
}

// simulate returns in which share of comparisons a slowed figure is found, and in
// which any figure is called a regression. Without a slowdown both are the share of
// false alarms.
func (s setup) simulate() (found, alarmed float64) {
	random := rand.New(rand.NewPCG(seed, uint64(s.n)<<32|uint64(math.Round(s.cv*1e4))<<16|uint64(math.Round(s.slower*1e4))))
	first, any := 0, 0
	for range trials {
		worse := s.compare(random)
		if worse[0] {
			first++
		}
		if slices.Contains(worse, true) {
			any++
		}
	}
	if s.slower == 0 || s.all {
		first = any
	}
	return float64(first) / trials, float64(any) / trials
}

// compare makes one comparison and tells which figures are called regressions.
func (s setup) compare(random *rand.Rand) []bool {
	p, change := make([]float64, s.figures), make([]float64, s.figures)
	for f := range s.figures {
		slower := 0.0
		if f == 0 || s.all {
			slower = s.slower
		}
		base, now := s.draw(random, 1), s.draw(random, 1+slower)
		p[f], change[f] = s.test(base, now)
	}
	worse := make([]bool, s.figures)
	for f, corrected := range infer.Holm(p) {
		worse[f] = infer.Decide(change[f], slack, corrected, alpha) == infer.Worse
	}
	return worse
}

func (s setup) draw(random *rand.Rand, mean float64) []float64 {
	values := make([]float64, s.n)
	for i := range values {
		values[i] = mean * (1 + s.cv*random.NormFloat64())
	}
	return values
}

// test is what Compare does with one figure.
func (s setup) test(base, now []float64) (p, change float64) {
	if !s.paired {
		return infer.MannWhitney(base, now), median(now)/median(base) - 1
	}
	ratios, logs := make([]float64, s.n), make([]float64, s.n)
	for i := range ratios {
		ratios[i] = now[i] / base[i]
		logs[i] = math.Log(ratios[i])
	}
	return infer.SignedRank(logs), median(ratios) - 1
}

func median(values []float64) float64 { return infer.Median(values, 1-alpha).Center }
