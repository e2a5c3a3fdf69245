package assert_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/assert"
	"github.com/llmbench/go/llmbench"
	"github.com/llmbench/go/mock"
)

// A listener is a test that goes on after each failure and keeps its first line.
type listener struct {
	*testing.T
	first []string
}

func (l *listener) FailNow() {}
func (l *listener) Errorf(format string, args ...any) {
	line, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n")
	l.first = append(l.first, line)
}

// said wants the failures to begin as the package documentation shows below the
// words given.
func (l *listener) said(words string) {
	l.T.Helper()
	source, err := os.ReadFile("doc.go")
	require.NoError(l.T, err)
	_, after, found := strings.Cut(string(source), "\n// "+words+":\n//\n")
	require.True(l.T, found, "doc.go has no words %q", words)
	block, _, _ := strings.Cut(after, "\n//\n")
	var shown []string
	for _, line := range regexp.MustCompile(`(?m)^//\t// (.*)$`).FindAllStringSubmatch(block, -1) {
		shown = append(shown, line[1])
	}
	require.Equal(l.T, shown, l.first)
}

// The blocks of the package documentation, word for word; between their lines
// stands what they take as given, which result it is above all. A test in
// examples/serving finds each block in one of these functions.

func TestShownForms(t *testing.T) {
	var result *llmbench.Result
	synctest.Test(t, func(t *testing.T) {
		server := mock.Start(t, mock.Script{TTFT: 100 * time.Millisecond})
		result = llmbench.Run(t, server, llmbench.Profile{Arrivals: llmbench.Poisson(20), Requests: 100, Input: llmbench.Tokens(4000)})
	})
	assert.Require(t, result,
		assert.ActivePrefill{Mean: 25_000},
		assert.TTFT{P99: 150 * time.Millisecond},
		assert.NoErrors{},
		assert.NoCoordinatedOmission{})

	assert.RequireTTFT(t, result, assert.Ceiling{P99: 150 * time.Millisecond})
	if !assert.CheckTTFT(t, result, assert.Ceiling{P99: 150 * time.Millisecond}) {
		return
	}
}

func TestShownLatency(outer *testing.T) {
	t, r := &listener{T: outer}, assert.Runs["slow tail"](outer)
	assert.RequireTTFT(t, r, assert.Ceiling{P99: 150 * time.Millisecond})
	r = assert.Runs["steady"](outer)
	assert.RequireTTFT(t, r, assert.Ceiling{P99: 70 * time.Millisecond, PerInputToken: 100 * time.Microsecond})
	r = assert.Runs["capped at 128"](outer)
	assert.RequireEffectiveTTFT(t, r, assert.Ceiling{P90: time.Second})
	r = assert.Runs["steady"](outer)
	assert.RequireTPOT(t, r, assert.Ceiling{P50: 15 * time.Millisecond})
	r = assert.Runs["stuttering"](outer)
	assert.RequireITL(t, r, assert.Ceiling{P99: 100 * time.Millisecond})
	assert.RequireICL(t, r, assert.Ceiling{Max: 200 * time.Millisecond})
	r = assert.Runs["steady"](outer)
	assert.RequireRequestLatency(t, r, assert.Ceiling{P90: 2 * time.Second})
	r = assert.Runs["capped at 128"](outer)
	assert.RequireEffectiveLatency(t, r, assert.Ceiling{P99: time.Second})
	assert.RequireQueueWait(t, r, assert.Ceiling{P99: 100 * time.Millisecond})
	t.said("Latency and tokens")
}

