package llmbench_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

const frame = `data: {"choices":[{"index":0,"delta":{"content":"one"}}]}` + "\n\n"

// What people get wrong, and what servers do wrong: the request ends with one
// outcome, its record says what happened and what to try, and Do returns.
func TestEveryFailureIsOneRecordThatExplainsItself(t *testing.T) {
	for _, row := range []struct {
		why     string
		path    string
		handle  http.HandlerFunc
		outcome llmbench.Outcome
		status  int
		says    []string
	}{
		{"wrong path of the URL", "/nowhere/v1",
			func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) },
			llmbench.Error, 404, []string{"404", "/nowhere/v1/chat/completions"}},
		{"an HTML page of a proxy in between", "/v1",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(http.StatusBadGateway)
				fmt.Fprint(w, "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>")
			},
			llmbench.Error, 502, []string{"502", "Bad Gateway"}},
		{"no key", "/v1",
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(w, `{"error":{"message":"no key given","type":"invalid_request_error"}}`)
			},
			llmbench.Error, 401, []string{"401", "no key given", "API key"}},
		{"shed", "/v1",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(http.StatusTooManyRequests)
			},
			llmbench.Rejected, 429, []string{"429", "7s"}},
		{"a 200 that is no stream and no reply", "/v1",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, "<html><title>It works</title></html>")
			},
			llmbench.Error, 200, []string{"200", "text/html"}},
		{"cut in the middle: a clean end without finish reason and [DONE]", "/v1",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, frame)
			},
			llmbench.Incomplete, 200, []string{"without"}},
		{"cut in the middle: the connection breaks", "/v1",
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, frame)
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			},
			llmbench.Error, 200, []string{"stream"}},
		{"hostile text reaches no terminal", "/v1",
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusInternalServerError)
				fmt.Fprint(w, `{"error":{"message":"\u001b[2Jgone`+strings.Repeat("x", 1<<20)+`"}}`)
			},
			llmbench.Error, 500, []string{"500", "gone"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			server := httptest.NewServer(row.handle)
			defer server.Close()
			result, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: server.URL + row.path, Model: "m"},
				llmbench.Profile{Requests: 2, Output: llmbench.Tokens(5)})
			require.NoError(t, err, "a failed request is data")
			require.Len(t, result.Records, 2)
			for _, r := range result.Records {
				require.Equal(t, row.outcome, r.Outcome, r.Error)
				require.Equal(t, row.status, r.Status)
				require.True(t, r.Sent.Ok() && r.End.Ok(), "instants are kept")
				for _, word := range row.says {
					require.Contains(t, r.Error, word)
				}
				require.NotContains(t, r.Error, "\x1b")
				require.Less(t, len(r.Error), 600)
			}
			require.NotEmpty(t, result.Stats(llmbench.TTFT).Absent())
			require.Contains(t, result.String(), "failed     first r0: ")
		})
	}
}

func TestUnreachableServerIsAnErrorThatNamesIt(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := gone.Addr().String()
	require.NoError(t, gone.Close())
	result, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: "http://" + address}, llmbench.Profile{Requests: 3})
	require.NoError(t, err)
	require.Equal(t, 3, result.Counts.Error)
	require.Contains(t, result.Records[0].Error, address)
	require.Contains(t, result.Records[0].Error, "refused")
}

// located is a target of another package; nowhere is one that does not say
// where it is.
type located struct{ *httptest.Server }

func (l located) URL() string { return l.Server.URL + "/v1" }

type nowhere struct{}

func (nowhere) Client() *http.Client { return nil }

func TestTargetErrors(t *testing.T) {
	for _, row := range []struct {
		why    string
		target llmbench.Target
		want   string
	}{
		{"nil", nil, "llmbench: target is nil, want a server such as llmbench.Endpoint{URL: ...}"},
		{"no URL", llmbench.Endpoint{}, "llmbench: target: URL is empty, want the API base such as http://host:8000/v1"},
		{"no scheme", llmbench.Endpoint{URL: "localhost:8000"}, `llmbench: target: URL is "localhost:8000", want http:// or https:// and a host`},
		{"a password stays out of the text", llmbench.Endpoint{URL: "ftp://u:secret@host/x?key=secret"}, `llmbench: target: URL is "ftp://host/x", want http:// or https:// and a host`},
		{"unknown API", llmbench.Endpoint{URL: "http://h", API: "soap"}, `API is "soap", want one of`},
		{"key not set", llmbench.Endpoint{URL: "http://h", KeyFrom: "LLMBENCH_NO_SUCH_KEY"}, "llmbench: target: KeyFrom names LLMBENCH_NO_SUCH_KEY, which is not set in the environment"},
		{"a target that does not say where", nowhere{}, "llmbench: target: llmbench_test.nowhere has no method URL() string, want one, or an llmbench.Endpoint{URL: ...}"},
	} {
		result, err := llmbench.Do(t.Context(), row.target, llmbench.Profile{Requests: 1})
		require.Nil(t, result, row.why)
		require.ErrorContains(t, err, row.want, row.why)
	}
}

