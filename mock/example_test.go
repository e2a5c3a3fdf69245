package mock_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/llmbench/go/mock"
)

func ExampleServe() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := mock.Serve(listener, mock.Script{TTFT: 5 * time.Millisecond, Output: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	body := `{"model": "m", "messages": [{"role": "user", "content": "two words"}], "stream": false}`
	resp, err := server.Client().Post(server.URL()+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	reply, _ := io.ReadAll(resp.Body)
	_, message, _ := strings.Cut(string(reply), `"message":`)
	fmt.Print(resp.Status, "\n", message)
	// Output:
	// 200 OK
	// {"role":"assistant","content":"the queue was"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}}
}
