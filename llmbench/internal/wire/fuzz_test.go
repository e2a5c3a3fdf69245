package wire

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench/internal/http1"
)

// seedBodies adds every recorded body to a fuzz target.
func seedBodies(f *testing.F, add func(body []byte)) {
	f.Helper()
	for _, pattern := range []string{"testdata/replies/*", "testdata/cases/*/stream.*", "testdata/cases/*/body.*"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		require.NotEmpty(f, files)
		for _, file := range files {
			body, err := os.ReadFile(file)
			require.NoError(f, err)
			if len(body) < 8<<10 {
				add(body)
			}
		}
	}
}

// A reading brings a body to an exchange in Reads of at most step bytes.
type reading func(x *exchange, body []byte, step int) error

func read(x *exchange, body []byte, step int) error { return x.read(&stepReader{body, step}) }

// fed is the poller's way: its memory holds other bytes after each call.
func fed(x *exchange, body []byte, step int) error {
	for len(body) > 0 {
		piece := bytes.Clone(body[:min(step, len(body))])
		if err := x.feed(piece, x.call.Now()); err == http1.Enough {
			return nil
		} else if err != nil {
			return err
		}
		clear(piece)
		body = body[min(step, len(body)):]
	}
	x.ended(x.call.Now())
	return nil
}

// exchangeOver runs a body through everything but the transport.
func exchangeOver(api Protocol, s shape, body []byte, step int, way reading) *Reply {
	call := Call{Protocol: api, Now: func() time.Duration { return time.Second }, KeepText: 1 << 10, MaxLine: 1 << 16}
	x := newExchange(context.Background(), call, Request{Stream: true})
	x.shape = s
	x.in = newIntake(s, call.MaxLine)
	x.reply.Status = 200
	x.reply.Headers = Some(time.Second)
	err := way(x, body, step)
	x.reply.Streamed = x.shape == shapeSSE || x.shape == shapeNDJSON
	x.conclude(err, "text/plain")
	x.close()
	x.reply.Reads, x.reply.CoalescedReads, x.reply.Capture = 0, 0, nil
	return x.reply
}

// FuzzExchange: any bytes, of any declared shape, to any API, in any Reads give
// the same reply; one whose texts are bounded and printable, whose chunks are
// in order, and which is ok only with output.
func FuzzExchange(f *testing.F) {
	shapes := []shape{shapeUnknown, shapeSSE, shapeNDJSON, shapeJSON}
	n := 0
	seedBodies(f, func(body []byte) { n++; f.Add(body, uint8(n), uint8(n/8), uint8(n)) })
	f.Fuzz(func(t *testing.T, body []byte, api, declared, step uint8) {
		p := protocols()[int(api)%len(protocols())]
		s := shapes[int(declared)%len(shapes)]
		whole := exchangeOver(p, s, body, len(body)+1, read)
		for _, way := range []reading{read, fed} {
			split := exchangeOver(p, s, body, int(step)+1, way)
			if !whole.DoneSeen { // what comes after the last event is read, and by design not looked at
				require.Equal(t, whole, split)
				continue
			}
			require.Equal(t, whole.Chunks, split.Chunks)
			require.Equal(t, whole.Choices, split.Choices)
			require.Equal(t, whole.Outcome, split.Outcome)
		}
		checkReply(t, whole, len(body))
	})
}

func checkReply(t *testing.T, r *Reply, size int) {
	t.Helper()
	require.LessOrEqual(t, len(r.Err), textBound)
	require.LessOrEqual(t, len(r.MalformedText), textBound)
	require.LessOrEqual(t, len(r.Server.Message), textBound)
	require.LessOrEqual(t, len(r.FinishReason), 60)
	require.LessOrEqual(t, len(r.Chunks)+r.Malformed+r.Ignored, size+1)
	require.LessOrEqual(t, len(r.Choices), maxChoice+1)
	require.Equal(t, r.Outcome == OutcomeOK, r.Err == "")
	if r.Outcome == OutcomeOK {
		require.NotEmpty(t, content(*r))
	}
	for _, c := range r.Chunks {
		require.GreaterOrEqual(t, c.Tokens, int32(0))
		require.True(t, c.Counted || c.Tokens == 0)
	}
}

// FuzzDecode: no event makes a decoder panic or keep more than the event holds;
// what it says of tokens is never negative.
func FuzzDecode(f *testing.F) {
	n := 0
	seedBodies(f, func(body []byte) { n++; f.Add([]byte("message_start"), body, uint8(n)) })
	f.Add([]byte("error"), []byte(`{"error":{"message":["x"],"code":{}}}`), uint8(0))
	f.Add([]byte(""), []byte(`{"type":"response.completed","response":{"status":"failed","error":5}}`), uint8(2))
	f.Fuzz(func(t *testing.T, name, data []byte, api uint8) {
		var ev event
		if err := protocols()[int(api)%len(protocols())].decode(name, data, &ev); err != nil {
			return
		}
		total := 0
		for _, p := range ev.pieces {
			require.NotEmpty(t, p.text)
			require.GreaterOrEqual(t, p.choice, 0)
			require.LessOrEqual(t, p.choice, maxChoice+len(data))
			total += len(p.text)
		}
		require.LessOrEqual(t, total, 8*len(data)+8, "a repaired byte is three, and a tool's arguments are written again")
		u := ev.usage
		for _, o := range []Opt[int64]{u.Prompt, u.Completion, u.Total, u.Reasoning, u.Cached, u.Audio, ev.tokens} {
			require.GreaterOrEqual(t, o.V, int64(0))
		}
		if ev.failure != nil {
			require.LessOrEqual(t, len(ev.failure.Message), textBound)
		}
	})
}

// FuzzJoinURL: a joined URL ends with the endpoint, joins to itself again, and
// no error or note shows a query.
func FuzzJoinURL(f *testing.F) {
	for _, s := range []string{"http://h/v1", "https://u:p@[::1]:8/a%2Fb/?key=secret", "h:1", "http://h//v1//", "http://h/v1/chat/completions#x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, base string) {
		joined, _, err := JoinURL(base, "v1/chat/completions")
		if err != nil {
			require.LessOrEqual(t, len(err.Error()), 400)
			return
		}
		again, _, err := JoinURL(joined, "v1/chat/completions")
		require.NoError(t, err, joined)
		require.Equal(t, joined, again)
		require.Contains(t, joined, "/chat/completions")
	})
}