// The key goes to the server and nowhere else: not into the result, its JSON
// or its text, even when the server plays it back.
func TestKeyIsSentAndNeverShown(t *testing.T) {
	const key = "sk-canary-5309"
	t.Setenv("LLMBENCH_TEST_KEY", key)
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"error":{"message":"key %s is not allowed"}}`, key)
	}))
	defer server.Close()
	result, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: server.URL, KeyFrom: "LLMBENCH_TEST_KEY"}, llmbench.Profile{Requests: 1})
	require.NoError(t, err)
	require.Equal(t, "Bearer "+key, got)
	var lines strings.Builder
	require.NoError(t, llmbench.WriteRecords(&lines, result.Records))
	json, err := result.MarshalJSON()
	require.NoError(t, err)
	for _, text := range []string{result.String(), lines.String(), string(json)} {
		require.NotContains(t, text, "canary")
	}
	require.NotEmpty(t, os.Getenv("LLMBENCH_TEST_KEY"))
}

func TestURLIsPutRightAndSaid(t *testing.T) {
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.RequestURI()
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`)
	}))
	defer server.Close()
	for _, row := range []struct{ why, base, want, note string }{
		{"case 117: a path is kept", "/team/m1", "/team/m1/v1/chat/completions", "added /v1"},
		{"a trailing slash", "/v1/", "/v1/chat/completions", ""},
		{"a query is kept", "/v1?k=v", "/v1/chat/completions?k=v", ""},
	} {
		result, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: server.URL + row.base}, llmbench.Profile{Requests: 1})
		require.NoError(t, err, row.why)
		require.Equal(t, row.want, path, row.why)
		require.Equal(t, llmbench.OK, result.Records[0].Outcome, "JSON for a stream request is a reply that was not streamed")
		require.False(t, result.Records[0].Streamed)
		require.Contains(t, strings.Join(result.Environment.Notes, ";"), row.note, row.why)
	}
	result, err := llmbench.Do(t.Context(), located{server}, llmbench.Profile{Requests: 1})
	require.NoError(t, err)
	require.Equal(t, 1, result.Counts.OK)
}

// A target without a model takes what the server lists; one with a model asks
// nothing.
func TestModelIsDiscovered(t *testing.T) {
	var asked int
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			asked++
			fmt.Fprint(w, `{"data":[{"id":"first"},{"id":"second"}]}`)
			return
		}
		sent, _ := io.ReadAll(r.Body)
		body = string(sent)
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	result, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: server.URL}, llmbench.Profile{Requests: 2})
	require.NoError(t, err)
	require.Contains(t, body, `"model":"first"`)
	require.Contains(t, result.Environment.Notes, `no model was named, "first" is the first of 2 that the server lists`)
	_, err = llmbench.Do(t.Context(), llmbench.Endpoint{URL: server.URL, Model: "mine"}, llmbench.Profile{Requests: 1})
	require.NoError(t, err)
	require.Contains(t, body, `"model":"mine"`)
	require.Equal(t, 1, asked)
}

func TestRealSocketInABubbleIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: "http://127.0.0.1:1", Model: "m"}, llmbench.Profile{Requests: 1})
		require.ErrorContains(t, err, "a real socket stops the clock of a testing/synctest bubble for ever")
	})
}

func TestUnixSocketAndHTTP2(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engine.sock")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	var protocol string
	server := &http.Server{Protocols: new(http.Protocols), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol = r.Proto
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}]}`)
	})}
	server.Protocols.SetUnencryptedHTTP2(true)
	go server.Serve(listener)
	defer server.Close()
	result, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: "http://engine", Model: "m", UnixSocket: path, HTTP2: true}, llmbench.Profile{Requests: 1})
	require.NoError(t, err)
	require.Equal(t, 1, result.Counts.OK, result.String())
	require.Equal(t, "HTTP/2.0", protocol)
}
