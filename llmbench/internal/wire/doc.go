// Package wire performs one exchange with a model server and says what was seen
// on the wire, and when.
//
// It knows protocols and bytes, and nothing of profiles, records or metrics.
// One Call goes through it like this:
//
//	Request --Protocol.Encode--> body --http--> Read, stamp, frame, decode, fold --> Reply
//
// Every Read of the body gets one timestamp, taken before any of its bytes is
// looked at; all events that a Read completes share it. A failed exchange is
// not a Go error but a Reply with an Outcome and a text that says what to try.
//
// Choices that were contested, made once here:
//
//   - A finish reason without [DONE] is ok, and [DONE] without a finish reason
//     too: several servers leave out one of them. Neither is incomplete.
//   - The finish reasons abort and error are failures; content filters and
//     refusals end an answer.
//   - A last event that no blank line closed counts when it decodes. Where it
//     does not, the stream was cut: incomplete.
//   - A named event that its protocol does not know is passed over and counted
//     in Reply.Ignored, as a browser would, unless its data is a chunk. "event:
//     error" is always an error.
//   - A JSON text that cannot be decoded makes the reply an error; the rest of
//     the stream is read all the same.
//   - A stall that outlasts IdleTimeout is a timeout, also after the finish
//     reason, for the reply never ended; not after [DONE], for then it had.
//   - 429 and 503 are rejected, whatever page came with them. Redirects are not
//     followed: they would cost time that no one asked to measure.
//   - Nothing is tried again, but for one thing: a request on a kept connection
//     that the server had closed meanwhile, so that no byte of a reply came,
//     goes out again on a new one. That race is ours, for we chose to keep the
//     connection. Reply.Attempts counts it, and Sent stays the first attempt's.
package wire
