package llmbench

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/llmbench/go/llmbench/internal/pace"
	"github.com/llmbench/go/llmbench/internal/wire"
)

var errBubble = errors.New("llmbench: target: a real socket stops the clock of a testing/synctest bubble for ever, " +
	"want a server in memory such as mock.Start, or the test outside the bubble")

// A client turns planned requests into records: it knows the target and the
// profile's body, and leaves the exchange to package wire.
type client struct {
	call        wire.Call
	writer      *writer
	model       string
	address     string // for people: no user, no query
	notes       []string
	timeout     time.Duration
	now         func() time.Duration
	calibration *Calibration // nil: nobody asked
	faults      atomic.Int64 // requests that failed on this side
	own         *connections // ours to close; nil for the target's or a ladder's
	seen        captures
	tokens      *tokenizing // nil: nobody counts
}

func newClient(ctx context.Context, target Target, profile Profile, seed uint64) (*client, error) {
	endpoint, err := resolve(target)
	if err != nil {
		return nil, err
	}
	protocol, err := wire.ByName(endpoint.API)
	if err != nil {
		return nil, fmt.Errorf("llmbench: target: %w", err)
	}
	address, note, err := wire.JoinURL(endpoint.URL, protocol.Path())
	if err != nil {
		return nil, fmt.Errorf("llmbench: target: %w", err)
	}
	c := &client{model: endpoint.Model, timeout: profile.Timeout, address: redacted(address)}
	if note != "" {
		c.notes = append(c.notes, fmt.Sprintf("requests go to %s: %s", c.address, note))
	}
	header, err := endpoint.header(protocol)
	if err != nil {
		return nil, err
	}
	c.call = wire.Call{
		Client: endpoint.HTTP, URL: address, Header: header, Protocol: protocol,
		IdleTimeout: profile.IdleTimeout,
	}
	if c.seen.most = profile.Capture; c.seen.most > 0 {
		c.call.Capture = captureBytes
	}
	if endpoint.HTTP == nil {
		if pace.Standing() {
			return nil, errBubble
		}
		c.connect(endpoint, profile.connections())
	}
	c.discover(ctx, endpoint)
	c.writer = newWriter(seed, profile, c.model)
	c.tokens = newTokenizing(endpoint.CountTokens)
	c.call.KeepText = max(c.writer.keepText(), c.tokens.keepText())
	return c, nil
}

// connect gives the call its connections: those that the endpoint keeps, or new
// ones.
func (c *client) connect(endpoint Endpoint, most int) {
	use := endpoint.kept
	if use == nil {
		use = endpoint.connect(most)
		c.own = use
	}
	c.call.Client, c.call.Direct = use.client(), use.direct
}

// discoverTime bounds the question for the model: a server that does not answer
// it shows in the requests soon enough.
const discoverTime = 5 * time.Second

// discover asks the server for its model where the target names none. It is
// set-up and no part of the load; without an answer the requests name none.
func (c *client) discover(ctx context.Context, endpoint Endpoint) {
	if c.model != "" {
		return
	}
	asker := endpoint.HTTP
	if asker == nil { // the load opens its own connections, and counts them
		once := endpoint.connect(1)
		defer once.close()
		asker = once.client()
	}
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	names, err := wire.Models(ctx, asker, c.call.Protocol, endpoint.URL, c.call.Header)
	if err != nil {
		return
	}
	c.model = names[0]
	c.notes = append(c.notes, fmt.Sprintf("no model was named, %q is the first of %d that the server lists", c.model, len(names)))
}

// connections is how many the load can have open at once, as far as it says.
func (p Profile) connections() int {
	return max(p.Arrivals.Users(), p.MaxInFlight, p.MaxPrefill)
}

func (c *client) close() {
	if c.own != nil {
		c.own.close()
	}
}
