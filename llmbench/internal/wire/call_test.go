package wire

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const aDone = "data: [DONE]\n\n"

// at is a script whose parts leave one after another, step apart.
func at(step time.Duration, end string, parts ...string) script {
	s := whole("text/event-stream", strings.Join(parts, ""))
	s.writes, s.end = nil, end
	from := 0
	for i, p := range parts {
		s.writes = append(s.writes, write{time.Duration(i+1) * step, from, from + len(p)})
		from += len(p)
	}
	s.endAt = time.Duration(len(parts)+1) * step
	return s
}

func callTo(t *testing.T, handler http.HandlerFunc) (Call, *pipes) {
	client, p := serve(t, handler)
	return Call{Client: client, URL: "http://mock/v1/chat/completions", Now: clock()}, p
}

// The instants of one exchange, to the nanosecond.
func TestInstants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, _ := callTo(t, at(10*time.Millisecond, "eof", ": ping\n\n", aChunk, aChunk+aChunk, aFinish+aDone).play)
		time.Sleep(time.Second)
		r := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, OutcomeOK, r.Outcome, r.Err)
		require.Equal(t, time.Second, r.Sent)
		require.Equal(t, Some(time.Second), r.Headers)
		require.Equal(t, Some(1010*time.Millisecond), r.FirstByte)
		require.Equal(t, 1040*time.Millisecond, r.End)
		require.Equal(t, []Chunk{
			{At: 1020 * time.Millisecond, Kind: KindContent},
			{At: 1030 * time.Millisecond, Kind: KindContent},
			{At: 1030 * time.Millisecond, Kind: KindContent},
			{At: 1040 * time.Millisecond, Kind: KindFinish},
		}, r.Chunks)
		require.Equal(t, 4, r.Reads)
		require.Equal(t, 1, r.CoalescedReads, "only one Read completed more than one chunk")
		require.Equal(t, int64(len(": ping\n\n"+aChunk+aChunk+aChunk+aFinish+aDone)), r.BytesIn)
		require.Equal(t, Some(false), r.Trace.Reused)
		require.Equal(t, Some(time.Duration(0)), r.Trace.Wait)
		require.Equal(t, Some(40*time.Millisecond), r.Trace.Receive)
		require.False(t, r.Trace.DNS.Known || r.Trace.Connect.Known || r.Trace.TLS.Known, "our dialer did none of these")
		require.Equal(t, 1, r.Attempts)
	})
}

// Connection set-up is after the send instant: a slow dial is the request's
// wait, not the schedule's.
func TestSentIsBeforeTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, p := callTo(t, stream("eof", aChunk, aFinish, aDone))
		call.Client.Transport.(*http.Transport).DialContext = dialAfter(p, 70*time.Millisecond)
		r := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, OutcomeOK, r.Outcome, r.Err)
		require.Zero(t, r.Sent)
		require.Equal(t, Some(70*time.Millisecond), r.Headers)
	})
}

// slow takes its time to become JSON.
type slow struct{}

func (slow) MarshalJSON() ([]byte, error) { time.Sleep(50 * time.Millisecond); return []byte("1"), nil }

// What we do to the body before it leaves is not the server's time.
func TestSentIsAfterTheEncoding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, _ := callTo(t, stream("eof", aChunk, aFinish, aDone))
		r := call.Do(context.Background(), Request{Stream: true, Extra: map[string]any{"x": slow{}}})
		require.Equal(t, 50*time.Millisecond, r.Sent)
		require.Equal(t, Some(50*time.Millisecond), r.Headers)
	})
}