func TestShownRates(outer *testing.T) {
	t, r := &listener{T: outer}, assert.Runs["sparse"](outer)
	assert.RequireActivePrefill(t, r, assert.Floor{Mean: 20_000})
	r = assert.Runs["steady"](outer)
	assert.RequireActiveDecode(t, r, assert.Floor{Mean: 1000})
	assert.RequireEffectivePrefill(t, r, assert.Floor{Mean: 2000})
	assert.RequireEffectiveDecode(t, r, assert.Floor{Mean: 1000})
	assert.RequireTotalThroughput(t, r, assert.Floor{Mean: 5000})
	r = assert.Runs["at 5 req/s"](outer)
	assert.RequireRequestRate(t, r, assert.Floor{Mean: 10})
	r = assert.Runs["one of 4 fails"](outer)
	assert.RequireThroughputPerUser(t, r, assert.Floor{P25: 50})
	t.said("Rates")
}

func TestShownConcurrency(outer *testing.T) {
	t, r := &listener{T: outer}, assert.Runs["steady"](outer)
	assert.RequireConcurrency(t, r, assert.Bound{Max: 15})
	assert.RequireTokensInFlight(t, r, assert.Bound{Max: 4096})
	t.said("Concurrency and memory")
}

func TestShownHealth(outer *testing.T) {
	t, r := &listener{T: outer}, assert.Runs["refusing"](outer)
	assert.RequireNoErrors(t, r)
	r = assert.Runs["at 20 req/s"](outer)
	assert.RequireErrorRate(t, r, assert.ErrorRate{AtMost: 0.1})
	r = assert.Runs["slow at times"](outer)
	assert.RequireGoodput(t, r, assert.Goodput{TTFT: 120 * time.Millisecond, TPOT: 15 * time.Millisecond, Fraction: 0.9})
	assert.RequireGoodput(t, r, assert.Goodput{TTFT: 120 * time.Millisecond, Rate: 25})
	r = assert.Runs["stuttering"](outer)
	assert.RequireNoStall(t, r, assert.NoStall{Longest: 100 * time.Millisecond})
	r = assert.Runs["broken off"](outer)
	assert.RequireComplete(t, r)
	r = assert.Runs["uncounted"](outer)
	assert.RequireTokenCounts(t, r)
	r = assert.Runs["short"](outer)
	assert.RequireOutputLength(t, r, assert.OutputLength{})
	t.said("Health")
}

func TestShownMethod(outer *testing.T) {
	t, r := &listener{T: outer}, assert.Runs["capped at 128"](outer)
	assert.RequireNoCoordinatedOmission(t, r)
	r = assert.Runs["capped at 64"](outer)
	assert.RequireUnsaturated(t, r, assert.Unsaturated{})
	r = assert.Runs["cached"](outer)
	assert.RequireStableWindow(t, r, assert.StableWindow{})
	r = assert.Runs["drowning"](outer)
	assert.RequireSteadyState(t, r, assert.SteadyState{})
	r = assert.Runs["late generator"](outer)
	assert.RequireFitGenerator(t, r, assert.FitGenerator{})
	r = assert.Runs["disagreeing"](outer)
	assert.RequireAgreement(t, r)
	r = assert.Runs["cut"](outer)
	assert.RequireLittlesLaw(t, r, assert.LittlesLaw{})
	t.said("Method")
}

func TestShownCaches(outer *testing.T) {
	t, r, overloaded := &listener{T: outer}, assert.Runs["cached"](outer), assert.Runs["shedding"](outer)
	assert.RequireCacheHitRate(t, r, assert.CacheHitRate{AtLeast: 0.8})
	r = assert.Runs["at 10 req/s"](outer)
	assert.RequireShed(t, overloaded, assert.Shed{Within: 100 * time.Millisecond, Peak: r, Share: 0.9})
	r = assert.Runs["burst"](outer)
	assert.RequireRecovery(t, r, assert.Recovery{BurstEnd: 2 * time.Second, Within: time.Second, TTFT: 200 * time.Millisecond})
	t.said("Caches and shedding")
}

