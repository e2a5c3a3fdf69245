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
// client in another process that reads by epoll, against a plain net/http handler
// that sleeps, marshals a chunk and flushes, in one run (two cores of an Intel Xeon
// in a virtual machine, Linux 6.18, Go 1.26.8, the machine idle else; medians of 17
// runs at 1000 streams, of three at 256 and of two with one):
//
//	                               lateness p50   p99       CPU per token
//	1000 streams of 20/s   mock         0.23 ms   0.72 ms   16.9 us
//	                       plain        0.56 ms   1.8 ms    25.5 us    ratio 0.66
//	256 streams of 50/s    mock         0.25 ms   0.66 ms   17.1 us
//	                       plain        0.56 ms   1.6 ms    24.9 us    ratio 0.68
//	one stream of 50/s     mock         0.20 ms   0.69 ms
//	                       plain        0.66 ms   1.8 ms
//
// Of the 17 runs 15 had a p99 of 0.66 to 0.88 ms, two of 1.02 and 2.03 ms, where the
// machine stood still for milliseconds; the ratio was 0.59 to 0.70 in 16, once 0.72.
//
// About 10 us of each token are the kernel's write to the socket. In virtual time
// 1000 users with five requests of 64 tokens each take half a second there.
package mock
