package llmbench

import (
	"context"
	"fmt"
	"os"
)

// Repeat drives the profile against the target n times, one run after the other,
// with the same schedule each time, and returns the runs. It fails t as [Run]
// does, and writes every run to LLMBENCH_OUT.
//
// Arrivals and lengths are the same in every run; the words of the prompts are
// not. A server that keeps prefixes would else answer all runs but the first from
// its cache, and a run would not be one of n alike. Prompts of a dataset or a trace
// are what they are: there, switch such a cache off or warm it up.
//
// A target that has a method Fingerprint() string says by it which server it is,
// an image and its digest for one; a baseline keeps it.
func Repeat(t T, n int, target Target, profile Profile) *Runs {
	t.Helper()
	runs, err := DoRepeat(t.Context(), n, target, profile)
	return finish(t, err, runs, "")
}

// DoRepeat is Repeat without a test. On an error it returns the runs that were
// completed before, or nil if there are none.
func DoRepeat(ctx context.Context, n int, target Target, profile Profile) (*Runs, error) {
	if n < 1 {
		return nil, fmt.Errorf("llmbench: repeat: n is %d, want > 0", n)
	}
	var results []*Result
	for i := range n {
		result, err := Do(ofRun(ctx, i), target, profile)
		if err != nil {
			return runsOf(target, results), fmt.Errorf("run %d of %d: %w", i+1, n, err)
		}
		results = append(results, result)
	}
	return runsOf(target, results), nil
}

// runKey is the key under which a context tells which of several runs it is for.
type runKey struct{}

func ofRun(ctx context.Context, i int) context.Context {
	return context.WithValue(ctx, runKey{}, uint64(i))
}

// wordSeed is the seed of the prompts' words: the profile's in a single run and in
// the first of several. The factor is 2^64 over the golden ratio, which keeps seeds
// that users count up apart from those of runs.
func wordSeed(ctx context.Context, seed uint64) uint64 {
	i, _ := ctx.Value(runKey{}).(uint64) // 0 outside several runs
	return seed + i*0x9e3779b97f4a7c15
}

// runsOf takes the runs of one load against one target; nil where there is none.
func runsOf(target Target, results []*Result) *Runs {
	runs, err := NewRuns("runs", results...)
	if err != nil {
		return nil
	}
	if f, ok := target.(interface{ Fingerprint() string }); ok {
		runs.identity.Server = f.Fingerprint()
	}
	return runs
}

// Pairs are runs of two targets, made in turn: A[i] and B[i] ran one after the
// other.
type Pairs struct{ A, B *Runs }

// Pair drives the same profile against two targets, n times each, in the order A
// B B A A B B A ..., so that a machine that warms up or slows down adds to both
// alike. Both sides have the same schedule, and no two runs the same words, as the
// targets may have one server behind them. [Compare] of the two looks at the
// differences within pairs. It fails t as [Run] does; to LLMBENCH_OUT the sides
// go as /side=a and /side=b, for benchstat -col /side.
func Pair(t T, n int, a, b Target, profile Profile) Pairs {
	t.Helper()
	pairs, err := DoPair(t.Context(), n, a, b, profile)
	pairs.A = finish(t, err, pairs.A, "/side=a")
	pairs.B = finish(t, nil, pairs.B, "/side=b")
	return pairs
}

// DoPair is Pair without a test. On an error it returns the pairs that were
// completed before; the sides are nil if there are none.
func DoPair(ctx context.Context, n int, a, b Target, profile Profile) (Pairs, error) {
	if n < 1 {
		return Pairs{}, fmt.Errorf("llmbench: pair: n is %d, want > 0", n)
	}
	var results [2][]*Result
	targets := [2]Target{a, b}
	for i := range 2 * n {
		side := (i%2 + i/2) % 2 // 0 1 1 0 0 1 1 0
		result, err := Do(ofRun(ctx, i), targets[side], profile)
		if err != nil {
			return paired(targets, results, i/2), fmt.Errorf("run %d of %d, side %c: %w", i+1, 2*n, 'a'+rune(side), err)
		}
		results[side] = append(results[side], result)
	}
	pairs := paired(targets, results, n)
	if x, y := pairs.A.results[0].Schedule.Hash(), pairs.B.results[0].Schedule.Hash(); x != y {
		return pairs, fmt.Errorf("llmbench: pair: schedules are %s and %s, want the same on both sides", x, y)
	}
	return pairs, nil
}

// paired links the first n runs of both sides.
func paired(targets [2]Target, results [2][]*Result, n int) Pairs {
	a, b := runsOf(targets[0], results[0][:n]), runsOf(targets[1], results[1][:n])
	if a == nil || b == nil {
		return Pairs{}
	}
	a.partner, b.partner = b, a
	return Pairs{a, b}
}

// finish gives the runs to the test: it fails t for the error, names the runs,
// writes them out and logs them. Without runs it stops the test.
func finish(t T, err error, runs *Runs, side string) *Runs {
	t.Helper()
	if err != nil {
		t.Errorf("%v", err)
	}
	if runs == nil {
		t.FailNow()
		return nil
	}
	runs.name = t.Name() + side
	_, folder := reportSettings(os.Getenv("LLMBENCH_REPORT"))
	for _, result := range runs.results {
		result.Test = t.Name() + side
		folders := result.folders(t, folder)
		result.writeTo(t, folders, false)
		result.keepJudgements(t, folders)
		if err := writeOut(t.Name(), side, result); err != nil {
			t.Errorf("%v", err)
			break
		}
	}
	t.Logf("%v", runs)
	return runs
}
