package mock

import (
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"context"
	"github.com/stretchr/testify/require"
)

// quick is a reply of four tokens, 10 ms apart, from 10 ms on.
func quick(faults ...Fault) Script {
	return Script{TTFT: 10 * ms, ITL: 10 * ms, Output: 4, Role: RoleNever, Faults: faults}
}

func TestFaultsInAStream(t *testing.T) {
	rows := []struct {
		why   string
		fault Fault
		want  string
	}{
		{"a stall moves all that follows", Stall(2, time.Second),
			"10 content \"the\"\n20 content \" queue\"\n1030 content \" was\"\n1040 content \" short\"\n1040 finish stop\n1040 done\n"},
		{"before the first token it is a longer TTFT", Stall(0, time.Second),
			"1010 content \"the\"\n1020 content \" queue\"\n1030 content \" was\"\n1040 content \" short\"\n1040 finish stop\n1040 done\n"},
		{"case 146: two tokens, then an error in the stream", ErrorAfter(2, "out of memory"),
			"10 content \"the\"\n20 content \" queue\"\n30 error out of memory\n"},
		{"an error as the first thing in a stream of status 200", ErrorAfter(0, "no"), "10 error no\n"},
		{"case 146: two tokens, then a reset", ResetAfter(2),
			"10 content \"the\"\n20 content \" queue\"\nbroken off\n"},
		{"case 146: two tokens, then the connection closes", DropAfter(2),
			"10 content \"the\"\n20 content \" queue\"\nbroken off\n"},
		{"case 146: two tokens, then a clean end of file", EndAfter(2),
			"10 content \"the\"\n20 content \" queue\"\n"},
		{"past the last token the reply is whole but for its finish", EndAfter(9),
			"10 content \"the\"\n20 content \" queue\"\n30 content \" was\"\n40 content \" short\"\n"},
		{"half a chunk, and the stream goes on", MalformedAfter(1),
			"10 content \"the\"\n20 malformed\n30 content \" was\"\n40 content \" short\"\n40 finish stop\n40 done\n"},
		{"chunks that leave together", Bundle(3),
			"30 content \"the\"\n30 content \" queue\"\n30 content \" was\"\n40 content \" short\"\n40 finish stop\n40 done\n"},
		{"no [DONE]", NoDone(),
			"10 content \"the\"\n20 content \" queue\"\n30 content \" was\"\n40 content \" short\"\n40 finish stop\n"},
		{"no finish reason", NoFinish(),
			"10 content \"the\"\n20 content \" queue\"\n30 content \" was\"\n40 content \" short\"\n40 done\n"},
		{"the finish reason twice", DuplicateFinish(),
			"10 content \"the\"\n20 content \" queue\"\n30 content \" was\"\n40 content \" short\"\n40 finish stop\n40 finish stop\n40 done\n"},
		{"slow headers", SlowHeaders(25 * ms),
			"25 content \"the\"\n25 content \" queue\"\n30 content \" was\"\n40 content \" short\"\n40 finish stop\n40 done\n"},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			got := call(t.Context(), Start(t, With(quick(), row.fault)), bare)
			require.Equal(t, row.want, got.trace(t), row.why)
			require.Equal(t, got.trace(t), call(t.Context(), Start(t, quick(row.fault)), bare).trace(t), "as a field of the script")
		})
	}
}

// Over TCP the same bytes arrive before the same end.
func TestEndsOverTCP(t *testing.T) {
	rows := []struct {
		why   string
		fault Fault
		err   error
	}{
		{"a reset", ResetAfter(2), syscall.ECONNRESET},
		{"an end in the middle of a chunked body", DropAfter(2), errAny},
		{"a clean end", EndAfter(2), nil},
	}
	for _, row := range rows {
		got := call(t.Context(), Listen(t, quick(row.fault)), bare)
		text, _ := got.content(t)
		require.Equal(t, "the queue", text, row.why)
		switch row.err {
		case nil:
			require.NoError(t, got.err, row.why)
		case errAny:
			require.Error(t, got.err, row.why)
		default:
			require.ErrorIs(t, got.err, row.err, row.why)
		}
	}
}

var errAny = errors.New("any error")

// Case 146: a stall for ever ends with the client, and Close does not mind.
func TestHangEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, quick(HangAfter(2)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		got := call(ctx, server, bare)
		text, _ := got.content(t)
		require.Equal(t, "the queue", text)
		require.ErrorIs(t, got.err, context.DeadlineExceeded)
		require.Equal(t, time.Minute, got.end.Sub(got.sent))
		synctest.Wait()
		require.Zero(t, server.InFlight())

		go call(t.Context(), server, bare)
		time.Sleep(time.Hour)
		require.Equal(t, 1, server.InFlight())
	})
}

