package llmbench

import (
	"bytes"
	"encoding/json"
)

// A Known is a value that may be absent. Its zero value is absent, so a record
// built by hand leaves out what it does not know and never says 0 for it. In
// JSON an absent field is left out; null reads as absent.
type Known[T any] struct {
	value T
	ok    bool
}

// Is returns a Known that holds v: Is(time.Second), Is(200).
func Is[T any](v T) Known[T] { return Known[T]{v, true} }

// Get reports the value and whether there is one.
func (k Known[T]) Get() (T, bool) { return k.value, k.ok }

// Or reports the value, or otherwise when it is absent.
func (k Known[T]) Or(otherwise T) T {
	if k.ok {
		return k.value
	}
	return otherwise
}

// Ok reports whether there is a value.
func (k Known[T]) Ok() bool { return k.ok }

// IsZero reports whether the value is absent; encoding/json's omitzero asks it.
func (k Known[T]) IsZero() bool { return !k.ok }

// Equal reports whether both are absent or both hold the same value. It lets
// go-cmp compare records.
func (k Known[T]) Equal(other Known[T]) bool {
	return k.ok == other.ok && (!k.ok || any(k.value) == any(other.value))
}

// MarshalJSON writes the value, or null when it is absent.
func (k Known[T]) MarshalJSON() ([]byte, error) {
	if !k.ok {
		return []byte("null"), nil
	}
	return json.Marshal(k.value)
}

// UnmarshalJSON reads a value; null is absent.
func (k *Known[T]) UnmarshalJSON(data []byte) error {
	*k = Known[T]{}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(data, &k.value); err != nil {
		return err
	}
	k.ok = true
	return nil
}
