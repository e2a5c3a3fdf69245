package http1

import (
	"io"
	"net/http"
)

// framing finds a body's end (RFC 9112, section 6.3): by chunks, by a length, or
// by the connection's end.
type framing struct {
	chunks  dechunker
	chunked bool
	left    int64 // below 0: to the connection's end
}

func framingOf(response *http.Response) framing {
	f := framing{left: response.ContentLength}
	if codings := response.TransferEncoding; len(codings) > 0 && codings[0] == "chunked" {
		f.chunked = true
	}
	return f
}

// take returns what of p is the body, and what follows it.
func (f *framing) take(p []byte) (body, rest []byte, err error) {
	switch {
	case f.chunked:
		return f.chunks.take(p)
	case f.left < 0:
		return p, nil, nil
	}
	n := min(f.left, int64(len(p)))
	f.left -= n
	return p[:n], p[n:], nil
}

// over reports whether the end was seen.
func (f *framing) over() bool {
	if f.chunked {
		return f.chunks.state == chunksOver
	}
	return f.left == 0
}

// closed is what the connection's end means for the body.
func (f *framing) closed() error {
	if f.chunked || f.left > 0 {
		return io.ErrUnexpectedEOF
	}
	return nil
}
