package pipenet

import (
	"sync"
	"time"
)

// deadline turns an instant into a channel that is closed once it has passed.
// The zero value is no deadline.
type deadline struct {
	mu    sync.Mutex
	timer *time.Timer
	hit   chan struct{} // nil while there is no deadline
}

// set replaces the deadline; the zero time removes it. Readers that wait on the
// old channel are woken by the caller, who signals them to look again.
func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	d.hit = nil
	if t.IsZero() {
		return
	}
	hit := make(chan struct{})
	d.hit = hit
	left := time.Until(t)
	if left <= 0 {
		close(hit)
		return
	}
	// The closure owns its own channel: a timer that fires while set runs
	// closes the channel it was made for and no other.
	d.timer = time.AfterFunc(left, func() { close(hit) })
}

// wait returns the channel to select on, nil when there is no deadline.
func (d *deadline) wait() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hit
}

// passed reports whether the deadline is over.
func (d *deadline) passed() bool {
	select {
	case <-d.wait():
		return true
	default:
		return false
	}
}

// stop frees the timer; a goroutine of it left in a bubble would be an error.
func (d *deadline) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
