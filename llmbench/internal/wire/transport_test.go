package wire

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

func dialAfter(p *pipes, wait time.Duration) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		time.Sleep(wait)
		return p.DialContext(ctx, network, address)
	}
}

// A request whose own dial loses against a connection that became free has no
// connect time: the dial was not on its way.
func TestLostDialIsNoConnectTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, p := callTo(t, at(10*time.Millisecond, "eof", aChunk, aFinish, aDone).play)
		slowDial := dialAfter(p, 20*time.Millisecond)
		call.Client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			hooks := httptrace.ContextClientTrace(ctx)
			hooks.ConnectStart(network, address)
			defer hooks.ConnectDone(network, address, nil)
			return slowDial(ctx, network, address)
		}
		first := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, Some(20*time.Millisecond), first.Trace.Connect)
		var all sync.WaitGroup
		all.Go(func() { call.Do(context.Background(), Request{Stream: true}) })
		synctest.Wait() // the first connection is taken
		time.Sleep(25 * time.Millisecond)
		second := call.Do(context.Background(), Request{Stream: true}) // it is free after 5 ms, the dial done after 20
		all.Wait()
		require.Equal(t, Some(true), second.Trace.Reused)
		require.Equal(t, 5*time.Millisecond, second.Headers.V-second.Sent)
		require.False(t, second.Trace.Connect.Known)
		time.Sleep(time.Second) // the dial that lost ends
	})
}

// Case 108: n requests one after another use one connection, k users use k.
func TestConnectionsAreReused(t *testing.T) {
	scenario := readJSON[struct {
		Workers  int
		Requests int `json:"requests_per_worker"`
	}](t, "testdata/cases/108-connection-reuse/scenario.json")
	want := readJSON[struct {
		Max int32 `json:"max_new_connections"`
	}](t, "testdata/cases/108-connection-reuse/expected.json")
	for _, workers := range []int{1, scenario.Workers} {
		synctest.Test(t, func(t *testing.T) {
			call, p := callTo(t, at(time.Millisecond, "eof", aChunk, aFinish, aDone).play)
			var all sync.WaitGroup
			for range workers {
				all.Go(func() {
					for i := range scenario.Requests {
						r := call.Do(context.Background(), Request{Stream: true})
						if r.Outcome != OutcomeOK || r.Trace.Reused != Some(i > 0) {
							t.Errorf("request %d: %v, reused %v: %s", i, r.Outcome, r.Trace.Reused, r.Err)
						}
					}
				})
			}
			all.Wait()
			require.Equal(t, int32(workers), p.dialed.Load())
			require.LessOrEqual(t, p.dialed.Load(), want.Max)
		})
	}
}

// Error pages, whole replies and refusals leave their connections usable too.
func TestConnectionsAreReusedAfterFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replies := []http.HandlerFunc{
			reply(500, "Content-Type: text/plain", "crash"), reply(429, "Retry-After: 1", "{}"),
			reply(200, "Content-Type: application/json", `{"choices":[]}`), stream("eof", "data: {\n\n", aDone), stream("eof", aChunk),
		}
		i := 0
		call, p := callTo(t, func(w http.ResponseWriter, r *http.Request) { replies[i](w, r) })
		for i = range replies {
			r := call.Do(context.Background(), Request{Stream: true})
			require.NotEqual(t, OutcomeOK, r.Outcome)
		}
		require.Equal(t, int32(1), p.dialed.Load())
	})
}

func TestTransportDefaults(t *testing.T) {
	tr := NewTransport(50)
	require.Equal(t, 50, tr.MaxIdleConnsPerHost)
	require.Equal(t, 50, tr.MaxConnsPerHost)
	require.Zero(t, tr.MaxIdleConns, "no other limit is in the way")
	require.Zero(t, NewTransport(0).MaxConnsPerHost, "no bound where none is known")
	require.True(t, tr.DisableCompression)
	require.Zero(t, tr.ResponseHeaderTimeout, "a long queue is no fault")
	require.False(t, tr.Protocols.HTTP2() || tr.Protocols.UnencryptedHTTP2())
	require.Equal(t, 1024, NewTransport(0).MaxIdleConnsPerHost)
}

// The environment's proxy is for the outside; a server on this machine is
// reached directly.
func TestNoProxyForLoopback(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1:8000/", "http://localhost:8000/", "http://[::1]:8000/"} {
		r := httptest.NewRequest("POST", url, nil)
		proxy, err := NewTransport(1).Proxy(r)
		require.NoError(t, err)
		require.Nil(t, proxy, url)
	}
}