// The call back comes once, with the first generated output and not with the
// role before it; and not at all where nothing was generated.
func TestOnContent(t *testing.T) {
	role := "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
	whole := reply(200, "Content-Type: application/json", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`)
	for _, tt := range []struct {
		why     string
		handler http.HandlerFunc
		want    []time.Duration
	}{
		{"a stream", at(time.Millisecond, "eof", role, aChunk, aChunk, aFinish+aDone).play, []time.Duration{2 * time.Millisecond}},
		{"a whole reply", whole, []time.Duration{0}},
		{"nothing generated", at(time.Millisecond, "eof", role, aFinish+aDone).play, nil},
		{"a failure", reply(500, "Content-Type: text/plain", "crash"), nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			call, _ := callTo(t, tt.handler)
			var called []time.Duration
			call.OnContent = func() { called = append(called, call.Now()) }
			call.Do(context.Background(), Request{Stream: true})
			require.Equal(t, tt.want, called, tt.why)
		})
	}
}

// How a body may end once the reply is over, and what must not count.
func TestAfterTheLastEvent(t *testing.T) {
	ghost := strings.Repeat(aChunk, 3)
	for _, tt := range []struct {
		why     string
		script  script
		idle    time.Duration
		outcome Outcome
		end     time.Duration // last byte
		returns time.Duration // when Do comes back
		note    string
	}{
		{"the usual end", at(time.Millisecond, "eof", aChunk, aFinish, aDone), 0, OutcomeOK, 3 * time.Millisecond, 3 * time.Millisecond, ""},
		{"the body's end comes late: the last byte counts", at(time.Millisecond, "eof", aChunk, aFinish, aDone, ""), 0, OutcomeOK, 3 * time.Millisecond, 4 * time.Millisecond, ""},
		{"where that end is the failure, it counts", at(time.Millisecond, "eof", aChunk, ""), 0, OutcomeIncomplete, 2 * time.Millisecond, 2 * time.Millisecond, ""},
		{"the server holds the connection open: the wait is bounded and not the reply's", at(time.Millisecond, "stall", aChunk, aFinish, aDone), 0, OutcomeOK, 3 * time.Millisecond, 3*time.Millisecond + drainTime, ""},
		{"an idle limit has no say after [DONE]", at(time.Millisecond, "stall", aChunk, aFinish, aDone), 20 * time.Millisecond, OutcomeOK, 3 * time.Millisecond, 3*time.Millisecond + drainTime, ""},
		{"a reset after [DONE] harms nothing", at(time.Millisecond, "reset", aChunk, aFinish, aDone), 0, OutcomeOK, 3 * time.Millisecond, 4 * time.Millisecond, ""},
		{"chunks after [DONE] are no output, but their bytes came", at(time.Millisecond, "eof", aChunk, aFinish, aDone, ghost), 0, OutcomeOK, 4 * time.Millisecond, 4 * time.Millisecond, ""},
		{"no [DONE]: ok with a note", at(time.Millisecond, "eof", aChunk, aFinish), 0, OutcomeOK, 2 * time.Millisecond, 2 * time.Millisecond, "finished without [DONE]"},
		{"[DONE] without a finish reason", at(time.Millisecond, "eof", aChunk, aDone), 0, OutcomeOK, 2 * time.Millisecond, 2 * time.Millisecond, ""},
		{"a finish reason, and then a stall", at(time.Millisecond, "stall", aChunk, aFinish), 20 * time.Millisecond, OutcomeTimeout, 22 * time.Millisecond, 22 * time.Millisecond, ""},
		{"a finish reason, and then a reset", at(time.Millisecond, "reset", aChunk, aFinish), 0, OutcomeError, 3 * time.Millisecond, 3 * time.Millisecond, ""},
	} {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				call, _ := callTo(t, tt.script.play)
				call.IdleTimeout = tt.idle
				r := call.Do(context.Background(), Request{Stream: true})
				require.Equal(t, tt.outcome, r.Outcome, r.Err)
				require.Equal(t, tt.end, r.End)
				require.Equal(t, tt.returns, call.Now())
				require.Equal(t, tt.note, r.Note)
				require.Len(t, content(r), 1)
			})
		})
	}
}

// A server that sends for ever after [DONE] is left.
func TestDrainIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, _ := callTo(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, aChunk+aFinish+aDone)
			for {
				if _, err := w.Write(make([]byte, 1<<12)); err != nil {
					return
				}
			}
		})
		r := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, OutcomeOK, r.Outcome, r.Err)
		require.Less(t, r.BytesIn, int64(drainBytes+64<<10))
	})
}

// A keep-alive comment is a byte: it holds off the idle limit, and it is no
// chunk.
func TestCommentsHoldOffTheIdleLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parts := append(slicesRepeat(": ping\n\n", 10), aChunk, aFinish, aDone)
		call, _ := callTo(t, at(15*time.Millisecond, "eof", parts...).play)
		call.IdleTimeout = 20 * time.Millisecond
		r := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, OutcomeOK, r.Outcome, r.Err)
		require.Len(t, r.Chunks, 2)
	})
}

func slicesRepeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// What goes out: method, headers, the key, and the caller's headers over ours.
func TestRequestOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got *http.Request
		var body []byte
		call, _ := callTo(t, func(w http.ResponseWriter, r *http.Request) {
			got = r
			body, _ = io.ReadAll(r.Body)
			stream("eof", aChunk, aFinish, aDone)(w, r)
		})
		call.Header = http.Header{"x-team": {"a", "b"}, "User-Agent": {"theirs"}, "Host": {"virtual"}}
		call.Protocol = AnthropicMessages()
		call.Protocol.Authorize(call.Header, "sk-12345678")
		r := call.Do(context.Background(), Request{Model: "m", Stream: true})
		require.Equal(t, http.MethodPost, got.Method)
		require.Equal(t, []string{"a", "b"}, got.Header.Values("X-Team"))
		require.Equal(t, "theirs", got.Header.Get("User-Agent"))
		require.Equal(t, "sk-12345678", got.Header.Get("X-Api-Key"))
		require.Equal(t, "2023-06-01", got.Header.Get("Anthropic-Version"))
		require.Equal(t, "identity", got.Header.Get("Accept-Encoding"))
		require.Equal(t, "application/json", got.Header.Get("Content-Type"))
		require.Equal(t, "virtual", got.Host)
		require.Equal(t, int64(len(body)), r.BytesOut)
		require.JSONEq(t, `{"model":"m","messages":[],"stream":true}`, string(body))
	})
}

// Case 119: a failure is told, not hidden behind a second try.
func TestNothingIsTriedAgain(t *testing.T) {
	scenario := readJSON[struct{ Replies []int }](t, "testdata/cases/119-silent-retry/scenario.json")
	want := readJSON[struct {
		Attempts int `json:"default_attempts"`
	}](t, "testdata/cases/119-silent-retry/expected.json")
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		call, _ := callTo(t, func(w http.ResponseWriter, r *http.Request) {
			tries++
			reply(scenario.Replies[tries-1], "Content-Type: text/plain", "")(w, r)
		})
		r := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, want.Attempts, tries)
		require.Equal(t, want.Attempts, r.Attempts)
		require.Equal(t, OutcomeRejected, r.Outcome, "the case says error; metrics.md has a name of its own for 503")
	})
}

// A client that would cut streams or follow redirects does not here, and is not
// changed.
func TestTheClientIsNotTrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call, _ := callTo(t, at(time.Second, "eof", aChunk, aFinish, aDone).play)
		call.Client.Timeout = 100 * time.Millisecond
		r := call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, OutcomeOK, r.Outcome, r.Err)
		require.Equal(t, 100*time.Millisecond, call.Client.Timeout)
		require.Nil(t, call.Client.CheckRedirect)
	})
}

// TGI has one endpoint for streams and one for whole replies, and says some
// things in headers.
func TestTGIEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var paths []string
		call, _ := callTo(t, func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, r.URL.String())
			w.Header().Set("X-Prompt-Tokens", "9")
			w.Header().Set("X-Total-Time", "30")
			w.Header().Set("X-Queue-Time", "4")
			reply(200, "Content-Type: application/json", `{"generated_text":"alpha","details":null}`)(w, r)
		})
		call.Protocol, call.URL = TGI(), "http://mock/generate_stream?k=v"
		r := call.Do(context.Background(), Request{})
		require.Equal(t, OutcomeOK, r.Outcome, r.Err)
		require.Equal(t, Some[int64](9), r.Usage.Prompt)
		require.Equal(t, Some(30*time.Millisecond), r.Timings.Total)
		require.Equal(t, Some(4*time.Millisecond), r.Timings.Queue)
		call.Do(context.Background(), Request{Stream: true})
		require.Equal(t, []string{"/generate?k=v", "/generate_stream?k=v"}, paths)
	})
}

// Bodies whose Content-Type says nothing, or something else than what they are.
func TestMislabelledBodies(t *testing.T) {
	sse := aChunk + aFinish + aDone
	json := `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`
	lines := `{"message":{"content":"a"},"done":false}` + "\n" + `{"message":{"content":""},"done":true}` + "\n"
	for _, tt := range []struct {
		why, contentType, body string
		api                    Protocol
		streamed               bool
	}{
		{"a stream called JSON", "application/json", sse, OpenAIChat(), true},
		{"a stream called text", "text/plain; charset=utf-8", sse, OpenAIChat(), true},
		{"a stream called a page", "text/html; charset=utf-8", ": hello\n\n" + sse, OpenAIChat(), true},
		{"JSON called a page", "text/html", json, OpenAIChat(), false},
		{"a stream called nothing sensible", ";;", "\n\n" + sse, OpenAIChat(), true},
		{"a stream behind a byte order mark", "text/plain", "\xef\xbb\xbf" + sse, OpenAIChat(), true},
		{"JSON called text", "text/plain", " \n" + json, OpenAIChat(), false},
		{"JSON lines called JSON", "application/json", lines, OllamaChat(), true},
		{"one JSON line called JSON is a whole reply", "application/json", `{"message":{"content":"a"},"done":true}`, OllamaChat(), false},
	} {
		synctest.Test(t, func(t *testing.T) {
			call, _ := callTo(t, whole(tt.contentType, tt.body).play)
			call.Protocol = tt.api
			r := call.Do(context.Background(), Request{Stream: true})
			require.Equal(t, OutcomeOK, r.Outcome, "%s: %s", tt.why, r.Err)
			require.Equal(t, tt.streamed, r.Streamed, tt.why)
			require.Len(t, content(r), 1, tt.why)
		})
	}
}

func TestRetryAfterForms(t *testing.T) {
	for _, tt := range []struct {
		why, name, value string
		want             Opt[time.Duration]
	}{
		{"seconds", "Retry-After", "2", Some(2 * time.Second)},
		{"a fraction, which is not allowed but seen", "Retry-After", "0.5", Some(500 * time.Millisecond)},
		{"a date, from the server's own clock", "Retry-After", "Wed, 21 Oct 2015 07:28:02 GMT", Some(2 * time.Second)},
		{"a date that has passed", "Retry-After", "Wed, 21 Oct 2015 07:27:00 GMT", Some(time.Duration(0))},
		{"OpenAI's milliseconds", "Retry-After-Ms", "1500", Some(1500 * time.Millisecond)},
		{"negative is no wait", "Retry-After", "-1", Opt[time.Duration]{}},
		{"absurd", "Retry-After", "1e300", Opt[time.Duration]{}},
		{"words", "Retry-After", "soon", Opt[time.Duration]{}},
		{"none", "Retry-After", "", Opt[time.Duration]{}},
	} {
		h := http.Header{"Date": {"Wed, 21 Oct 2015 07:28:00 GMT"}}
		h.Set(tt.name, tt.value)
		require.Equal(t, tt.want, retryAfter(h), tt.why)
	}
}
