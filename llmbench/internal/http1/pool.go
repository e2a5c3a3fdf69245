package http1

import (
	"context"
	"slices"
	"sync"
	"time"
)

// pool keeps idle connections by address.
type pool struct {
	perHost int
	idle    time.Duration

	mu    sync.Mutex
	hosts map[string]*host
}

// host is one address: its idle connections, the last used last, and who waits
// for one.
type host struct {
	pool    *pool
	mu      sync.Mutex
	idle    []*conn
	open    int          // connections there are, and those being dialled
	waiting []chan *conn // first come, first served; each holds one
}

func (p *pool) host(address string) *host {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts == nil {
		p.hosts = map[string]*host{}
	}
	h := p.hosts[address]
	if h == nil {
		h = &host{pool: p}
		p.hosts[address] = h
	}
	return h
}

// take returns an idle connection, or nil for the right to dial one, which
// freed gives back. It waits where the host has as many as it may.
func (h *host) take(ctx context.Context) (*conn, error) {
	for {
		conn, wait := h.ask()
		switch {
		case wait == nil && conn == nil:
			return nil, nil
		case wait == nil && conn.stale(h.pool.idle):
			conn.close()
			continue
		case wait == nil:
			return conn, nil
		}
		select {
		case conn := <-wait:
			return conn, nil
		case <-ctx.Done():
			h.giveUp(wait)
			return nil, ctx.Err()
		}
	}
}

// ask returns an idle connection, the right to dial (nil, nil), or a place in the
// queue.
func (h *host) ask() (*conn, chan *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.idle); n > 0 {
		conn := h.idle[n-1]
		h.idle = h.idle[:n-1]
		return conn, nil
	}
	if h.pool.perHost <= 0 || h.open < h.pool.perHost {
		h.open++
		return nil, nil
	}
	wait := make(chan *conn, 1)
	h.waiting = append(h.waiting, wait)
	return nil, wait
}

// giveUp leaves the queue; what came at that moment goes to the next.
func (h *host) giveUp(wait chan *conn) {
	h.mu.Lock()
	if i := slices.Index(h.waiting, wait); i >= 0 {
		h.waiting = slices.Delete(h.waiting, i, i+1)
		h.mu.Unlock()
		return
	}
	h.mu.Unlock()
	if conn := <-wait; conn != nil {
		h.pool.put(conn)
	} else {
		h.freed()
	}
}

// put keeps a connection for the next request, or gives it to the one that waits
// longest.
func (p *pool) put(c *conn) {
	h := c.host
	h.mu.Lock()
	defer h.mu.Unlock()
	c.since = time.Now()
	if wait := h.next(); wait != nil {
		wait <- c
		return
	}
	h.idle = append(h.idle, c)
}

// freed says that a connection is closed or was not made: whoever waits longest
// may dial.
func (h *host) freed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if wait := h.next(); wait != nil {
		wait <- nil
		return
	}
	h.open--
}

func (h *host) next() chan *conn {
	if len(h.waiting) == 0 {
		return nil
	}
	wait := h.waiting[0]
	h.waiting = slices.Delete(h.waiting, 0, 1)
	return wait
}

// forget takes a connection that the server closed out of the idle ones.
func (h *host) forget(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.idle, c); i >= 0 {
		h.idle = slices.Delete(h.idle, i, i+1)
	}
}

func (p *pool) closeIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.hosts {
		for _, c := range h.takeAll() {
			c.close()
		}
	}
}

func (h *host) takeAll() []*conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := h.idle
	h.idle = nil
	return all
}

// idle is for how long nothing was on the connection, 0 for a new one.
func (c *conn) idle() time.Duration {
	if c.since.IsZero() {
		return 0
	}
	return time.Since(c.since)
}

func (c *conn) stale(after time.Duration) bool { return after > 0 && c.idle() > after }