// Real servers, for what only a real socket can show.
func TestRealSockets(t *testing.T) {
	streaming := http.HandlerFunc(stream("eof", aChunk, aFinish, aDone))
	tlsServer := httptest.NewTLSServer(streaming)
	defer tlsServer.Close()
	roots := x509.NewCertPool()
	roots.AddCert(tlsServer.Certificate())

	h2Server := httptest.NewUnstartedServer(streaming)
	h2Server.EnableHTTP2 = true
	h2Server.StartTLS()
	defer h2Server.Close()

	h2cServer := httptest.NewUnstartedServer(streaming)
	h2cServer.Config.Protocols = new(http.Protocols)
	h2cServer.Config.Protocols.SetUnencryptedHTTP2(true)
	h2cServer.Start()
	defer h2cServer.Close()

	socket := filepath.Join(socketFolder(t), "llm.sock")
	unixServer := serveOn(t, "unix", socket, streaming)
	defer unixServer.Close()

	for _, tt := range []struct {
		why, url string
		options  TransportOptions
		tls      bool
	}{
		{"TLS with a custom root", tlsServer.URL, TransportOptions{RootCAs: roots}, true},
		{"HTTP/2 over TLS", h2Server.URL, TransportOptions{RootCAs: certPool(h2Server), HTTP2: true}, true},
		{"HTTP/2 with prior knowledge", h2cServer.URL, TransportOptions{HTTP2: true}, false},
		{"a unix socket", "http://any-name", TransportOptions{UnixSocket: socket}, false},
	} {
		transport := tt.options.New()
		call := Call{Client: &http.Client{Transport: transport}, URL: tt.url + "/v1/chat/completions"}
		r := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, OutcomeOK, r.Outcome, "%s: %s", tt.why, r.Err)
		require.Equal(t, tt.tls, r.Trace.TLS.Known, tt.why)
		require.True(t, r.Trace.Connect.Known, tt.why)
		r = call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, Some(true), r.Trace.Reused, tt.why)
		require.False(t, r.Trace.Connect.Known || r.Trace.TLS.Known, "%s: a reused connection was not dialled", tt.why)
		transport.CloseIdleConnections()
	}
}

func TestIPv6(t *testing.T) {
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6 loopback: ", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(stream("eof", aChunk, aFinish, aDone))}
	go server.Serve(listener)
	defer server.Close()
	url, _, err := JoinURL("http://"+listener.Addr().String(), OpenAIChat().Path())
	require.NoError(t, err)
	transport := NewTransport(1)
	defer transport.CloseIdleConnections()
	r := Call{Client: &http.Client{Transport: transport}, URL: url}.Do(context.Background(), Request{Stream: true})
	require.Equal(t, OutcomeOK, r.Outcome, r.Err)
}

func certPool(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

// socketFolder is short: a socket's path has a hundred bytes at most.
func socketFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "wire")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

func serveOn(t *testing.T, network, address string, h http.Handler) *http.Server {
	t.Helper()
	listener, err := net.Listen(network, address)
	require.NoError(t, err)
	server := &http.Server{Handler: h}
	go server.Serve(listener)
	return server
}

// Models are listed by each API in its own shape, and failures say where.
func TestModels(t *testing.T) {
	for _, tt := range []struct {
		why  string
		api  Protocol
		path string
		body string
		want []string
	}{
		{"OpenAI and most others", OpenAIChat(), "/v1/models", `{"object":"list","data":[{"id":"m1"},{"id":"m2"},{}]}`, []string{"m1", "m2"}},
		{"Ollama", OllamaChat(), "/api/tags", `{"models":[{"name":"llama:1b"}]}`, []string{"llama:1b"}},
		{"TGI serves one", TGI(), "/info", `{"model_id":"org/m","version":"3"}`, []string{"org/m"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var path, key string
			client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				path, key = r.URL.Path, r.Header.Get("Authorization")
				whole("application/json", tt.body).play(w, r)
			})
			header := http.Header{"Authorization": {"Bearer sk-secret-key"}}
			got, err := Models(context.Background(), client, tt.api, "http://mock/v1", header)
			require.NoError(t, err, tt.why)
			require.Equal(t, tt.want, got, tt.why)
			require.Equal(t, tt.path, path)
			require.Equal(t, "Bearer sk-secret-key", key)
		})
	}
}

func TestModelsRefuses(t *testing.T) {
	for _, tt := range []struct {
		why, body string
		status    int
		want      string
	}{
		{"no models", `{"data":[]}`, 200, "wire: models: GET http://mock/v1/models lists no model"},
		{"no listing", `{"detail":"Not Found"}`, 404, `wire: models: GET http://mock/v1/models: HTTP 404: {"detail":"Not Found"}`},
		{"the key is not repeated", "bad key sk-secret-key", 401, "wire: models: GET http://mock/v1/models: HTTP 401: bad key [redacted]"},
		{"a page", "<h1>hi</h1>", 200, "wire: models: GET http://mock/v1/models: invalid character '<' looking for beginning of value"},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, _ := serve(t, reply(tt.status, "Content-Type: application/json", tt.body))
			_, err := Models(context.Background(), client, OpenAIChat(), "http://mock", http.Header{"Authorization": {"Bearer sk-secret-key"}})
			require.EqualError(t, err, tt.want, tt.why)
		})
	}
}
