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
// Where to read: profile, arrivals, lengths and schedule make the plan; load
// sends it and client turns each request into a record; analyze, facts, curve
// and dist make the metrics, whose one table is metrics.go; repeat, compare and
// baseline tell before from after.
package llmbench
