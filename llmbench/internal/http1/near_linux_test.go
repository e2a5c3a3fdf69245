package http1

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A loopback address written as a number is reached without package net, which
// finds all others and says why there is no way.
func TestNear(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "[::1]:0"} {
		listener, err := net.Listen("tcp", listen)
		if err != nil && listen == "[::1]:0" {
			t.Logf("no loopback of version 6 here: %v", err)
			continue
		}
		require.NoError(t, err)
		address := listener.Addr().String()
		var steps []string
		trace := &httptrace.ClientTrace{
			ConnectStart: func(network, a string) { steps = append(steps, "start "+network+" "+a) },
			ConnectDone: func(network, a string, err error) {
				steps = append(steps, "done "+network+" "+a)
				require.NoError(t, err)
			},
		}
		s, ok := near(t.Context(), "tcp", address, trace)
		require.True(t, ok, address)
		s.poller = new(poller)
		accepted, err := listener.Accept()
		require.NoError(t, err)
		require.Equal(t, accepted.RemoteAddr().String(), s.local.String())
		require.Equal(t, accepted.LocalAddr().String(), s.remote.String())
		require.Equal(t, []string{"start tcp " + address, "done tcp " + address}, steps)
		s.close()
		accepted.Close()
		listener.Close()

		var failed error
		open := openFiles(t)
		trace = &httptrace.ClientTrace{ConnectDone: func(_, _ string, err error) { failed = err }}
		_, ok = near(t.Context(), "tcp", address, trace)
		require.False(t, ok, "nobody listens any more")
		require.Equal(t, open, openFiles(t))
		require.ErrorContains(t, failed, "connect: connection refused")
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	trace := &httptrace.ClientTrace{ConnectStart: func(_, address string) { t.Errorf("dials %s", address) }}
	for _, far := range []struct {
		ctx              context.Context
		network, address string
	}{{t.Context(), "tcp", "localhost:80"}, {t.Context(), "tcp", "192.0.2.1:80"}, {t.Context(), "unix", "127.0.0.1:80"}, {left, "tcp", "127.0.0.1:80"}} {
		_, ok := near(far.ctx, far.network, far.address, trace)
		require.False(t, ok, "%+v", far)
	}
}

// A client takes the near way: the far one is closed here.
func TestNearIsTaken(t *testing.T) {
	address, _ := server(t, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false))
	closed := &net.Dialer{Control: func(string, string, syscall.RawConn) error { return errors.New("closed") }}
	client := New(Options{Dialer: closed})
	defer client.CloseIdle()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, nil)
	require.NoError(t, err)
	var got seen
	require.NoError(t, client.Send(request, &got))
	require.Equal(t, 200, got.status)
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	request.URL.Host = "localhost:" + port
	require.ErrorContains(t, client.Send(request, &got), "closed")
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(names)
}
