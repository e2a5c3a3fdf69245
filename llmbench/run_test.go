package llmbench_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// brief is the worked run of NVIDIA's brief on effective and active metrics:
// 16 users, 200 requests, 200 tokens in, 100 out, TTFT 100 ms, ITL 20 ms.
var (
	brief = llmbench.Profile{
		Arrivals: llmbench.Closed(16), Requests: 200,
		Input: llmbench.Tokens(200), Output: llmbench.Tokens(100), Seed: 7,
	}
	briefScript = mock.Script{TTFT: 100 * time.Millisecond, ITL: 20 * time.Millisecond}
)

// mean is the mean of a metric that must be there.
func mean(t *testing.T, r *llmbench.Result, m llmbench.Metric) float64 {
	t.Helper()
	value, ok := r.Stats(m).Mean().Get()
	require.True(t, ok, "%v: %s", m, r.Stats(m).Absent())
	return value
}

func TestBriefIsExactInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, briefScript), brief)

		require.Equal(t, 27040*time.Millisecond, result.Window.Length())
		require.Len(t, result.Records, 200)
		for _, r := range result.Records {
			require.Equal(t, llmbench.OK, r.Outcome, r.Error)
			require.Equal(t, [2]int{200, 100}, [2]int{r.InputTokens.Or(-1), r.OutputTokens.Or(-1)})
			require.Equal(t, [2]llmbench.Source{llmbench.FromUsage, llmbench.FromUsage}, [2]llmbench.Source{r.InputFrom, r.OutputFrom})
			var content []time.Duration
			for _, c := range r.Chunks {
				if c.Kind.Content() {
					content = append(content, c.At)
				}
			}
			require.Len(t, content, 100)
			require.Equal(t, 100*time.Millisecond, content[0]-r.Sent.Or(0), "TTFT")
			for i := range content[1:] {
				require.Equal(t, 20*time.Millisecond, content[i+1]-content[i], "gap %d", i)
			}
		}
		for _, row := range []struct {
			metric llmbench.Metric
			want   float64
		}{
			{llmbench.EffectiveDecodeConcurrency, 200 * 1.98 / 27.04},
			{llmbench.EffectivePrefillConcurrency, 200 * 0.1 / 27.04},
			{llmbench.EffectivePrefillThroughput, 40000 / 27.04},
			{llmbench.ActivePrefillThroughput, 40000 / 1.3},
			{llmbench.EffectiveDecodeThroughput, 200 * 99 / 27.04},
			{llmbench.ActiveDecodeThroughput, 200 * 99 / 25.74},
			{llmbench.TTFT, 100}, {llmbench.TPOT, 20}, {llmbench.ICL, 20},
			{llmbench.RequestLatency, 2080}, {llmbench.EffectiveLatency, 2080},
		} {
			require.InEpsilon(t, row.want, mean(t, result, row.metric), 1e-9, "%v", row.metric)
		}
		require.Equal(t, 32000.0, result.Stats(llmbench.ActivePrefillThroughput).Quantile(0.5).Or(-1))
		require.Equal(t, 0.0, result.Stats(llmbench.EffectivePrefillThroughput).Quantile(0.5).Or(-1))

		backwards := append([]llmbench.Record(nil), result.Records...)
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(backwards), func(i, j int) {
			backwards[i], backwards[j] = backwards[j], backwards[i]
		})
		again, err := llmbench.Analyze(backwards, llmbench.AnalyzeOptions{Concurrency: 16})
		require.NoError(t, err)
		for _, m := range llmbench.Metrics() {
			require.Equal(t, result.Stats(m).Mean(), again.Stats(m).Mean(), "%v: the order of records changes nothing", m)
		}
	})
}

