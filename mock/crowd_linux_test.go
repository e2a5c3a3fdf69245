package mock

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCrowdProcess is the client of TestRealTime. It opens all streams within half
// a second and reads them from one thread, by epoll, so that it takes as little
// as can be of the processors that the server is measured on.
func TestCrowdProcess(t *testing.T) {
	var c crowdReader
	var addr string
	if n, _ := fmt.Sscan(os.Getenv("LLMBENCH_MOCK_CROWD"), &addr, &c.streams, &c.tokens); n < 3 {
		t.Skip("started by TestRealTime")
	}
	to, err := net.ResolveTCPAddr("tcp4", addr)
	require.NoError(t, err)
	c.to = syscall.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())}
	c.run(t)
	t.Logf("read %d tokens", c.read)
}

// crowdReader reads streams and counts their tokens.
type crowdReader struct {
	to              syscall.SockaddrInet4
	streams, tokens int
	read            int
	tails           map[int32][]byte // the last bytes of each stream: a token's words may come in two reads
}

const crowdSpread = 500 * time.Millisecond

func (c *crowdReader) run(t *testing.T) {
	poll, err := syscall.EpollCreate1(0)
	require.NoError(t, err)
	defer syscall.Close(poll)
	c.tails = map[int32][]byte{}
	began, events := time.Now(), make([]syscall.EpollEvent, 256)
	for opened, over := 0, 0; over < c.streams; {
		for ; opened < c.streams && time.Since(began) >= crowdSpread*time.Duration(opened)/time.Duration(c.streams); opened++ {
			c.open(t, poll)
		}
		wait := 1000
		if opened < c.streams {
			wait = 1
		}
		n, err := syscall.EpollWait(poll, events, wait)
		if err != syscall.EINTR {
			require.NoError(t, err)
		}
		for _, e := range events[:max(n, 0)] {
			over += c.take(e.Fd)
		}
	}
}

func (c *crowdReader) open(t *testing.T, poll int) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	require.NoError(t, syscall.Connect(fd, &c.to))
	body := ask(1, c.tokens, "")
	_, err = syscall.Write(fd, fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	require.NoError(t, err)
	require.NoError(t, syscall.SetNonblock(fd, true))
	require.NoError(t, syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}))
}

var crowdBuffer [8 << 10]byte

// take reads once, and returns 1 where the stream is over.
func (c *crowdReader) take(fd int32) int {
	token := []byte(`"delta":{"content":"`)
	kept := copy(crowdBuffer[:], c.tails[fd])
	n, err := syscall.Read(int(fd), crowdBuffer[kept:])
	if err == syscall.EAGAIN || err == syscall.EINTR {
		return 0
	}
	if n <= 0 {
		syscall.Close(int(fd))
		return 1
	}
	seen := crowdBuffer[:kept+n]
	c.read += bytes.Count(seen, token)
	c.tails[fd] = append(c.tails[fd][:0], seen[max(0, len(seen)-len(token)+1):]...)
	return 0
}
