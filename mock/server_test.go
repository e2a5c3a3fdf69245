package mock

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http/httptest"
	"net/http/httptrace"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The worked run: 16 users, 200 requests, ISL 200, OSL 100, TTFT 100 ms, ITL
// 20 ms takes 13 waves of 2.08 s.
func TestRunInVirtualTimeIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond})
		start := time.Now()
		all := closedLoop(t, server, 16, 200, ask(200, 100, ""))
		require.Equal(t, 27040*time.Millisecond, time.Since(start))
		for _, got := range all {
			require.NoError(t, got.err)
			require.Equal(t, got.sent, got.headers, "headers and role are sent at once")
			text, at := got.content(t)
			require.Len(t, strings.Fields(text), 100)
			for k, d := range at {
				require.Equal(t, 100*time.Millisecond+time.Duration(k)*20*time.Millisecond, d, "token %d", k)
			}
			usage := got.usage(t)
			require.Equal(t, []int{200, 100, 300}, []int{usage.PromptTokens, usage.CompletionTokens, usage.TotalTokens})
			require.Equal(t, "[DONE]", got.lines[len(got.lines)-1].text)
		}
	})
}

// closedLoop lets users send requests one after the other until n are through.
func closedLoop(t *testing.T, server *Server, users, n int, body string) []seen {
	var (
		wg   sync.WaitGroup
		all  = make([]seen, n)
		next = make(chan int, n)
	)
	for i := range n {
		next <- i
	}
	close(next)
	for range users {
		wg.Go(func() {
			for i := range next {
				all[i] = call(t.Context(), server, body)
			}
		})
	}
	wg.Wait()
	return all
}

func TestListenSpeaksTCP(t *testing.T) {
	server := Listen(t, Script{TTFT: 20 * time.Millisecond, ITL: time.Millisecond})
	got := call(t.Context(), server, ask(3, 10, ""))
	require.NoError(t, got.err)
	text, at := got.content(t)
	require.Len(t, strings.Fields(text), 10)
	// Wall clock: nothing may come early; how late is the machine's business.
	for k, d := range at {
		require.GreaterOrEqual(t, d, 20*time.Millisecond+time.Duration(k)*time.Millisecond, "token %d", k)
	}
	require.True(t, strings.HasPrefix(server.URL(), "http://127.0.0.1:") && strings.HasSuffix(server.URL(), "/v1"), server.URL())
}

func TestAConnectionServesManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Script{})
		var reused, fresh int
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
			if i.Reused {
				reused++
			} else {
				fresh++
			}
		}})
		for range 10 {
			require.NoError(t, call(ctx, server, ask(1, 2, "")).err)
		}
		require.Equal(t, []int{1, 9}, []int{fresh, reused})
	})
}

func TestLengthOfAReply(t *testing.T) {
	rows := []struct {
		why    string
		script Script
		body   string
		want   int
		finish string
	}{
		{"nobody says a length", Script{}, `{"messages":[{"content":"x"}],"stream":true}`, DefaultOutput, "stop"},
		{"only the script does", Script{Output: 7}, `{"messages":[{"content":"x"}],"stream":true}`, 7, "stop"},
		{"only the request does", Script{}, ask(1, 5, ""), 5, "length"},
		{"the request cuts the script", Script{Output: 7}, ask(1, 5, ""), 5, "length"},
		{"the script ends by itself before the limit", Script{Output: 3}, ask(1, 5, ""), 3, "stop"},
		{"ignore_eos goes on to the limit", Script{Output: 3}, ask(1, 5, `,"ignore_eos":true`), 5, "length"},
		{"min_tokens holds it back from ending", Script{Output: 3}, ask(1, 9, `,"min_tokens":6`), 6, "stop"},
		{"max_completion_tokens stands above max_tokens", Script{}, ask(1, 5, `,"max_completion_tokens":4`), 4, "length"},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			got := call(t.Context(), Start(t, row.script), row.body)
			text, _ := got.content(t)
			require.Len(t, strings.Fields(text), row.want, row.why)
			require.Contains(t, got.body, `"finish_reason":"`+row.finish+`"`, row.why)
		})
	}
}

func TestReplyInOneBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Script{TTFT: time.Second, ITL: time.Second})
		got := call(t.Context(), server, `{"model":"m","messages":[{"content":[{"type":"text","text":"one two"},{"type":"image_url"}]},{"content":"three"}],"max_tokens":3}`)
		require.Equal(t, 3*time.Second, got.end.Sub(got.sent), "with the last token")
		require.Equal(t, 200, got.status)
		got.body = regexp.MustCompile(`chatcmpl-[0-9a-f]+`).ReplaceAllString(got.body, "chatcmpl-x")
		require.JSONEq(t, `{"id":"chatcmpl-x","object":"chat.completion","created":946684800,"model":"m","choices":[{"index":0,
			"message":{"role":"assistant","content":"the queue was"},"finish_reason":"length"}],
			"usage":{"prompt_tokens":3,"completion_tokens":3,"total_tokens":6}}`, got.body)
	})
}

func TestChunksOfSeveralTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Script{TTFT: time.Second, ITL: time.Millisecond, TokensPerChunk: 4})
		got := call(t.Context(), server, ask(1, 10, ""))
		text, at := got.content(t)
		require.Len(t, strings.Fields(text), 10)
		require.Equal(t, []time.Duration{time.Second, 1004 * time.Millisecond, 1008 * time.Millisecond}, at)
	})
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	rows := []struct {
		why, path, body string
		status          int
		say             string
	}{
		{"not JSON", "/chat/completions", `{"messages":`, 400, "not the JSON wanted"},
		{"nothing to answer", "/chat/completions", `{"model":"m"}`, 400, "want at least one"},
		{"a limit of nothing", "/chat/completions", `{"messages":[{"content":"x"}],"max_tokens":0}`, 400, "must be at least 1, got 0"},
		{"more than any model has", "/chat/completions", ask(1, 2<<20, ""), 400, "is 2097152, want at most 1048576"},
		{"more choices than anyone needs", "/chat/completions", ask(1, 1, `,"n":1000`), 400, "n is 1000, want 1 to 128"},
		{"fewer than one", "/chat/completions", ask(1, 1, `,"n":-1`), 400, "n is -1"},
		{"a wrong path", "/chat/completion", `{}`, 404, "no such path"},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			got := callPath(t.Context(), Start(t, Script{}), row.path, row.body)
			require.Equal(t, row.status, got.status, row.why)
			require.Contains(t, got.body, row.say, row.why)
			require.Contains(t, got.body, `{"error":{`, row.why)
		})
	}
}

// stubT takes down what Start says of a bad script.
type stubT struct{ said string }

func (*stubT) Helper()        {}
func (*stubT) Cleanup(func()) {}
func (s *stubT) Fatalf(format string, args ...any) {
	s.said = fmt.Sprintf(format, args...)
}

func TestBadScriptsFailTheTest(t *testing.T) {
	rows := []struct {
		r    Responder
		want string
	}{
		{Script{TTFT: -time.Second}, "mock: script: TTFT is -1s, want >= 0"},
		{Script{ITL: -1}, "mock: script: ITL is -1ns, want >= 0"},
		{Script{Output: -2}, "mock: script: Output is -2, want >= 0"},
		{Script{TokensPerChunk: -1}, "mock: script: TokensPerChunk is -1, want >= 0"},
		{Script{Cached: -2}, "mock: script: Cached is -2, want >= -1"},
		{Script{Role: 9}, "mock: script: Role is 9, want RoleAtOnce, RoleWithFirst or RoleNever"},
		{nil, "mock: the responder is nil, want a Script or another Responder"},
	}
	for _, row := range rows {
		var st stubT
		require.Nil(t, Start(&st, row.r))
		require.Equal(t, row.want, st.said)
	}
}

// Behind a listener of one's own there may be TLS; a write that cannot be tried
// then goes the way of the outlet's goroutine, and bytes and ends are the same.
func TestServeBehindTLS(t *testing.T) {
	cert := httptest.NewTLSServer(nil) // has a certificate and a client that trusts it
	defer cert.Close()
	for _, row := range []struct {
		why   string
		fault Fault
		want  string
		whole bool
	}{
		{"a reply to the end", Bundle(1), "the queue was short", true},
		{"a closed connection after what was sent", DropAfter(2), "the queue", false},
		{"a reset after what was sent", ResetAfter(2), "the queue", false},
	} {
		tcp, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		server, err := Serve(tls.NewListener(tcp, &tls.Config{Certificates: cert.TLS.Certificates}), quick(row.fault))
		require.NoError(t, err)
		resp, err := cert.Client().Post(strings.Replace(server.URL(), "http:", "https:", 1)+"/chat/completions", jsonType, strings.NewReader(bare))
		require.NoError(t, err)
		got := read(resp, time.Now())
		text, _ := got.content(t)
		require.Equal(t, row.want, text, row.why)
		require.Equal(t, row.whole, got.err == nil, row.why)
		server.Close()
	}
}