func TestShownComparisons(outer *testing.T) {
	t, r := &listener{T: outer}, assert.Runs["classed"](outer)
	hit, miss := assert.Class{Label: "chat", Cache: assert.CacheHit}, assert.Class{Label: "chat", Cache: assert.CacheMiss}
	assert.RequireRatio(t, r, assert.Ratio{Metric: llmbench.TTFT, Stat: "p50", Of: hit, To: miss, AtMost: 0.3})
	assert.Require(t, r, assert.Among(assert.Class{Label: "batch"}, assert.TTFT{P50: 200 * time.Millisecond}))
	t.said("Comparisons, and one class of requests")
}

func TestShownCapacity(outer *testing.T) {
	t, ladder := &listener{T: outer}, assert.Ladder(outer)
	assert.RequireCapacity(t, ladder, assert.Capacity{AtLeast: 20})
	t.said("What a ladder of rising loads found, see llmbench.Ladder and AllOf")
}

func TestShownContract(outer *testing.T) {
	t, r := &listener{T: outer}, assert.Runs["steady"](outer)
	assert.RequireContract(t, r, "testdata/chat.slo.yaml")
	require.Contains(outer, t.first, "active prefill throughput is 30.8k tok/s, want at least 40.0k tok/s")
}

// sixteen are requests one after the other, of 280 ms each.
var sixteen = llmbench.Profile{Arrivals: llmbench.Closed(1), Requests: 16, Output: llmbench.Tokens(10)}

// served is a server for runs of sixteen, each up to half a percent slower or
// faster than the one before, in which the last reply hangs before its last token.
func served(t *testing.T, slower float64, hangs time.Duration) *mock.Server {
	return mock.Start(t, mock.ResponderFunc(func(r *mock.Request) mock.Reply {
		scale := 1 + slower + float64(r.Number/16*7%10-4)/1000
		var reply mock.Responder = mock.Script{TTFT: time.Duration(scale * 100e6), ITL: time.Duration(scale * 20e6)}
		if r.Number%16 == 15 && hangs > 0 {
			reply = mock.With(reply, mock.Stall(9, hangs))
		}
		return reply.Respond(r)
	}))
}

func TestShownRegression(outer *testing.T) {
	outer.Setenv("LLMBENCH_UPDATE", "") // which is for goldens here
	source, err := os.ReadFile("doc.go")
	require.NoError(outer, err)
	outer.Chdir(outer.TempDir())
	require.NoError(outer, os.WriteFile("doc.go", source, 0o644))
	synctest.Test(outer, func(outer *testing.T) {
		t, profile := &listener{T: outer}, sixteen
		base := func(n int) {
			runs, err := llmbench.DoRepeat(outer.Context(), n, served(outer, 0, 0), profile)
			require.NoError(outer, err)
			require.NoError(outer, llmbench.WriteBaseline("testdata/serve.baseline.json", runs))
		}
		base(10)
		server := served(outer, 0.0003, 60*time.Millisecond)
		runs := llmbench.Repeat(t, 10, server, profile)
		assert.RequireNoRegression(t, runs, assert.NoRegression{Baseline: "testdata/serve.baseline.json"})
		base(4)
		runs = llmbench.Repeat(t, 4, server, profile)
		assert.RequireNoRegression(t, runs, assert.NoRegression{Baseline: "testdata/serve.baseline.json"})
		t.said("Runs against a baseline, or against another server beside it")
	})
}

func TestShownWithoutVerdict(outer *testing.T) {
	outer.Setenv("LLMBENCH_CANNOT_JUDGE", "")
	t, r, closedLoop := &listener{T: outer}, assert.Runs["of 120"](outer), assert.Runs["steady"](outer)
	assert.RequireTTFT(t, r, assert.Ceiling{P99: 500 * time.Millisecond, Confidence: 0.95})
	r = assert.Runs["all failed"](outer)
	assert.RequireTTFT(t, r, assert.Ceiling{P99: 100 * time.Millisecond})
	assert.RequireNoCoordinatedOmission(t, closedLoop)
	r = assert.Runs["steady"](outer)
	assert.RequireTTFT(t, r, assert.Ceiling{})
	t.said("And where there is no verdict")
}
