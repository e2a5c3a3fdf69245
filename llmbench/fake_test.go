package llmbench

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// fakeT is a test that keeps what it is told. FailNow ends its goroutine, as the
// real one does.
type fakeT struct {
	name    string
	errors  []string
	logs    []string
	stopped bool
}

func (f *fakeT) Helper()                  {}
func (f *fakeT) Name() string             { return f.name }
func (f *fakeT) Context() context.Context { return context.Background() }
func (f *fakeT) Logf(format string, args ...any) {
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}
func (f *fakeT) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}
func (f *fakeT) FailNow() { f.stopped = true; runtime.Goexit() }

// watch runs the body against a fake test, in a goroutine of its own because of
// FailNow.
func watch(name string, body func(*fakeT)) *fakeT {
	f := &fakeT{name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		body(f)
	}()
	<-done
	return f
}

// madeResult is a run of twenty requests, one after the other, in which the
// server was slower by a factor: TTFT 100 ms, then nine gaps of 20 ms.
func madeResult(slower float64) *Result {
	const requests, tokens = 20, 10
	ms := func(v float64) time.Duration { return time.Duration(v * slower * float64(time.Millisecond)) }
	var records []Record
	at := time.Duration(0)
	for i := range requests {
		r := Record{
			ID: recordID(i), Phase: Measure, Outcome: OK, Streamed: true,
			Scheduled: Is(at), Sent: Is(at), InputTokens: Is(200), OutputTokens: Is(tokens),
		}
		at += ms(100 + float64(i)) // so that quantiles differ
		for range tokens {
			r.Chunks = append(r.Chunks, Chunk{At: at, Kind: ContentChunk, Tokens: 1, Counted: true})
			at += ms(20)
		}
		at -= ms(20)
		r.End = Is(at)
		records = append(records, r)
	}
	result, err := Analyze(records, AnalyzeOptions{SLOs: []SLO{{Metric: TTFT, Limit: 500}}})
	if err != nil {
		panic(err)
	}
	result.Profile = &Profile{Arrivals: Closed(1), Requests: requests, Output: Tokens(tokens), Seed: 7}
	result.Environment = &Environment{Model: "org/tiny-7", API: "openai-chat", OS: "linux", Arch: "amd64", CPUs: 2, Procs: 2}
	return result
}

// madeRuns are runs with the values given for each figure; all else about them is
// that of madeResult.
func madeRuns(name string, values map[Figure][]float64) *Runs {
	r := &Runs{name: name, identity: identityOf(madeResult(1)), values: map[Figure][]Known[float64]{}}
	r.identity.Hardware.CPU = "Made Up 3000"
	for f, v := range values {
		r.n = max(r.n, len(v))
		for _, x := range v {
			r.values[f] = append(r.values[f], Is(x))
		}
	}
	for f, v := range r.values { // a run that lacks the figure
		for len(v) < r.n {
			v = append(v, Known[float64]{})
		}
		r.values[f] = v
	}
	r.identity = r.identity.measuring(Figures())
	return r
}
