// Package http1 is a client for HTTP/1.1 over plain sockets that reads thousands
// of streams from a few goroutines.
//
// It exists for the cost of a stream and for the instants of its events. With
// net/http each event of a stream wakes a goroutine of its own, and is read
// twice: once for the bytes, once more to learn that there are no others. Here a
// [poller] waits for all connections at once, reads each that is ready once, and
// hands the bytes on where it stands:
//
//	Client.Send ── pool ── conn.write ──────────────▶ server
//	     ▲                                              │
//	     └─ done ── conn (head, framing) ◀── poller ◀───┘
//	                      └▶ Sink: Head, Body, End
//
// What is rare is left to net/http: TLS, HTTP/2, proxies, names and passwords in
// a URL ([Client.Takes] says which), and systems without epoll ([New] returns
// nil there). net/http also parses the heads and writes the requests.
package http1
