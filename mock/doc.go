// Package mock is an inference server that does what it is told, to the
// nanosecond: a test says when each token leaves, and checks that its client,
// its gateway or its benchmark saw just that.
//
//	server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
//	resp, err := server.Client().Post(server.URL()+"/chat/completions", "application/json", body)
//
// Start serves over connections in memory; in a testing/synctest bubble a run of
// minutes takes milliseconds and no instant is off by anything. Listen serves
// over TCP in real time, for clients in other processes.
//
// How a request becomes bytes:
//
//	bytes --> Request --Responder--> Reply (a timeline) --loop, encoder--> bytes
//	                    pure: times are data            one clock hand
//
// One word of a prompt or of a reply is one token, so that lengths can be
// counted by anyone.
//
// Do not use it to learn how fast an engine is: it has no model, and its times
// are what the script says. It speaks HTTP/1.1 without TLS.
//
// The package is an oracle and shares no code with the client it checks.
package mock
