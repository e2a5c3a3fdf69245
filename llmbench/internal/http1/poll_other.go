//go:build !linux

package http1

import (
	"context"
	"errors"
	"net"
	"net/http/httptrace"
)

// Other systems have pollers too; until somebody measures them, net/http serves
// there.

var errAgain = errors.New("not ready")

type poller struct{}

func newPollers() []*poller { return nil }

func (p *poller) size() int { return 0 }

type socket struct{ poller *poller }

func near(context.Context, string, string, *httptrace.ClientTrace) (s socket, ok bool) {
	return s, false
}

func taken(net.Conn) (socket, error) { return socket{}, errors.ErrUnsupported }

func (s *socket) watch(*conn) error         { return errors.ErrUnsupported }
func (s *socket) read([]byte) (int, error)  { return 0, errors.ErrUnsupported }
func (s *socket) write([]byte) (int, error) { return 0, errors.ErrUnsupported }
func (s *socket) writable() <-chan struct{} { return nil }
func (s *socket) close()                    {}
