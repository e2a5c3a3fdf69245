// Package pipenet is a network in memory: a Listener whose Dial hands out
// buffered, full-duplex connections.
//
// It exists because net.Pipe has no buffer and serialises its writers with a
// mutex that is held while the reader sleeps; inside a testing/synctest bubble
// a goroutine that waits for such a mutex keeps the clock from advancing, and
// the test hangs. Here every wait is a channel operation, which blocks durably,
// and every mutex is held for a copy of bytes at most.
//
// All channels are made by Listen and Dial, so a Listener belongs to the bubble
// it was made in.
package pipenet