func TestRefusals(t *testing.T) {
	rows := []struct {
		why    string
		fault  Fault
		status int
		retry  string
		kind   string
		say    string
	}{
		{"case 146: a status before the first byte", Refuse(400, "too long"), 400, "", "application/json", `"message":"too long"`},
		{"a rate limit, in seconds, rounded up", RefuseFor(429, 1500*ms), 429, "2", "application/json", `"type":"rate_limit_error"`},
		{"an overloaded server, until a date", RefuseUntil(503, 90*time.Second), 503, "Sat, 01 Jan 2000 00:01:30 GMT", "application/json", `"type":"server_error"`},
		{"a page of the proxy in front", HTMLPage(502), 502, "", "text/html", "<center><h1>502 Bad Gateway</h1></center>"},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			got := call(t.Context(), Start(t, quick(row.fault)), bare)
			require.Equal(t, row.status, got.status, row.why)
			require.Equal(t, row.retry, got.header.Get("Retry-After"), row.why)
			require.Equal(t, row.kind, got.header.Get("Content-Type"), row.why)
			require.Contains(t, got.body, row.say, row.why)
			require.Equal(t, got.sent, got.end, row.why)
		})
	}
}

func TestFaultsOfAReplyInOneBody(t *testing.T) {
	rows := []struct {
		why    string
		fault  Fault
		status int
		broken bool
		at     time.Duration
	}{
		{"an error becomes a status", ErrorAfter(2, "x"), 500, false, 30 * ms},
		{"a reset leaves nothing", ResetAfter(2), 0, true, 30 * ms},
		{"half a JSON object", MalformedAfter(2), 200, false, 40 * ms},
	}
	for _, row := range rows {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			got := call(t.Context(), Start(t, quick(row.fault)), `{"messages":[{"content":"x"}]}`)
			require.Equal(t, row.status, got.status, row.why)
			require.Equal(t, row.broken, got.err != nil, row.why)
			require.Equal(t, row.at, time.Since(begin), row.why)
		})
	}
}

// Writes can be cut anywhere: in the middle of a line, of JSON, of a character.
func TestSplitWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := Script{Text: "grün", Role: RoleNever, Output: 1}
		whole := call(t.Context(), Start(t, script), bare).body
		at := strings.Index(whole, "ü") + 1
		script.Faults = []Fault{Split(50*ms, 3, at, len(whole)-1)}
		got := call(t.Context(), Start(t, script), bare)
		require.Equal(t, whole, got.body)
		require.Equal(t, []time.Duration{100 * ms, 100 * ms, 150 * ms}, []time.Duration{got.lines[0].at, got.lines[1].at, got.end.Sub(got.sent)},
			"the line with the letter is complete after two pauses, the last byte after three")
	})
}

// A client that does not read makes the reply wait, and what was due meanwhile
// comes at its own distance afterwards.
func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Script{TTFT: 10 * ms, ITL: 10 * ms, Output: 100, Faults: []Fault{Backpressure(1000)}})
		resp, err := server.Client().Post(server.URL()+"/chat/completions", "application/json", strings.NewReader(bare))
		require.NoError(t, err)
		defer resp.Body.Close()
		// net/http's own buffer of 4 KB fills first, then ours: that is under 30 of
		// the 100 chunks, and the reply stands still for the rest of the minute.
		time.Sleep(time.Minute)
		begin := time.Now()
		got := read(resp, begin)
		require.NoError(t, got.err)
		_, at := got.content(t)
		require.Len(t, at, 100)
		waiting := 0
		for at[waiting] == 0 {
			waiting++
		}
		require.Less(t, waiting, 35)
		require.Greater(t, waiting, 5)
		for k := waiting + 1; k < len(at); k++ {
			require.Equal(t, 10*ms, at[k]-at[k-1], "token %d", k)
		}
	})
}

func TestBadFaultsFailTheTest(t *testing.T) {
	rows := []struct {
		f    Fault
		want string
	}{
		{Stall(-1, 0), "mock: Stall: k is -1, want >= 0"},
		{Stall(1, -time.Second), "mock: Stall: the time is -1s, want >= 0"},
		{ResetAfter(-1), "mock: ResetAfter: k is -1, want >= 0"},
		{MalformedAfter(-1), "mock: MalformedAfter: k is -1, want >= 0"},
		{Bundle(0), "mock: Bundle: n is 0, want > 0"},
		{Refuse(http.StatusNoContent, ""), "mock: status is 204, want one from 200 to 599 that has a body"},
		{RefuseFor(429, -1), "mock: RefuseFor: the time is -1ns, want >= 0"},
		{Split(0, 5, 5), "mock: Split: the offsets are [5 5], want them above 0 and rising"},
		{Backpressure(0), "mock: Backpressure: bytes is 0, want > 0"},
	}
	for _, row := range rows {
		for _, r := range []Responder{With(Script{}, row.f), quick(row.f), Sequence(Script{}, quick(row.f)), Engine{Reply: quick(row.f)}} {
			var st stubT
			require.Nil(t, Start(&st, r))
			require.Equal(t, row.want, st.said)
		}
	}
}
