package llmbench

import (
	"fmt"
	"io"
	"sync"

	"github.com/llmbench/go/llmbench/internal/wire"
)

// captureBytes bounds the reply that one capture keeps; a longer one is marked
// as truncated.
const captureBytes = 1 << 20

// A Capture is one exchange as it crossed the wire: the request, and the bytes
// of the reply with the instant of each read. Keys are taken out of it. It
// marshals to a line of schema llmbench.capture/v1, which mock.Captured plays
// again, so that what a server did once becomes a test.
type Capture struct {
	// ID is the record's.
	ID      string
	Outcome Outcome
	wire    *wire.Capture
}

// MarshalJSON writes the capture's line.
func (c Capture) MarshalJSON() ([]byte, error) { return c.wire.MarshalJSON() }

// WriteCaptures writes captures as JSON Lines, one each, in their order.
func WriteCaptures(w io.Writer, captures []Capture) error {
	for _, c := range captures {
		if err := wire.WriteCaptures(w, c.wire); err != nil {
			return fmt.Errorf("llmbench: capture of %s: %w", c.ID, err)
		}
	}
	return nil
}

// captures keeps a bounded number of exchanges, failed ones before others: they
// are what people ask about.
type captures struct {
	mu   sync.Mutex
	most int
	kept []Capture
}

func (c *captures) keep(capture Capture) {
	if capture.wire == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) < c.most {
		c.kept = append(c.kept, capture)
		return
	}
	if !capture.Outcome.Failed() {
		return
	}
	for i := range c.kept {
		if !c.kept[i].Outcome.Failed() {
			c.kept[i] = capture
			return
		}
	}
}
