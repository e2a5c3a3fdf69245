package mock

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// WaitReady asks a server's page, such as its /health or /v1/models, until the
// answer is a 2xx. A line in a log that says "ready" is no such answer. It
// returns the last error once ctx is done. A nil client is http.DefaultClient.
func WaitReady(ctx context.Context, client *http.Client, page string) error {
	if client == nil {
		client = http.DefaultClient
	}
	var last error
	for {
		err := askPage(ctx, client, page)
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil {
			last = err // what the server said is worth more than that time was up
		}
		select {
		case <-time.After(readyPause):
		case <-ctx.Done():
			return fmt.Errorf("mock: wait ready: %s: %w", page, last)
		}
	}
}

// readyPause is between two questions: short against the start of a server.
const readyPause = 50 * time.Millisecond

func askPage(ctx context.Context, client *http.Client, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("status is %s, want 2xx", resp.Status)
	}
	return nil
}