// An open loop sends on schedule whatever the server does: with replies of 10 s
// and 10 arrivals a second, all 50 are on their way before the first has ended.
func TestOpenLoopNeverWaitsForReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 10 * time.Second})
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Constant(10), Duration: 5 * time.Second, Output: llmbench.Tokens(1),
		})
		require.Len(t, result.Records, 50)
		for i, r := range result.Records {
			require.Equal(t, llmbench.OK, r.Outcome)
			require.Equal(t, time.Duration(i)*100*time.Millisecond, r.Scheduled.Or(-1))
			require.Equal(t, r.Scheduled, r.Sent, "request %d left on time", i)
		}
	})
}

// Case 093: arrivals every 100 ms, one slot, 300 ms of service. The wait for
// the slot is in the clock that starts at the schedule, and not in the other.
func TestFullSlotsKeepTheScheduledInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 300 * time.Millisecond})
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Constant(10), Requests: 4, MaxInFlight: 1, Output: llmbench.Tokens(1),
		})
		for i, r := range result.Records {
			require.Equal(t, time.Duration(i)*100*time.Millisecond, r.Scheduled.Or(-1))
			require.Equal(t, time.Duration(i)*300*time.Millisecond, r.Sent.Or(-1))
		}
		require.Equal(t, 300.0, mean(t, result, llmbench.TTFT))
		require.Equal(t, 600.0, mean(t, result, llmbench.EffectiveTTFT), "300, 500, 700, 900")
		require.Equal(t, 3, result.Generator.CapFull)
		require.Equal(t, 600*time.Millisecond, result.Generator.LagMax.Or(-1))
	})
}

// Case 091: a server that stops for 500 ms. From the schedule the latencies
// are 10, 10, 510, 420, 330, 240, 150, 60, 10, 10 ms, from the send 10 and one 510.
func TestStallIsFeltByAllWhoCameMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, stall{at: 2, ttft: 10 * time.Millisecond, stalled: 510 * time.Millisecond})
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Constant(10), Requests: 10, MaxInFlight: 1, Output: llmbench.Tokens(1),
		})
		var planned, service []int64
		for _, r := range result.Records {
			first, _ := r.FirstContent()
			planned = append(planned, (first - r.Scheduled.Or(0)).Milliseconds())
			service = append(service, (first - r.Sent.Or(0)).Milliseconds())
		}
		require.Equal(t, []int64{10, 10, 510, 420, 330, 240, 150, 60, 10, 10}, planned)
		require.Equal(t, []int64{10, 10, 510, 10, 10, 10, 10, 10, 10, 10}, service)
		require.InDelta(t, 175, mean(t, result, llmbench.EffectiveTTFT), 1e-9)
		require.InDelta(t, 60, mean(t, result, llmbench.TTFT), 1e-9)
	})
}

// stall answers one request late and the others fast.
type stall struct {
	at            int
	ttft, stalled time.Duration
}

func (s stall) Respond(r *mock.Request) mock.Reply {
	script := mock.Script{TTFT: s.ttft}
	if r.Number == s.at {
		script.TTFT = s.stalled
	}
	return script.Respond(r)
}

// Case 106: at the end of Duration those in flight get the grace time and are
// then cancelled; those still queued are unsent; each is counted once.
func TestEndOfDurationCountsEachRequestOnce(t *testing.T) {
	for _, row := range []struct {
		why             string
		profile         llmbench.Profile
		ok, cut, unsent int
		end             time.Duration
	}{
		{"open loop, queue at the end: 10 due, slots for 2 of 400 ms each, 2 are in flight at 1 s",
			llmbench.Profile{Arrivals: llmbench.Constant(10), Duration: time.Second, MaxInFlight: 2, Grace: 100 * time.Millisecond},
			4, 2, 4, 1100 * time.Millisecond},
		{"a grace that suffices lets them end",
			llmbench.Profile{Arrivals: llmbench.Constant(10), Duration: time.Second, MaxInFlight: 2},
			6, 0, 4, 1300 * time.Millisecond},
		{"closed loop without grace: 3 users, two replies each, the third is cut",
			llmbench.Profile{Arrivals: llmbench.Closed(3), Duration: time.Second, Grace: llmbench.NoGrace},
			6, 3, 0, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := mock.Start(t, mock.Script{TTFT: 400 * time.Millisecond})
			row.profile.Output = llmbench.Tokens(1)
			result := llmbench.Run(t, server, row.profile)
			c := result.Counts
			require.Equal(t, [3]int{row.ok, row.cut, row.unsent}, [3]int{c.OK, c.Cancelled, c.Unsent}, row.why)
			require.Equal(t, c.Planned, c.Sent+c.Unsent, row.why)
			require.Len(t, result.Records, c.Planned, row.why)
			require.Equal(t, row.end, result.Window.To, row.why)
		})
	}
}

func TestWarmupIsMarkedAndLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, briefScript)
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(2), Requests: 6, Warmup: llmbench.WarmupPart{Requests: 4},
			Output: llmbench.Tokens(6), // 200 ms each
		})
		require.Len(t, result.Records, 10)
		for i, r := range result.Records {
			require.Equal(t, i >= 4, r.Phase == llmbench.Measure, "request %d", i)
		}
		require.Equal(t, [2]int{6, 4}, [2]int{result.Counts.OK, result.Counts.Warmup})
		require.Equal(t, 400*time.Millisecond, result.Window.From)
		require.Equal(t, time.Second, result.Window.To)
	})
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, briefScript)
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(2), Duration: time.Second, Warmup: llmbench.WarmupPart{Duration: 300 * time.Millisecond},
			Output: llmbench.Tokens(6),
		})
		require.Equal(t, 4, result.Counts.Warmup, "ready at 0 and 200 ms")
		require.Equal(t, 10, result.Counts.OK, "ready at 400, 600, 800, 1000 and 1200 ms: the measured second ends at 1300")
	})
}

// Case 121: what was measured survives an interrupt, with the reason.
func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond})
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough seen")
		time.AfterFunc(1350*time.Millisecond, func() { cancel(enough) })
		result, err := llmbench.Do(ctx, server, llmbench.Profile{
			Arrivals: llmbench.Closed(1), Requests: 100, Output: llmbench.Tokens(1),
		})
		require.ErrorIs(t, err, enough)
		require.EqualError(t, err, "llmbench: run stopped early, 14 of 100 requests were sent: enough seen")
		require.Equal(t, "enough seen", result.Stopped)
		c := result.Counts
		require.Equal(t, [4]int{13, 1, 86, 100}, [4]int{c.OK, c.Cancelled, c.Unsent, c.Planned})
		require.Contains(t, result.String(), "stopped    enough seen: these are partial results")
	})
}

func TestTimeoutBoundsOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, stall{at: 1, ttft: 10 * time.Millisecond, stalled: time.Hour})
		result := llmbench.Run(t, server, llmbench.Profile{
			Arrivals: llmbench.Closed(1), Requests: 3, Output: llmbench.Tokens(1), Timeout: time.Second,
		})
		require.Equal(t, [2]int{2, 1}, [2]int{result.Counts.OK, result.Counts.Timeout})
		require.Equal(t, llmbench.Timeout, result.Records[1].Outcome)
		require.Equal(t, time.Second, result.Records[1].End.Or(0)-result.Records[1].Sent.Or(0))
	})
}

func TestSeedFromTheEnvironment(t *testing.T) {
	t.Setenv("LLMBENCH_SEED", "41")
	synctest.Test(t, func(t *testing.T) {
		result := llmbench.Run(t, mock.Start(t, briefScript), llmbench.Profile{Arrivals: llmbench.Poisson(5), Requests: 3, Seed: 7})
		require.Equal(t, "Poisson 5 req/s, 3 requests, seed 41", result.Schedule.String())
	})
	t.Setenv("LLMBENCH_SEED", "many")
	_, err := llmbench.Do(t.Context(), llmbench.Endpoint{URL: "http://127.0.0.1:1"}, llmbench.Profile{Requests: 1})
	require.EqualError(t, err, `llmbench: LLMBENCH_SEED is "many", want a whole number >= 0`)
}
