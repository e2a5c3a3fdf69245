// Package llmbench drives an LLM server with a load over its real streaming
// protocol, inside go test, and computes every metric the field uses.
//
//	server := llmbench.Endpoint{URL: "http://127.0.0.1:8000/v1", Model: "my-model"}
//	result := llmbench.Run(t, server, llmbench.Profile{
//		Arrivals: llmbench.Poisson(20), // users who do not wait for each other
//		Duration: time.Minute,
//		Input:    llmbench.Tokens(200),
//		Output:   llmbench.Tokens(100),
//	})
//	p99, ok := result.Stats(llmbench.TTFT).Quantile(0.99).Get() // ms
//
// Data flows one way, and all but the run is pure:
//
//	Profile --Plan--> Schedule --Run--> []Record --Analyze--> Result --> claims (package assert)
//
// A request's clock starts at the schedule. In an open loop no request waits
// for the reply of another; where MaxInFlight is full it waits in a queue of
// the harness, and its effective latencies count that. A closed loop, [Closed],
// is paced by the server's replies and cannot show what users feel when the
// server is slow.
//
// Every number says what it is a number of: [Metrics] lists tag, unit,
// definition and source of each. Effective metrics weigh by time over the whole
// window, active ones over the time in which the phase has a request in flight.
// What does not exist is absent, never 0.
//
// In a testing/synctest bubble, with the in-memory server of package mock, time
// is virtual: minutes of load take milliseconds and every instant is exact. Real
// sockets do not work in a bubble.
//
// Before and after a change are two sets of runs: [Repeat] and [Pair] make them,
// [Compare] tells a change from noise, and with LLMBENCH_OUT every run is a line
// that benchstat reads, see [WriteOut].
//
// The package measures a server from the outside. It is no profiler of the
// engine, no judge of what the model says, and no load generator for many
// machines: one process, as far as it can go, and it tells when it could not.
//
// # The trip of a request
//
// One request of an open loop, from the profile to the verdict on its TTFT: the
// files in the order in which it comes through them, each once, and the
// functions to read there. Files are of this package but for those of assert.
//
//	run.go                        Run, do                     seed, schedule, client, load, analysis, one after another
//	schedule.go                   plan, planOpen              a pure function of profile and seed
//	profilecheck.go               check                       or an error that names the field
//	arrivals.go                   poisson.times               when requests come
//	admission.go                  admit                       which of them are warm-up, and where the sending ends
//	content.go                    turns, drawn                how long each is, and its class
//	client.go                     newClient                   what all requests share
//	target.go                     resolve                     the address, the model, the API
//	load.go                       newLoad, load.run           the clock of the run starts
//	openloop.go                   runOpen, step, launch       due, in the queue, off on its own goroutine
//	sending.go                    load.send, client.do        one request, whatever becomes of it
//	conversation.go               request                     what it says: the prompt and its history
//	internal/wire/call.go         Exchange                    one exchange with the server
//	internal/wire/exchange.go     run, read, got, see         send, then read, stamp and only then look
//	internal/wire/direct.go       runDirect, Body, feed       the same over plain HTTP/1.1
//	internal/http1/client.go      Send                        where one goroutine reads all
//	internal/http1/poll_linux.go  watch, run, serve           waits for all of them
//	internal/http1/conn.go        ready, take                 one read of one connection
//	internal/wire/chat.go         Encode, decode              the protocol
//	internal/wire/intake.go       next                        bytes to events
//	internal/wire/fold.go         add                         events to a reply
//	reply.go                      take, countTokens           the reply to a Record
//	analyze.go                    Analyze, analysis.run       the records to a Result
//	window.go                     chooseWindow                the stretch that counts
//	facts.go                      facts.read                  what the metrics read off one record
//	dist.go                       sample.add, stats           a value of its own in each distribution
//	metrics.go                    table                       which formula that is, by metric
//	formula.go                    timeToFirstToken            first content minus send
//	totals.go                     totals.add                  its part in the sums
//	sky.go                        skies.add, sort             its part in the curves
//	flight.go                     newFlight, instants, apply  what it adds to each, and when
//	tally.go                      figures                     the curves' statistics
//	generator.go                  generator                   what the harness itself did meanwhile
//	fitness.go                    judge                       and whether it was fit
//	keep.go                       keep                        the log, and the files of the run
//	assert/latency.go             RequireTTFT, TTFT.Check     the claim
//	assert/require.go             Require, report, Judge      every claim is judged before the test stops
//	assert/ceiling.go             judge, find, verdict        holds, fails, or cannot be judged
//	assert/generator.go           unfit                       never where the generator was at fault
//	assert/sample.go              sampleOf, observed          failures count as over the limit
//	assert/message.go             verdict, layout             the text, in its fixed order
//	assert/rerun.go               withRerun                   the command that runs the test again
//
// A closed loop takes closedloop.go in place of openloop.go; on Linux a stream of
// plain HTTP/1.1 comes by internal/http1 and internal/wire/direct.go to see, in
// place of read; records from elsewhere begin at analyze.go; and repeat, compare
// and baseline tell before from after.
package llmbench
