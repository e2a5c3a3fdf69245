package mock_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/mock"
)

// What the comments of the package show, run.

func TestShownStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := strings.NewReader(`{"messages": [{"role": "user", "content": "two words"}], "max_tokens": 3}`)
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
		resp, err := server.Client().Post(server.URL()+"/chat/completions", "application/json", body)
		require.NoError(t, err)
		defer resp.Body.Close()
		reply, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Contains(t, string(reply), "the queue was")
	})
}

func TestShownCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{ITL: 10 * time.Millisecond, Output: 1000})
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL()+"/chat/completions",
			strings.NewReader(`{"messages": [{"role": "user", "content": "two words"}], "stream": true}`))
		require.NoError(t, err)
		resp, err := server.Client().Do(request)
		require.NoError(t, err)
		defer resp.Body.Close()
		time.Sleep(100 * time.Millisecond) // into the reply
		{
			left := time.Now()
			cancel() // the client of the gateway
			err := server.Cancelled(left, 50*time.Millisecond)
			require.NoError(t, err)
		}
	})
}
