package llmbench

import (
	"context"
	"fmt"
	"os"
	"strconv"
)

// A T is the part of testing.TB that the harness needs. testing.T, testing.B
// and the T of a synctest bubble satisfy it.
type T interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	FailNow()
	Context() context.Context
}

// Run drives the profile against the target and returns what it measured. A
// request that fails is data in its Record and fails nothing. A fault of the
// harness (a bad profile, no URL) stops the test. When the test's context ends
// early, Run marks the test as failed and returns what there is. Ctrl-C ends the
// run in the same way; once it is kept, the signal ends the process as ever.
//
// Under -v it logs the result in ten lines. LLMBENCH_REPORT=full asks for the
// tables of [Result.String], and LLMBENCH_REPORT=folder for the files of
// [Result.WriteArtifacts], each test in a folder of its own; so does go test
// -artifacts. In a GitHub workflow, as the variables that GitHub sets tell, the
// job's summary gets the short report, and a claim that does not hold an
// annotation. LLMBENCH_OUT names a file for benchstat, see [WriteOut].
func Run(t T, target Target, profile Profile) *Result {
	t.Helper()
	ctx, cancel := untilDeadline(t)
	defer cancel()
	ctx, again := interruptible(ctx)
	defer again()
	result, err := do(ctx, target, profile, tellers(t.Logf))
	if err != nil {
		t.Errorf("%v", err)
	}
	if result == nil {
		t.FailNow()
		return nil
	}
	result.keep(t)
	out(t, result)
	return result
}

// Do is Run without a test. It returns an error for a profile or target it
// cannot use, and then no result. When ctx ends before the run, it returns
// both: what was measured, with the reason in Result.Stopped, and an error that
// wraps the cause.
func Do(ctx context.Context, target Target, profile Profile) (*Result, error) {
	return do(ctx, target, profile, tellers(nil))
}

func do(ctx context.Context, target Target, profile Profile, tellers []teller) (*Result, error) {
	seed, err := seedOf(profile)
	if err != nil {
		return nil, err
	}
	profile.Seed = seed
	schedule, err := plan(profile, seed)
	if err != nil {
		return nil, err
	}
	if err := schedule.checkDecider(); err != nil {
		return nil, err
	}
	client, err := newClient(ctx, target, schedule.profile, wordSeed(ctx, seed))
	if err != nil {
		return nil, err
	}
	defer client.close()

	if profile.Prompt.Calibrate {
		if err := client.calibrate(ctx); err != nil {
			return nil, err
		}
	}
	load := newLoad(schedule, client)
	load.tellers = tellers
	ended := watchServer(ctx, target)
	load.run(ctx)
	serverSide := ended(load.began)
	client.tokens.settle(load.records)
	result, err := Analyze(load.kept(), AnalyzeOptions{Concurrency: schedule.profile.Arrivals.Users(), Blocks: schedule.PrefixBlocks()})
	if err != nil {
		return nil, err
	}
	load.describe(result)
	result.ServerSide = serverSide
	if result.Stopped != "" {
		return result, fmt.Errorf("llmbench: run stopped early, %d of %d requests were sent: %w",
			result.Counts.Sent, result.Counts.Planned, load.stopped)
	}
	return result, nil
}

// seedOf is the profile's seed, or LLMBENCH_SEED in its place.
func seedOf(profile Profile) (uint64, error) {
	text := os.Getenv("LLMBENCH_SEED")
	if text == "" {
		return profile.Seed, nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("llmbench: LLMBENCH_SEED is %q, want a whole number >= 0", text)
	}
	return seed, nil
}
