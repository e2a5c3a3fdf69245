package gateway

import (
	"io"
	"net/http"
)

// inProcess is a transport that calls a handler where others would dial: the
// gateway without its sockets, which do not work in a synctest bubble.
type inProcess struct{ handler http.Handler }

// RoundTrip returns when the handler has sent its headers; the body follows as
// the handler writes it.
func (p inProcess) RoundTrip(request *http.Request) (*http.Response, error) {
	body, out := io.Pipe()
	w := &reply{header: http.Header{}, sent: make(chan int, 1), out: out}
	go func() {
		p.handler.ServeHTTP(w, request)
		w.WriteHeader(http.StatusOK)
		_ = out.Close()
	}()
	return &http.Response{
		StatusCode: <-w.sent, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header.Clone(), Body: body, ContentLength: -1, Request: request,
	}, nil
}

// reply is the handler's side.
type reply struct {
	header  http.Header
	started bool
	sent    chan int
	out     *io.PipeWriter
}

func (w *reply) Header() http.Header { return w.header }

func (w *reply) WriteHeader(status int) {
	if !w.started {
		w.started = true
		w.sent <- status
	}
}

func (w *reply) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(b)
}

// Flush has nothing to do: every Write is with the reader when it returns.
func (w *reply) Flush() { w.WriteHeader(http.StatusOK) }
