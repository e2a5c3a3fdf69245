package mock

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
)

// chunked reports whether the body is sent in HTTP chunks: to HTTP/1.0 it ends
// with the connection.
func (s *stream) chunked() bool { return s.streamed() && s.conn.http11 }

// appendBody frames a piece of the body for HTTP.
func (s *stream) appendBody(b, body []byte) []byte {
	if !s.chunked() {
		return append(b, body...)
	}
	if len(body) > 0 {
		b = strconv.AppendUint(b, uint64(len(body)), 16)
		b = append(b, "\r\n"...)
		b = append(b, body...)
		b = append(b, "\r\n"...)
	}
	if s.ended && s.conn.finish == End {
		b = append(b, "0\r\n\r\n"...)
	}
	return b
}

// appendHead appends status line and headers; length -1 is a stream.
func (s *stream) appendHead(b []byte, length int) []byte {
	status := s.status()
	b = append(b, "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, ' ')
	b = append(b, http.StatusText(status)...)
	b = append(b, "\r\n"...)
	if s.reply.Header.Get("Content-Type") == "" {
		b = appendHeader(b, "Content-Type", s.contentType(length))
	}
	b = s.appendFraming(b, length)
	for _, name := range slices.Sorted(maps.Keys(s.reply.Header)) {
		for _, v := range s.reply.Header[name] {
			b = appendHeader(b, name, v)
		}
	}
	return append(b, "\r\n"...)
}

// contentType: what is not a stream is JSON in all of the APIs.
func (s *stream) contentType(length int) string {
	if length < 0 {
		return s.wire.stream
	}
	return "application/json"
}

// appendFraming says how the body ends. There is no Date: it would make the bytes
// of two runs in real time differ for nothing.
func (s *stream) appendFraming(b []byte, length int) []byte {
	switch {
	case length >= 0:
		b = appendHeader(b, "Content-Length", strconv.Itoa(length))
	case s.chunked():
		b = appendHeader(b, "Cache-Control", "no-cache")
		b = appendHeader(b, "Transfer-Encoding", "chunked")
	}
	if !s.conn.keep {
		b = appendHeader(b, "Connection", "close")
	}
	return b
}

func appendHeader(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}
