package wire

import "time"

// Opt is a value that a server or a transport may not have given. Unknown is
// not zero.
type Opt[T any] struct {
	V     T
	Known bool
}

// Some is the known value v.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, Known: true} }

// or keeps the newer report where there is one.
func (o Opt[T]) or(older Opt[T]) Opt[T] {
	if o.Known {
		return o
	}
	return older
}

// sum adds two counts; it is known where either is.
func sum(a, b Opt[int64]) Opt[int64] {
	return Opt[int64]{V: a.V + b.V, Known: a.Known || b.Known}
}

// milliseconds is a duration that a server gave as a float of milliseconds. A
// negative or absurd one is unknown.
func milliseconds(ms Opt[float64]) Opt[time.Duration] {
	const century = 100 * 365 * 24 * 3600 * 1e3
	if !ms.Known || !(ms.V >= 0 && ms.V < century) {
		return Opt[time.Duration]{}
	}
	return Some(time.Duration(ms.V * float64(time.Millisecond)))
}
