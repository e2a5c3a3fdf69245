package mock

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// says is a reply of one word.
func says(word string) Script { return Script{Text: word, Role: RoleNever} }

// said sends requests one after the other and collects the words.
func said(t *testing.T, server *Server, bodies ...string) string {
	var words []string
	for _, b := range bodies {
		text, _ := call(t.Context(), server, b).content(t)
		words = append(words, text)
	}
	return strings.Join(words, " ")
}

func TestCombinations(t *testing.T) {
	about := func(what string) string {
		return fmt.Sprintf(`{"model":%q,"messages":[{"content":"tell me about %s"}],"stream":true}`, what, what)
	}
	a, b, c := says("a"), says("b"), says("c")
	rows := []struct {
		why  string
		r    Responder
		want string
	}{
		{"a sequence stays with its last", Sequence(a, b), "a b b b"},
		{"a cycle begins again", Cycle(a, b, c), "a b c a"},
		{"by what the prompt says", ByPrompt("cats", a, b), "b a b a"},
		{"by the model asked for", ByModel("dogs", a, b), "a b a b"},
		{"by number", ByNumber(2, a, b), "b b a b"},
		{"a sequence counts what comes to it", ByPrompt("cats", Sequence(a, b), c), "c a c b"},
		{"a function", ResponderFunc(func(r *Request) Reply { return says(r.Model).Respond(r) }), "dogs cats dogs cats"},
	}
	for _, row := range rows {
		require.NoError(t, validate(row.r), row.why)
		// Twice: what a server has counted does not show in the next.
		for range 2 {
			synctest.Test(t, func(t *testing.T) {
				require.Equal(t, row.want, said(t, Start(t, row.r), about("dogs"), about("cats"), about("dogs"), about("cats")), row.why)
			})
		}
	}
}

func TestMixHasItsShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, Mix(3, Share{3, says("a")}, Share{1, says("b")}))
		n := map[string]int{}
		for i := range 1000 {
			n[said(t, server, ask(1+i, 9, ""))]++
		}
		require.InDelta(t, 750, n["a"], 3*13.7, "three standard deviations of 1000 draws") // sqrt(1000*0.75*0.25) = 13.7
		require.Equal(t, 1000, n["a"]+n["b"])
	})
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, RateLimit(0.5, 2, says("a")))
		status := func() string {
			got := call(t.Context(), server, bare)
			return fmt.Sprint(got.status, got.header.Get("Retry-After"))
		}
		require.Equal(t, []string{"200", "200", "4292"}, []string{status(), status(), status()}, "a burst of two, then 2 s for the next")
		time.Sleep(2 * time.Second)
		require.Equal(t, []string{"200", "4292"}, []string{status(), status()})
	})
}

func TestQueueLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := Start(t, QueueLimit(2, 3*time.Second, Script{TTFT: time.Second, Output: 1}))
		var wg sync.WaitGroup
		status := make([]string, 5)
		for i := range status {
			wg.Go(func() {
				got := call(t.Context(), server, fmt.Sprintf(`{"messages":[{"content":"%d"}],"stream":true}`, i))
				status[i] = fmt.Sprint(got.status, got.header.Get("Retry-After"))
			})
		}
		wg.Wait()
		require.Equal(t, []string{"200", "200", "5033", "5033", "5033"}, status, "requests of one instant are taken in by their bodies")
	})
}

func TestBadCombinationsFailTheTest(t *testing.T) {
	rows := []struct {
		r    Responder
		want string
	}{
		{Mix(1), "mock: Mix: there are 0 shares, want at least 1"},
		{Mix(1, Share{-1, Script{}}), "mock: Mix: the weight of share 0 is -1, want > 0"},
		{When(nil, Script{}, Script{}), "mock: When: the test is nil, want a function"},
		{Sequence(nil), "mock: a responder is nil, want a Script or another Responder"},
		{RateLimit(0, 1, Script{}), "mock: RateLimit: perSecond is 0 and burst 1, want > 0 and >= 1"},
		{QueueLimit(0, 0, Script{}), "mock: QueueLimit: inFlight is 0 and retryAfter 0s, want > 0 and >= 0"},
		{ByPrompt("x", Script{ITL: -1}, Script{}), "mock: script: ITL is -1ns, want >= 0"},
		{Script{TTFTs: Uniform(2, 1)}, "mock: Uniform: the times are [2ns 1ns], want 0 <= least <= most"},
		{Script{ITLs: LogNormal(1, -1)}, "mock: LogNormal: sigma is -1, want >= 0"},
	}
	for _, row := range rows {
		var st stubT
		require.Nil(t, Start(&st, row.r))
		require.Equal(t, row.want, st.said)
	}
}

// Thirty runs in which everything happens at the same instants, and in which the
// answer depends on who came first, are equal to the last bit.
func TestThirtyRunsAreOne(t *testing.T) {
	run := func() (all []string) {
		synctest.Test(t, func(t *testing.T) {
			server := Start(t, Cycle(
				Script{TTFT: 10 * ms, ITL: 10 * ms, Output: 3},
				Script{TTFT: 20 * ms, ITL: 5 * ms, Output: 3},
				quick(ResetAfter(1)),
				Mix(1, Share{1, quick(Refuse(500, "no"))}, Share{1, Script{ITLs: Exponential(5 * ms)}}),
			))
			all = make([]string, 64)
			var wg sync.WaitGroup
			for user := range 16 {
				wg.Go(func() {
					for turn := range 4 {
						i := turn*16 + user
						all[i] = callAs(t.Context(), server, fmt.Sprintf("r%d", i), bare).trace(t)
					}
				})
			}
			wg.Wait()
			for _, x := range server.Requests() {
				all = append(all, fmt.Sprint(x.Number, x.ID, x.Arrived, x.Ended, x.Tokens))
			}
		})
		return all
	}
	first := run()
	for i := range 30 {
		require.Equal(t, first, run(), "run %d", i)
	}
}
