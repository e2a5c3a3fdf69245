package scrape

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/llmbench/go/llmbench"
)

const (
	// Interval is the time between two readings.
	Interval = 500 * time.Millisecond
	// timeout bounds one reading, so that a frozen server does not hold up the end of a run.
	timeout = 5 * time.Second
	// pageBytes bounds a page. Those of engines have some 100 KB.
	pageBytes = 4 << 20
)

// Page is a page of Prometheus metrics.
type Page struct {
	// URL is its address: "http://host:8000/metrics".
	URL string
	// Client reads it; nil is one of its own that keeps no connection.
	Client *http.Client
}

// Watch reads the page at once, then every [Interval], and once more when ended is called. A page that cannot be read
// or understood is told in the ServerSide and ends nothing.
func (p Page) Watch(ctx context.Context) (ended func(began time.Time) *llmbench.ServerSide) {
	w := &watcher{page: p, done: make(chan struct{}), left: make(chan struct{})}
	if w.page.Client == nil {
		w.page.Client = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	}
	w.look(ctx)
	go w.run(ctx)
	return func(began time.Time) *llmbench.ServerSide {
		close(w.done)
		<-w.left
		// The run's context may have ended; what the server says at the end is wanted all the more.
		w.look(context.WithoutCancel(ctx))
		return w.side(began)
	}
}

// watcher keeps the readings. Its goroutine and the caller of ended take turns, so it needs no lock.
type watcher struct {
	page     Page
	engine   *engine
	readings []llmbench.ServerReading
	at       []time.Time
	missed   int
	trouble  error
	done     chan struct{} // closed to end the goroutine
	left     chan struct{} // closed when it has ended
}

func (w *watcher) run(ctx context.Context) {
	defer close(w.left)
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			w.look(ctx)
		}
	}
}

// look takes one reading. Its instant is when the page was there, as the chunks' instants are when they were there.
func (w *watcher) look(ctx context.Context) {
	page, at, err := w.page.read(ctx)
	if err != nil {
		w.missed++
		w.trouble = err
		return
	}
	if w.engine == nil {
		w.engine = recognise(page)
	}
	if w.engine == nil {
		w.missed++
		w.trouble = fmt.Errorf("%s: none of its %d metrics is known", w.page.shown(), len(page))
		return
	}
	w.readings = append(w.readings, w.engine.read(page))
	w.at = append(w.at, at)
}

func (w *watcher) side(began time.Time) *llmbench.ServerSide {
	side := &llmbench.ServerSide{Readings: w.readings, Missed: w.missed}
	for i := range side.Readings {
		side.Readings[i].At = w.at[i].Sub(began)
	}
	if w.engine != nil {
		side.Engine = w.engine.name
	}
	if w.trouble != nil {
		side.Trouble = w.trouble.Error()
	}
	return side
}

// shown is the address without a password in it.
func (p Page) shown() string {
	if address, err := url.Parse(p.URL); err == nil {
		return address.Redacted()
	}
	return "the page"
}

func (p Page) read(ctx context.Context) (page families, at time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return nil, at, err
	}
	reply, err := p.Client.Do(request)
	if err != nil {
		return nil, at, err
	}
	defer reply.Body.Close()
	at = time.Now()
	if reply.StatusCode != http.StatusOK {
		return nil, at, fmt.Errorf("%s: status is %s, want 200", p.shown(), reply.Status)
	}
	text, err := io.ReadAll(io.LimitReader(reply.Body, pageBytes+1))
	if err != nil {
		return nil, at, err
	}
	if len(text) > pageBytes {
		return nil, at, fmt.Errorf("%s: the page is longer than %d MB", p.shown(), pageBytes>>20)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	page, err = parser.TextToMetricFamilies(bytes.NewReader(text))
	switch {
	case err != nil:
		return nil, at, fmt.Errorf("%s: no Prometheus text: %w", p.shown(), err)
	case len(page) == 0:
		return nil, at, errors.New(p.shown() + ": the page is empty")
	}
	return page, at, nil
}
