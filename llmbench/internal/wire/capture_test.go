package wire

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// playback is a capture as a test's server script: the way from a bug report to
// a test.
func playback(c *Capture) script {
	s := script{status: c.Status, header: c.Header, end: "eof"}
	for _, read := range c.Reads {
		s.writes = append(s.writes, write{read.At, len(s.body), len(s.body) + len(read.Data)})
		s.body = append(s.body, read.Data...)
	}
	return s
}

// A capture that is saved, loaded and played gives the reply that it was taken
// from.
func TestCaptureRoundTrip(t *testing.T) {
	for _, name := range []string{"025-role-chunk-does-not-stop-ttft", "036-usage-in-every-chunk-is-cumulative", "021-utf8-split-one-byte-reads",
		"049-429-retry-after-both-forms", "054-gzip-stream-flushed"} {
		t.Run(name, func(t *testing.T) {
			s := readScripts(t, "testdata/cases/"+name)[0]
			var first Reply
			var saved bytes.Buffer
			synctest.Test(t, func(t *testing.T) {
				call, _ := callTo(t, s.play)
				call.Capture, call.KeepText = 1<<20, 1<<10
				first = call.Do(context.Background(), Request{Stream: true})
				require.NotNil(t, first.Capture)
				require.NoError(t, WriteCaptures(&saved, first.Capture))
			})
			loaded, err := ReadCaptures(&saved)
			require.NoError(t, err)
			require.Equal(t, []*Capture{first.Capture}, loaded)
			synctest.Test(t, func(t *testing.T) {
				call, _ := callTo(t, playback(loaded[0]).play)
				call.KeepText = 1 << 10
				again := call.Do(context.Background(), Request{Stream: true})
				first.Capture = nil
				first.BytesIn, again.BytesIn = 0, 0 // a compressed reply is captured decompressed
				require.Equal(t, first, again)
			})
		})
	}
}

// No key is in a capture, wherever the server put it and however the bytes
// came.
func TestCaptureHoldsNoKey(t *testing.T) {
	const key = "sk-secret-key"
	synctest.Test(t, func(t *testing.T) {
		call, _ := callTo(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Set-Cookie", "session="+key)
			at(time.Millisecond, "eof", "data: {\"error\":\"bad key sk-sec", "ret-key\"}\n\n").play(w, r)
		})
		withKey(&call)
		call.Capture = 1 << 10
		call.URL += "?key=" + key
		r := call.Do(context.Background(), Request{Stream: true})
		var saved bytes.Buffer
		require.NoError(t, WriteCaptures(&saved, r.Capture))
		for _, piece := range []string{key, "sk-sec", "ret-key"} {
			require.NotContains(t, saved.String(), piece)
		}
		require.Equal(t, "bad key [redacted]", r.Server.Message)
		require.Equal(t, []string{redacted}, r.Capture.RequestHeader["Authorization"])
		require.Equal(t, 2, len(r.Capture.Reads), "the reads keep their bounds")
		require.Equal(t, 2*time.Millisecond, r.Capture.Reads[1].At)
	})
}

func TestCaptureIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, _ := callTo(t, at(time.Millisecond, "eof", aChunk, aFinish, aDone).play)
		call.Capture = len(aChunk) + 3
		r := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, OutcomeOK, r.Outcome)
		require.True(t, r.Capture.Truncated)
		require.Equal(t, []string{aChunk, aFinish[:3]}, []string{string(r.Capture.Reads[0].Data), string(r.Capture.Reads[1].Data)})
		require.Len(t, r.Capture.Reads, 2)
		call.Capture = 0
		require.Nil(t, call.Do(context.Background(), Request{Stream: true}).Capture)
	})
}

// A failure is what people capture: what had come is there, and the reason.
func TestCaptureOfAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, _ := callTo(t, at(time.Millisecond, "reset", aChunk).play)
		call.Capture = 1 << 10
		r := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, OutcomeError, r.Outcome)
		require.Equal(t, r.Err, r.Capture.Err)
		require.Equal(t, aChunk, string(r.Capture.Reads[0].Data))
		require.Equal(t, 2*time.Millisecond, r.Capture.End)
	})
}

func TestCaptureTellsTheEnding(t *testing.T) {
	for _, tt := range []struct {
		why     string
		call    func(*Call)
		handler http.HandlerFunc
		want    string
	}{
		{"a reply that ended", nil, stream("eof", aChunk, aFinish, aDone), EndedWell},
		{"one that ended too early, but by HTTP's rules", nil, stream("eof", aChunk), EndedWell},
		{"a reset", nil, stream("reset", aChunk), EndedBroken},
		{"no answer at all", nil, hangUp, EndedBroken},
		{"a stall that we ended", func(c *Call) { c.IdleTimeout = time.Second }, stream("stall", aChunk), EndedByUs},
		{"a connection held open after the last event", nil, stream("stall", aChunk, aFinish, aDone), EndedByUs},
		{"an event over the bound", func(c *Call) { c.MaxLine = 20 }, stream("stall", aChunk), EndedByUs},
	} {
		synctest.Test(t, func(t *testing.T) {
			call, _ := callTo(t, tt.handler)
			if tt.call != nil {
				tt.call(&call)
			}
			call.Capture = 1 << 10
			r := call.Do(context.Background(), Request{Stream: true})
			require.Equal(t, tt.want, r.Capture.Ending, tt.why)
		})
	}
}

func TestReadCapturesRefuses(t *testing.T) {
	good := `{"schema":"llmbench.capture/v1","reads":[{"t_ns":1,"text":"a"},{"t_ns":2,"base64":"/w=="}]}`
	for _, tt := range []struct{ why, text, want string }{
		{"not JSON", good + "\n\n{\n", "wire: capture: line 3: unexpected end of JSON input"},
		{"another schema", good + "\n" + `{"schema":"x"}`, `wire: capture: line 2: schema is "x", want "llmbench.capture/v1"`},
		{"time that runs back", good + "\n" + strings.Replace(good, `"t_ns":1`, `"t_ns":5`, 1), "wire: capture: line 2: reads[1].t_ns is 2, want at least 5: a Read cannot be before the one before it"},
	} {
		got, err := ReadCaptures(strings.NewReader(tt.text))
		require.EqualError(t, err, tt.want, tt.why)
		require.Len(t, got, 1, "what came before the bad line is not lost")
		require.Equal(t, []CapturedRead{{At: 1, Data: []byte("a")}, {At: 2, Data: []byte{0xff}}}, got[0].Reads)
	}
}

// FuzzReadCaptures: no file makes the reader panic, and what it takes it writes
// and reads back the same.
func FuzzReadCaptures(f *testing.F) {
	f.Add([]byte(`{"schema":"llmbench.capture/v1","api":"tgi","request":{"body":{"text":"{}"}},"header":{"A":["b"]},"reads":[{"t_ns":1,"text":"a"},{"t_ns":2,"base64":"/w=="}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		captures, err := ReadCaptures(bytes.NewReader(text))
		if err != nil {
			return
		}
		var saved bytes.Buffer
		require.NoError(t, WriteCaptures(&saved, captures...))
		once := saved.String()
		again, err := ReadCaptures(&saved)
		require.NoError(t, err)
		saved.Reset()
		require.NoError(t, WriteCaptures(&saved, again...))
		require.Equal(t, once, saved.String())
	})
}
