package http1

import (
	"bytes"
	"errors"
	"strconv"
)

var (
	errChunk   = errors.New("malformed chunked encoding")
	errTrailer = errors.New("trailer too long")
)

// maxLine bounds the line of a chunk's size with its extensions, and a trailer's.
// maxTrailer bounds the trailer, which is thrown away.
const (
	maxLine    = 4 << 10
	maxTrailer = 64 << 10
)

// dechunker takes the chunked transfer coding (RFC 9112, section 7.1) off bytes
// as they come, cut anywhere.
type dechunker struct {
	left    uint64 // of the chunk's data
	state   chunkState
	line    []byte // a line that is not complete yet
	trailer int    // bytes of it
}

type chunkState uint8

const (
	inSize chunkState = iota
	inData
	afterData
	inTrailer
	chunksOver
)

// take moves the data to the front of p and returns it with what follows the
// last chunk, if that was seen: data is never longer than what it came in.
func (d *dechunker) take(p []byte) (data, rest []byte, err error) {
	n := 0
	for in := p; ; {
		switch {
		case d.state == chunksOver:
			return p[:n], in, nil
		case len(in) == 0:
			return p[:n], nil, nil
		case d.state == inData:
			some := int(min(d.left, uint64(len(in))))
			n += copy(p[n:], in[:some])
			in = in[some:]
			if d.left -= uint64(some); d.left == 0 {
				d.state = afterData
			}
		default:
			line, after, whole := bytes.Cut(in, []byte{'\n'})
			if in = after; !whole || len(d.line) > 0 {
				if d.line = append(d.line, line...); len(d.line) > maxLine {
					return p[:n], nil, errChunk
				}
				line = d.line
			}
			if !whole {
				return p[:n], nil, nil
			}
			if err := d.step(bytes.TrimSuffix(line, []byte{'\r'})); err != nil {
				return p[:n], nil, err
			}
			d.line = d.line[:0]
		}
	}
}

// step takes one line.
func (d *dechunker) step(line []byte) error {
	switch d.state {
	case inSize:
		size, ok := chunkSize(line)
		if !ok {
			return errChunk
		}
		d.left, d.state = size, inData
		if size == 0 {
			d.state = inTrailer
		}
	case afterData:
		if len(line) > 0 {
			return errChunk
		}
		d.state = inSize
	case inTrailer:
		if len(line) == 0 {
			d.state = chunksOver
			d.line = nil
			return nil
		}
		if d.trailer += len(line); d.trailer > maxTrailer {
			return errTrailer
		}
	}
	return nil
}

// chunkSize reads the hexadecimal number before the extensions.
func chunkSize(line []byte) (uint64, bool) {
	line, _, _ = bytes.Cut(line, []byte{';'})
	n, err := strconv.ParseUint(string(bytes.TrimRight(line, " \t")), 16, 60)
	return n, err == nil
}
