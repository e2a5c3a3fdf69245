package scrape

import (
	"context"
	"net/http"
	"time"

	"github.com/llmbench/go/llmbench"
)

// Target returns the target with its server's metrics read during each run, from the page at an address such as
// "http://host:8000/metrics", with the target's own client where it has one.
func Target(target llmbench.Target, page string) llmbench.Target {
	return watched{page: Page{URL: page, Client: target.Client()}, inner: target}
}

// watched is a target that reads a page; all else it leaves to the one inside.
type watched struct {
	page  Page
	inner llmbench.Target
}

// Watch makes it an llmbench.Watcher.
func (w watched) Watch(ctx context.Context) func(began time.Time) *llmbench.ServerSide {
	return w.page.Watch(ctx)
}

func (w watched) Client() *http.Client { return w.inner.Client() }

// Unwrap returns the target inside, which knows where and what the server is.
func (w watched) Unwrap() llmbench.Target { return w.inner }
