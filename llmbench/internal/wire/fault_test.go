package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Each failure's text stands in testdata/faults.golden: what people read when a
// run goes wrong.

const faultsGolden = "testdata/faults.golden"

// Pieces of a chat stream, for tests that end one badly.
const aChunk = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"

const aFinish = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"

type fault struct {
	name    string
	call    func(*Call)
	req     func(*Request)
	handler http.HandlerFunc
	within  time.Duration // the context's deadline; 0: none
	cancel  time.Duration // when the caller cancels; 0: never
}

func reply(status int, header, body string) http.HandlerFunc {
	name, value, _ := strings.Cut(header, ": ")
	s := whole("application/json", body)
	s.header.Set(name, value)
	s.status = status
	return s.play
}

func stream(end string, parts ...string) http.HandlerFunc {
	s := whole("text/event-stream", strings.Join(parts, ""))
	s.end, s.endAt = end, 50*time.Millisecond
	return s.play
}

func withKey(c *Call) { c.Header = http.Header{"Authorization": {"Bearer sk-secret-key"}} }

func dialFails(err error) func(*Call) {
	return func(c *Call) {
		c.Client.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}
	}
}

func hangUp(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	conn.Close()
}

// silence answers nothing until the client is gone; the server notices that
// only once the body is read.
func silence(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

var faults = []fault{
	{name: "wrong path", handler: reply(404, "Content-Type: application/json", `{"detail":"Not Found"}`)},
	{name: "wrong model", handler: reply(404, "Content-Type: application/json", `{"error":{"message":"The model 'm' does not exist.","type":"NotFoundError","param":null,"code":404}}`)},
	{name: "HTML error page", handler: reply(502, "Content-Type: text/html", "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>proxy</body></html>")},
	{name: "no key", handler: reply(401, "Content-Type: application/json", `{"error":"Unauthorized"}`)},
	{name: "wrong key, which the server repeats", call: withKey, handler: reply(401, "Content-Type: application/json", `{"error":{"message":"Incorrect API key provided: sk-secret-key.","code":"invalid_api_key"}}`)},
	{name: "shed with seconds", handler: reply(429, "Retry-After: 2", `{"error":{"message":"slow down","type":"rate_limit_error"}}`)},
	{name: "shed without a body", handler: reply(503, "Content-Type: text/plain", "")},
	{name: "bad request", handler: reply(400, "Content-Type: application/json", `{"object":"error","message":"max_tokens must be at least 1","type":"BadRequestError","code":400}`)},
	{name: "too large", handler: reply(413, "Content-Type: text/plain", "length limit exceeded")},
	{name: "crash", handler: reply(500, "Content-Type: text/plain", "Internal Server Error")},
	{name: "redirect", handler: reply(307, "Location: https://me:pw@other/v1/chat/completions?key=secret", "")},
	{name: "another service answers", handler: reply(200, "Content-Type: text/plain", "pong")},
	{name: "login page instead of a reply", handler: reply(200, "Content-Type: text/html; charset=utf-8", "<h1>Sign in</h1>")},
	{name: "hostile text", handler: reply(500, "Content-Type: text/plain", "\x1b]0;owned\x07\x1b[2J\r\n\u202eevil\xff"+strings.Repeat(" very long", 200))},
	{name: "hostile error object", handler: stream("eof", "data: {\"error\":{\"message\":\"\\u001b[31mred\\u0000\"}}\n\n")},
	{name: "error object in the middle", handler: stream("eof", aChunk, "data: {\"error\":{\"message\":\"engine stopped\",\"code\":500}}\n\n", "data: [DONE]\n\n")},
	{name: "error object, then a cut", handler: stream("reset", aChunk, "data: {\"error\":\"out of memory\"}\n\n")},
	{name: "stream cut in the middle", handler: stream("reset", aChunk, aChunk)},
	{name: "stream cut before its first event", handler: stream("reset", ": ping\n\n")},
	{name: "ended without a finish", handler: stream("eof", aChunk)},
	{name: "ended inside an event", handler: stream("eof", aChunk, `data: {"choices":[{"index":0,"del`)},
	{name: "malformed event", handler: stream("eof", aChunk, "data: {\"choices\":[{]}\n\n", aFinish, "data: [DONE]\n\n")},
	{name: "given up by the server", handler: stream("eof", aChunk, strings.Replace(aFinish, "stop", "abort", 1), "data: [DONE]\n\n")},
	{name: "no content", handler: stream("eof", aFinish, "data: [DONE]\n\n")},
	{name: "another API's stream", call: func(c *Call) { c.Protocol = OllamaChat() }, handler: stream("eof", aChunk)},
	{name: "an empty body", handler: reply(200, "Content-Type: application/json", "")},
	{name: "stall", call: func(c *Call) { c.IdleTimeout = 200 * time.Millisecond }, handler: stream("stall", aChunk)},
	{name: "deadline before an answer", within: time.Second, handler: silence},
	{name: "deadline in the stream", within: time.Second, handler: stream("stall", aChunk)},
	{name: "cancelled before an answer", cancel: time.Second, handler: silence},
	{name: "cancelled in the stream", cancel: time.Second, handler: stream("stall", aChunk, aChunk)},
	{name: "deadline in an error page", within: time.Second, handler: func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		http.NewResponseController(w).Flush()
		silence(w, r)
	}},
	{name: "event over the bound", call: func(c *Call) { c.MaxLine = 64 }, handler: stream("eof", aChunk, "data: "+strings.Repeat("x", 100)+"\n\n")},
	{name: "a compression nobody offered", handler: reply(200, "Content-Encoding: br", "xxxx")},
	{name: "a broken gzip stream", handler: reply(200, "Content-Encoding: gzip", "not gzip at all")},
	{name: "hung up before an answer", handler: hangUp},
	{name: "refused", call: dialFails(syscall.ECONNREFUSED), handler: silence},
	{name: "no route", call: dialFails(syscall.EHOSTUNREACH), handler: silence},
	{name: "no such host", call: dialFails(&net.DNSError{Err: "no such host", Name: "mokc"}), handler: silence},
	{name: "no unix socket", call: dialFails(syscall.ENOENT), handler: silence},
	{name: "dialling takes too long", call: dialFails(os.ErrDeadlineExceeded), handler: silence},
	{name: "no file descriptors", call: dialFails(syscall.EMFILE), handler: silence},
	{name: "no file descriptor for the name's look-up", call: dialFails(&net.DNSError{Err: "dial udp 127.0.0.53:53: socket: too many open files", Name: "mock"}), handler: silence},
	{name: "no local ports", call: dialFails(syscall.EADDRNOTAVAIL), handler: silence},
	{name: "no memory for sockets", call: dialFails(syscall.ENOBUFS), handler: silence},
	{name: "some other failure", call: dialFails(errors.New("the cable is out")), handler: silence},
	{name: "a request that JSON cannot hold", req: func(r *Request) { r.Extra = map[string]any{"f": func() {}} }, handler: silence},
	{name: "a URL that is none", call: func(c *Call) { c.URL = "http://mo ck/?key=secret" }, handler: silence},
	{name: "a URL whose scheme is missing", call: func(c *Call) { c.URL = "mock:80/v1" }, handler: silence},
}

