package llmbench_test

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/mock"
)

// BenchmarkFloor reads the streams of BenchmarkRun on raw epoll, from one thread,
// and parses nothing: each read is taken for one event. No client can cost less
// than its system calls.
func BenchmarkFloor(b *testing.B) {
	for _, c := range crowds {
		b.Run(c.String(), func(b *testing.B) {
			server := elsewhere(b, mock.Script{TTFT: crowdTTFT, ITL: c.itl()})
			address, err := url.Parse(server.URL)
			require.NoError(b, err)
			for b.Loop() {
				before := cpu(b)
				f := newFloor(b, c, address.Host)
				f.run(b)
				f.cpu = cpu(b) - before
				f.measured.report(b, c)
			}
		})
	}
}

type floor struct {
	measured
	crowd
	poll    int
	began   time.Time
	streams []floorStream
	places  map[int32]int
}

type floorStream struct {
	fd         int
	sent, last time.Duration
	reads      int
}

// newFloor connects all streams before the clock starts, as a client whose
// connections are warm.
func newFloor(b *testing.B, c crowd, host string) *floor {
	address, err := net.ResolveTCPAddr("tcp4", host)
	require.NoError(b, err)
	to := &syscall.SockaddrInet4{Port: address.Port, Addr: [4]byte(address.IP.To4())}
	poll, err := syscall.EpollCreate1(0)
	require.NoError(b, err)
	f := &floor{crowd: c, poll: poll, places: map[int32]int{}, streams: make([]floorStream, c.streams)}
	for i := range f.streams {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
		require.NoError(b, err)
		require.NoError(b, syscall.Connect(fd, to))
		require.NoError(b, syscall.SetNonblock(fd, true))
		require.NoError(b, syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}))
		f.streams[i].fd, f.places[int32(fd)] = fd, i
	}
	return f
}

// run sends the requests a second apart from first to last and reads until all
// are over.
func (f *floor) run(b *testing.B) {
	body := fmt.Sprintf(`{"messages":[{"role":"user","content":"%s"}],"max_completion_tokens":%d,"stream":true}`,
		strings.Repeat("word ", 16), f.tokens())
	request := fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: mock\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	f.began = time.Now()
	buffer, events := make([]byte, 64<<10), make([]syscall.EpollEvent, 256)
	for sent, over := 0, 0; over < len(f.streams); {
		now := time.Since(f.began)
		for ; sent < len(f.streams) && now >= time.Duration(sent)*time.Second/time.Duration(len(f.streams)); sent++ {
			_, err := syscall.Write(f.streams[sent].fd, request)
			require.NoError(b, err)
			f.streams[sent].sent = now
		}
		wait := 1000
		if sent < len(f.streams) {
			wait = 1
		}
		n, err := syscall.EpollWait(f.poll, events, wait)
		if err != syscall.EINTR {
			require.NoError(b, err)
		}
		for _, e := range events[:max(n, 0)] {
			if f.read(&f.streams[f.places[e.Fd]], buffer) {
				over++
			}
		}
	}
	require.NoError(b, syscall.Close(f.poll))
}

// read takes what is there; true when the stream is over.
func (f *floor) read(s *floorStream, buffer []byte) bool {
	n, err := syscall.Read(s.fd, buffer)
	if err == syscall.EAGAIN {
		return false
	}
	if n <= 0 {
		syscall.Close(s.fd)
		return true
	}
	at := time.Since(f.began)
	s.reads++
	switch {
	case s.reads == 1: // headers and the role
	case s.last == 0:
		f.ttft = append(f.ttft, at-s.sent-crowdTTFT)
		s.last = at
		f.events++
	case s.reads <= f.tokens():
		f.gaps = append(f.gaps, (at - s.last - f.itl()).Abs())
		s.last = at
		f.events++
	}
	return false
}

func cpu(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
