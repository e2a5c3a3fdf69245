package mock

import (
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/llmbench/go/mock/internal/pipenet"
)

// BenchmarkStream is the cost of a token from end to end in this process: encoded
// and written by the mock, and read by net/http's client, without any waiting.
func BenchmarkStream(b *testing.B) {
	for _, where := range []struct {
		name  string
		start func(T, Responder) *Server
	}{{"memory", Start}, {"tcp", Listen}} {
		b.Run(where.name, func(b *testing.B) {
			b.ReportAllocs()
			const tokens = 1000
			// One nanosecond apart: each token is an event of its own, due at once.
			server := where.start(b, Script{ITL: time.Nanosecond})
			body := ask(1, tokens, "")
			for b.Loop() {
				resp, err := server.Client().Post(server.URL()+"/chat/completions", jsonType, strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tokens), "ns/token")
		})
	}
}

// BenchmarkToken is what the real-time path does for one token but for the
// system call: find it in the heap of 1000 streams, encode it, hand it over,
// and put the stream back.
func BenchmarkToken(b *testing.B) {
	b.ReportAllocs()
	l := newLoop(nil, nil, false)
	server := &Server{loop: l, model: defaultModel}
	client, end := pipenet.Pipe()
	defer client.Close()
	defer end.Close()
	for i := range 1000 {
		c := &conn{server: server, net: end, http11: true, keep: true}
		c.out.Conn = end
		c.out.try = func(p []byte) (int, error) { return len(p), nil }
		r := &Request{Number: i, Stream: true, Choices: 1, MaxTokens: -1}
		s := &stream{conn: c, req: r, wire: &chat, place: -1, seen: &Exchange{}, opened: true, said: 1, due: time.Duration(i)}
		s.reply = Script{Output: 1 << 16}.Respond(r)
		s.reply.Timeline = s.reply.Timeline[:1000]
		s.ready = true
		l.schedule(s)
	}
	for b.Loop() {
		s := l.steady[0].stream
		s.next = 1 + s.next%900
		s.reply.Timeline[s.next+1].At = never / 2 // one token at a time
		s.emit(s.due)
		s.due = l.steady[0].due + 1000
		l.schedule(s)
	}
}

// BenchmarkEngine is one step of a full batch of 256.
func BenchmarkEngine(b *testing.B) {
	b.ReportAllocs()
	server := &Server{loop: newLoop(nil, nil, false)}
	e := newEngine(Engine{Slots: 256, KVTokens: 1 << 30, StepTime: LinearStep(time.Millisecond, 0)})
	for range 256 {
		e.attach(&stream{
			req: &Request{InputTokens: 100}, reply: Reply{pace: e, paceTokens: math.MaxInt}, place: -1, conn: &conn{server: server}, ended: true,
		})
	}
	e.fire()
	for b.Loop() {
		e.fire()
	}
}
