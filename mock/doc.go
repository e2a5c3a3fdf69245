// Package mock is an inference server that does what it is told, to the
// nanosecond: a test says when each token leaves, and checks that its client,
// its gateway or its benchmark saw just that.
//
//	server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
//	resp, err := server.Client().Post(server.URL()+"/chat/completions", "application/json", body)
//
// Start serves over connections in memory; in a testing/synctest bubble a run of
// minutes takes milliseconds and no instant is off by anything. Listen serves
// over TCP in real time, for clients in other processes; the command mockserver
// is the same as a program.
//
// How a request becomes bytes:
//
//	bytes --> Request --Responder--> Reply (a timeline) --loop, encoder--> bytes
//	                    pure: times are data            one clock hand
//
// A Responder is a Script (a reply with fixed times), an Engine (a server with
// continuous batching, whose times come from its load), a combination (Sequence,
// Cycle, When, Mix, RateLimit, QueueLimit), one with faults (With), saved
// exchanges (Captured), or a function of yours. One word of a prompt or of a
// reply is one token, so that lengths can be counted by anyone.
//
// It speaks chat completions, completions, responses, embeddings, Anthropic's
// messages, Ollama's and text-generation-inference's APIs, and has the pages
// /v1/models, /health, /tokenize and /metrics.
//
// Do not use it to learn how fast an engine is: it has no model, and its times
// are what the script says. It speaks HTTP/1.1, and TLS only behind a listener of
// yours.
//
// The package is an oracle and shares no code with the client it checks.
//
// # Determinism
//
// The same requests at the same instants get the same bytes at the same instants,
// also when many arrive at one instant, whose order the runtime leaves open:
// they are ordered by X-Request-Id, then by body. Where an answer depends on that
// order (Sequence, Engine, functions) the headers leave one nanosecond after the
// arrival; no other time moves.
//
// # Real time
//
// Deadlines are absolute: a token that leaves late does not move the next. How
// late the writes were is told by Server.Lateness. Measured by TestRealTime to a
// client in another process, against a plain net/http handler that sleeps,
// marshals a chunk and flushes, in one run (two cores of an AMD EPYC in a virtual
// machine, Linux 6.18, Go 1.26.8, both processes in the FIFO class because the
// machine was shared, medians of five runs):
//
//	                               lateness p50   p99       CPU per token
//	1000 streams of 20/s   mock         0.34 ms   0.72 ms   14.8 us
//	                       plain        0.56 ms   1.18 ms   20.9 us    ratio 0.68 to 0.72
//	256 streams of 50/s    mock         0.36 ms   0.75 ms   15.3 us
//	                       plain        0.56 ms   1.11 ms   21.2 us
//	one stream of 50/s     mock         0.06 ms   0.20 ms
//	                       plain        0.59 ms   1.11 ms
//
// The table is older than the last cuts in the mock's cost. With them eight runs at
// 1000 streams of 20/s, in the default class, the machine idle else and its host
// noisy, had 0.62 to 0.70 of the plain handler's CPU and a lateness of p99 0.88 to
// 2.10 ms, 1.18 ms in the median; the plain handler had 1.57 to 1.77 ms beside the
// first three.
//
// About 10 us of each token are the kernel's write to the socket. In virtual time
// 1000 users with five requests of 64 tokens each take half a second there.
package mock
