package wire

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"github.com/llmbench/go/llmbench/internal/http1"
)

// body undoes a compression that nobody asked for.
func (x *exchange) body(response *http.Response) (io.Reader, error) {
	encoding := compression(response)
	if encoding == "gzip" {
		x.raw = &counter{in: response.Body}
		return gzip.NewReader(x.raw)
	}
	return response.Body, unknownCompression(encoding)
}

// compression is gzip, empty for none, or a name that nobody here knows.
func compression(response *http.Response) string {
	switch name := strings.ToLower(strings.TrimSpace(response.Header.Get("Content-Encoding"))); name {
	case "identity":
		return ""
	case "x-gzip":
		return "gzip"
	default:
		return name
	}
}

func unknownCompression(name string) error {
	if name == "" {
		return nil
	}
	return &encodingError{name}
}

// counter counts the bytes that came before they are decompressed.
type counter struct {
	in io.Reader
	n  int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// encodingError is a Content-Encoding that nobody asked for and that is not
// undone here.
type encodingError struct{ name string }

func (e *encodingError) Error() string { return "Content-Encoding " + e.name }

// unpacking undoes a compression, which wants to read: in a goroutine, behind a
// pipe. The poller waits for it, and it never waits for the network.
type unpacking struct {
	in   *io.PipeWriter
	done chan error
}

func newUnpacking(x *exchange) *unpacking {
	out, in := io.Pipe()
	u := &unpacking{in: in, done: make(chan error, 1)}
	x.raw = &counter{in: out}
	go func() {
		plain, err := gzip.NewReader(x.raw)
		if err == nil {
			err = x.read(plain)
		}
		out.CloseWithError(http1.Enough) // also where nobody reads to the end
		u.done <- err
	}()
	return u
}

func (u *unpacking) take(p []byte) error {
	_, err := u.in.Write(p)
	return err
}

// finish returns how reading ended, once it has: err is how the bytes did.
func (u *unpacking) finish(err error) error {
	u.in.CloseWithError(err)
	return <-u.done
}
