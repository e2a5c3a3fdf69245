package pipenet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBytesArriveInOrderAndWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := Pipe()
		defer server.Close()
		sent := bytes.Repeat([]byte("0123456789abcdef"), Buffer/8) // twice the buffer: the writer must wait
		go func() {
			client.Write(sent)
			client.Close()
		}()
		got, err := io.ReadAll(server)
		require.NoError(t, err)
		require.True(t, bytes.Equal(sent, got), "%d bytes sent, %d read", len(sent), len(got))
	})
}

func TestEndsOfAConnection(t *testing.T) {
	rows := []struct {
		why  string
		shut func(c *Conn) error
		want error
	}{
		{"a close is an end of file, after what was written", (*Conn).Close, io.EOF},
		{"a reset is an error, after what was delivered", (*Conn).Reset, syscall.ECONNRESET},
	}
	for _, row := range rows {
		client, server := Pipe()
		_, err := server.Write([]byte("last words"))
		require.NoError(t, err)
		require.NoError(t, row.shut(server))
		got, err := io.ReadAll(client)
		require.Equal(t, "last words", string(got), row.why)
		if row.want == io.EOF {
			require.NoError(t, err, row.why) // ReadAll takes EOF for success
		} else {
			require.ErrorIs(t, err, row.want, row.why)
		}
		_, err = client.Write([]byte("x"))
		require.ErrorIs(t, err, syscall.EPIPE, row.why)
		_, err = server.Read(make([]byte, 1))
		require.ErrorIs(t, err, net.ErrClosed, row.why)
		_, err = server.Write([]byte("x"))
		require.ErrorIs(t, err, net.ErrClosed, row.why)
		client.Close()
	}
}

func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := Pipe()
		defer server.Close()
		defer client.Close()
		start := time.Now()

		client.SetReadDeadline(start.Add(time.Second))
		_, err := client.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, time.Second, time.Since(start))

		// A deadline set while Read waits must wake it.
		client.SetReadDeadline(time.Time{})
		go func() {
			time.Sleep(time.Second)
			client.SetReadDeadline(time.Now())
		}()
		_, err = client.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 2*time.Second, time.Since(start))

		// A full buffer makes Write wait, and a deadline ends that too.
		client.SetWriteDeadline(time.Now().Add(time.Second))
		n, err := client.Write(make([]byte, Buffer+1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, Buffer, n)
		require.Equal(t, 3*time.Second, time.Since(start))

		var timeout net.Error
		require.True(t, errors.As(err, &timeout) && timeout.Timeout())
	})
}

func TestTryWriteNeverWaits(t *testing.T) {
	client, server := Pipe()
	require.NoError(t, server.SetWriteBuffer(4))
	n, err := server.TryWrite([]byte("abcdef"))
	require.NoError(t, err)
	require.Equal(t, 4, n)
	n, err = server.TryWrite([]byte("ef"))
	require.NoError(t, err)
	require.Zero(t, n)
	require.Equal(t, 4, server.Unread())
	buf := make([]byte, 3)
	_, err = client.Read(buf)
	require.NoError(t, err)
	n, err = server.TryWrite([]byte("ef"))
	require.NoError(t, err)
	require.Equal(t, 2, n)
	client.Close()
	server.Close()
}

func TestDialAfterCloseIsRefused(t *testing.T) {
	l := Listen()
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
	_, err := l.Dial(context.Background())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestDialGivesUpWithItsContext(t *testing.T) {
	l := Listen()
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Dial(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkRoundTrip(b *testing.B) {
	b.ReportAllocs()
	client, server := Pipe()
	defer client.Close()
	defer server.Close()
	line := bytes.Repeat([]byte("x"), 200)
	buf := make([]byte, 4096)
	for b.Loop() {
		server.Write(line)
		client.Read(buf)
	}
}