func TestFaultTexts(t *testing.T) {
	golden := readGolden(t)
	var out strings.Builder
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := f.do(t)
				text := r.Outcome.String() + ": " + r.Err
				fmt.Fprintf(&out, "%s\n  %s\n", f.name, text)
				if os.Getenv("LLMBENCH_UPDATE") == "" {
					require.Equal(t, golden[f.name], text)
				}
				checkFault(t, r)
			})
		})
	}
	if os.Getenv("LLMBENCH_UPDATE") != "" {
		require.NoError(t, os.WriteFile(faultsGolden, []byte(out.String()), 0o644))
	}
}

func (f fault) do(t *testing.T) Reply {
	client, _ := serve(t, f.handler)
	call := Call{Client: client, URL: "http://mock/v1/chat/completions", Now: clock()}
	request := Request{Model: "m", Stream: true}
	if f.call != nil {
		f.call(&call)
	}
	if f.req != nil {
		f.req(&request)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if f.within > 0 {
		ctx, cancel = context.WithTimeout(ctx, f.within)
		defer cancel()
	}
	if f.cancel > 0 {
		time.AfterFunc(f.cancel, cancel)
	}
	return call.Do(ctx, request)
}

// checkFault holds what is true of every failure, whatever its text.
func checkFault(t *testing.T, r Reply) {
	t.Helper()
	require.NotEqual(t, OutcomeOK, r.Outcome)
	require.NotEmpty(t, r.Err)
	require.LessOrEqual(t, len(r.Err), textBound)
	require.NotContains(t, r.Err, "secret")
	require.NotContains(t, r.Server.Message, "secret")
	require.Equal(t, -1, strings.IndexFunc(r.Err, func(c rune) bool { return c < ' ' || c == 0x202e || c == 0xfffd }), r.Err)
	require.GreaterOrEqual(t, r.End, r.Sent)
	for _, c := range r.Chunks {
		require.LessOrEqual(t, c.At, r.End, "the end is never before the last chunk")
	}
	require.Equal(t, strings.Contains(r.Err, "load generator"), r.Generator)
}

func readGolden(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(faultsGolden)
	if os.Getenv("LLMBENCH_UPDATE") != "" {
		return nil
	}
	require.NoError(t, err)
	texts := map[string]string{}
	rows := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for pair := range slices.Chunk(rows, 2) {
		texts[pair[0]] = strings.TrimPrefix(pair[1], "  ")
	}
	return texts
}

// What needs a real socket: nobody listening, and TLS that does not fit.
func TestFaultTextsOfRealSockets(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.HandlerFunc(silence))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.HandlerFunc(silence))
	defer plain.Close()
	gone := httptest.NewServer(http.HandlerFunc(silence))
	gone.Close()
	for _, tt := range []struct{ why, url, want string }{
		{"nobody listens", gone.URL, "cannot reach URL: connection refused; is the server running, and is this its address and port?"},
		{"a certificate of one's own", secure.URL, "cannot trust URL: tls: failed to verify certificate: x509: certificate signed by unknown authority; give the server's authority as a root, or use its right name"},
		{"https to a plain port", "https" + strings.TrimPrefix(plain.URL, "http"), "URL does not speak TLS; did you mean http://?"},
	} {
		transport := NewTransport(1)
		call := Call{Client: &http.Client{Transport: transport}, URL: tt.url + "/v1/chat/completions"}
		r := call.Do(context.Background(), Request{})
		transport.CloseIdleConnections()
		require.Equal(t, OutcomeError, r.Outcome, tt.why)
		require.Equal(t, tt.want, strings.ReplaceAll(r.Err, tt.url, "URL"), tt.why)
		require.False(t, r.Generator)
	}
}
