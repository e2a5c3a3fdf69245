// Package trace reads records of real traffic, so that a load test can replay
// them: when requests came, how long prompts and replies were, which prompts
// began alike, and what they said where the trace has text.
//
//	file --Mooncake, Azure, BurstGPT, ShareGPT, Read--> *Trace
//	     --Window, Speed, Jitter, Loop, Cap--> *Trace --> llmbench.Replay, Profile.Dataset
//
// The readers take an io.Reader and keep nothing of it. A row that makes no
// sense is an error with its line number, not a row left out. Methods that
// change a trace return a new one. A Trace is safe for concurrent use as long as
// nobody writes to it.
//
// The formats were taken from the columns that their publishers describe; the
// sample files of this package's tests were made by hand.
package trace
