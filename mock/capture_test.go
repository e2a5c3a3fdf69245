package mock

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const savedLine = `{"schema":"llmbench.capture/v1","status":200,"header":{"Content-Type":["text/event-stream"],"X-Odd":["yes"],"Transfer-Encoding":["chunked"]},` +
	`"headers_ns":5000000,"reads":[{"t_ns":7000000,"text":"data: {\"cho"},{"t_ns":9000000,"base64":"w6Q="}],"end_ns":12000000,"ending":"eof"}`

// A saved exchange comes again: the bytes as they were cut, each at its instant.
func TestCapturedPlaysBytesAndInstants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		saved, err := Captured(strings.NewReader(savedLine + "\n\n"))
		require.NoError(t, err)
		server := Start(t, saved)
		start := time.Now()
		response, err := server.Client().Post(server.URL()+"/chat/completions", "application/json",
			strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"hi"}]}`))
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, 5*time.Millisecond, time.Since(start))
		require.Equal(t, "yes", response.Header.Get("X-Odd"))
		buffer := make([]byte, 100)
		for _, want := range []struct {
			text string
			at   time.Duration
		}{{`data: {"cho`, 7 * time.Millisecond}, {"ä", 9 * time.Millisecond}} {
			n, err := response.Body.Read(buffer)
			require.NoError(t, err)
			require.Equal(t, want.text, string(buffer[:n]))
			require.Equal(t, want.at, time.Since(start))
		}
		_, err = response.Body.Read(buffer)
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, 12*time.Millisecond, time.Since(start))
	})
}

func TestCapturedBreaksWhereItBroke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		saved, err := Captured(strings.NewReader(strings.Replace(savedLine, `"eof"`, `"broken"`, 1)))
		require.NoError(t, err)
		server := Start(t, saved)
		response, err := server.Client().Post(server.URL()+"/chat/completions", "application/json",
			strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"hi"}]}`))
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, http.StatusOK, response.StatusCode)
		body, err := io.ReadAll(response.Body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Equal(t, `data: {"choä`, string(body), "what came before the break came")
	})
}

func TestCapturedNamesTheBadLine(t *testing.T) {
	for _, row := range []struct{ why, lines, want string }{
		{"nothing to play", "\n", "mock: capture: no line in it, want at least one saved exchange"},
		{"another file", savedLine + "\n" + `{"schema":"llmbench.record/v1"}`, `mock: capture: line 2: schema is "llmbench.record/v1", want "llmbench.capture/v1"`},
		{"broken JSON", "{", "mock: capture: line 1: unexpected end of JSON input"},
	} {
		_, err := Captured(strings.NewReader(row.lines))
		require.EqualError(t, err, row.want, row.why)
	}
}
