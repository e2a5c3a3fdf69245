package mock_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/llmbench/go/mock"
)

// serve is a server on a free port; a test has mock.Start and mock.Listen.
func serve(r mock.Responder) *mock.Server {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server, err := mock.Serve(listener, r)
	if err != nil {
		panic(err)
	}
	return server
}

// post asks for a reply to two words.
func post(server *mock.Server, more string) *http.Response {
	body := `{"messages": [{"role": "user", "content": "two words"}]` + more + `}`
	resp, err := server.Client().Post(server.URL()+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	return resp
}

func ExampleServe() {
	server := serve(mock.Script{TTFT: 5 * time.Millisecond, Output: 3})
	defer server.Close()

	resp := post(server, "")
	defer resp.Body.Close()
	reply, _ := io.ReadAll(resp.Body)
	_, message, _ := strings.Cut(string(reply), `"message":`)
	fmt.Print(resp.Status, "\n", message)
	// Output:
	// 200 OK
	// {"role":"assistant","content":"the queue was"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}}
}

// A client that must survive a rate limit, a stream that breaks after two
// tokens, and then a good reply.
func ExampleSequence() {
	good := mock.Script{Text: "All is well."}
	server := serve(mock.Sequence(
		mock.With(good, mock.RefuseFor(http.StatusTooManyRequests, 2*time.Second)),
		mock.With(good, mock.ResetAfter(2)),
		good,
	))
	defer server.Close()

	for range 3 {
		resp := post(server, `, "stream": true`)
		chunks := 0
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if strings.Contains(lines.Text(), `"delta":{"content":`) {
				chunks++
			}
		}
		fmt.Println(resp.StatusCode, "retry after:", resp.Header.Get("Retry-After"), "chunks:", chunks, "broken:", lines.Err() != nil)
		resp.Body.Close()
	}
	// Output:
	// 429 retry after: 2 chunks: 0 broken: false
	// 200 retry after:  chunks: 2 broken: true
	// 200 retry after:  chunks: 3 broken: false
}

// An engine with one slot: the second request waits for the first, and the third
// finds the queue full.
func ExampleEngine() {
	server := serve(mock.Engine{
		Slots:       1,
		QueueLimit:  1,
		PrefillRate: 20, // two words take 100 ms
		StepTime:    mock.LinearStep(100*time.Millisecond, 0),
		Reply:       mock.Script{Output: 5},
	})
	defer server.Close()

	status := make(chan int)
	ask := func() {
		resp := post(server, "")
		resp.Body.Close()
		status <- resp.StatusCode
	}
	go ask()
	for server.Engine().Running == 0 {
		runtime.Gosched()
	}
	go ask()
	for server.Engine().Waiting == 0 {
		runtime.Gosched()
	}
	go ask()
	fmt.Println(<-status, <-status, <-status)
	stats := server.Engine()
	fmt.Println(stats.MaxRunning, "at a time,", stats.PrefillTokens, "prompt tokens,", stats.DecodedTokens, "generated,", stats.Refused, "refused")
	// Output:
	// 503 200 200
	// 1 at a time, 4 prompt tokens, 10 generated, 1 refused
}
