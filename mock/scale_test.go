package mock

import (
	"bufio"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A thousand users, each with five requests of 64 tokens one after the other,
// are exact to the nanosecond; 200 users under the race detector, which slows
// everything by ten. The issue asks for under 3 s of real time: the doc
// of the package has the figure.
func TestThousandUsersAreExact(t *testing.T) {
	users := 1000
	if raceEnabled {
		users = 200
	}
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Script{TTFT: 100 * ms, ITL: 20 * ms})
		begin := time.Now()
		for _, bad := range crowd(server, users, 5, 64) {
			t.Error(bad)
		}
		require.Equal(t, 5*(100*ms+63*20*ms), time.Since(begin))
		require.Zero(t, server.Lateness().Max)
	})
}

// crowd runs users through their turns, and reports what was not exact: TTFT of
// 100 ms, gaps of 20 ms.
func crowd(server *Server, users, turns, tokens int) (bad []string) {
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	body := ask(100, tokens, "")
	for user := range users {
		wg.Go(func() {
			for turn := range turns {
				if err := watch(server, body, tokens); err != nil {
					mu.Lock()
					bad = append(bad, fmt.Sprintf("user %d, turn %d: %v", user, turn, err))
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return bad
}

// watch sends one request and checks the instant of every chunk with content.
func watch(server *Server, body string, tokens int) error {
	begin := time.Now()
	resp, err := server.Client().Post(server.URL()+"/chat/completions", jsonType, strings.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	k := 0
	for lines.Scan() {
		if !strings.Contains(lines.Text(), `"delta":{"content":`) {
			continue
		}
		if at, want := time.Since(begin), 100*ms+time.Duration(k)*20*ms; at != want {
			return fmt.Errorf("token %d at %s, want %s", k, at, want)
		}
		k++
	}
	if k != tokens {
		return fmt.Errorf("%d tokens, want %d", k, tokens)
	}
	return lines.Err()
}
