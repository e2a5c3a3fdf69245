package assert

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/llmbench/go/llmbench"
)

// A form is a claim with its two functions.
type form struct {
	claim Claim
	fatal func(T, *llmbench.Result)
	plain func(T, *llmbench.Result) bool
}

// formOf binds the functions of a claim that takes limits.
func formOf[L any](claim Claim, limits L, fatal func(T, *llmbench.Result, L), plain func(T, *llmbench.Result, L) bool) form {
	return form{
		claim,
		func(t T, r *llmbench.Result) { fatal(t, r, limits) },
		func(t T, r *llmbench.Result) bool { return plain(t, r, limits) },
	}
}

var (
	someTime   = Ceiling{Max: 1}
	someRate   = Floor{Mean: 1}
	someNumber = Bound{Max: 1}
)

// forms are all claims that have functions of their own.
var forms = map[string]form{
	"TTFT":                  formOf(TTFT(someTime), someTime, RequireTTFT, CheckTTFT),
	"EffectiveTTFT":         formOf(EffectiveTTFT(someTime), someTime, RequireEffectiveTTFT, CheckEffectiveTTFT),
	"TPOT":                  formOf(TPOT(someTime), someTime, RequireTPOT, CheckTPOT),
	"ITL":                   formOf(ITL(someTime), someTime, RequireITL, CheckITL),
	"ICL":                   formOf(ICL(someTime), someTime, RequireICL, CheckICL),
	"RequestLatency":        formOf(RequestLatency(someTime), someTime, RequireRequestLatency, CheckRequestLatency),
	"EffectiveLatency":      formOf(EffectiveLatency(someTime), someTime, RequireEffectiveLatency, CheckEffectiveLatency),
	"QueueWait":             formOf(QueueWait(someTime), someTime, RequireQueueWait, CheckQueueWait),
	"ActivePrefill":         formOf(ActivePrefill(someRate), someRate, RequireActivePrefill, CheckActivePrefill),
	"ActiveDecode":          formOf(ActiveDecode(someRate), someRate, RequireActiveDecode, CheckActiveDecode),
	"EffectivePrefill":      formOf(EffectivePrefill(someRate), someRate, RequireEffectivePrefill, CheckEffectivePrefill),
	"EffectiveDecode":       formOf(EffectiveDecode(someRate), someRate, RequireEffectiveDecode, CheckEffectiveDecode),
	"TotalThroughput":       formOf(TotalThroughput(someRate), someRate, RequireTotalThroughput, CheckTotalThroughput),
	"RequestRate":           formOf(RequestRate(someRate), someRate, RequireRequestRate, CheckRequestRate),
	"ThroughputPerUser":     formOf(ThroughputPerUser(someRate), someRate, RequireThroughputPerUser, CheckThroughputPerUser),
	"Concurrency":           formOf(Concurrency(someNumber), someNumber, RequireConcurrency, CheckConcurrency),
	"TokensInFlight":        formOf(TokensInFlight(someNumber), someNumber, RequireTokensInFlight, CheckTokensInFlight),
	"ErrorRate":             formOf(ErrorRate{AtMost: 0.5}, ErrorRate{AtMost: 0.5}, RequireErrorRate, CheckErrorRate),
	"Goodput":               formOf(Goodput{TTFT: ms, Fraction: 0.5}, Goodput{TTFT: ms, Fraction: 0.5}, RequireGoodput, CheckGoodput),
	"NoStall":               formOf(NoStall{Longest: ms}, NoStall{Longest: ms}, RequireNoStall, CheckNoStall),
	"OutputLength":          formOf(OutputLength{}, OutputLength{}, RequireOutputLength, CheckOutputLength),
	"CacheHitRate":          formOf(CacheHitRate{AtLeast: 0.5}, CacheHitRate{AtLeast: 0.5}, RequireCacheHitRate, CheckCacheHitRate),
	"Unsaturated":           formOf(Unsaturated{}, Unsaturated{}, RequireUnsaturated, CheckUnsaturated),
	"FitGenerator":          formOf(FitGenerator{}, FitGenerator{}, RequireFitGenerator, CheckFitGenerator),
	"LittlesLaw":            formOf(LittlesLaw{}, LittlesLaw{}, RequireLittlesLaw, CheckLittlesLaw),
	"StableWindow":          formOf(StableWindow{}, StableWindow{}, RequireStableWindow, CheckStableWindow),
	"SteadyState":           formOf(SteadyState{}, SteadyState{}, RequireSteadyState, CheckSteadyState),
	"Shed":                  formOf(Shed{Within: ms}, Shed{Within: ms}, RequireShed, CheckShed),
	"Recovery":              formOf(Recovery{Within: ms, TTFT: ms}, Recovery{Within: ms, TTFT: ms}, RequireRecovery, CheckRecovery),
	"Ratio":                 formOf(Ratio{Metric: llmbench.TTFT}, Ratio{Metric: llmbench.TTFT}, RequireRatio, CheckRatio),
	"Agreement":             {Agreement{}, RequireAgreement, CheckAgreement},
	"NoErrors":              {NoErrors{}, RequireNoErrors, CheckNoErrors},
	"Complete":              {Complete{}, RequireComplete, CheckComplete},
	"TokenCounts":           {TokenCounts{}, RequireTokenCounts, CheckTokenCounts},
	"NoCoordinatedOmission": {NoCoordinatedOmission{}, RequireNoCoordinatedOmission, CheckNoCoordinatedOmission},
}

// Both functions of a claim judge that claim: the fatal one stops the test, the
// other lets it go on.
func TestForms(t *testing.T) {
	nothing := made(t)
	for name, f := range forms {
		require.Equal(t, name, claimName(f.claim))
		want := f.claim.Check(nothing)
		require.NotEqual(t, Holds, want.State, name)
		line := layout(want.Line, withRerun(want.allRows(), &recorder{name: "TestX"}))

		seen := watch("TestX", func(t T) { f.fatal(t, nothing) })
		require.True(t, seen.stopped, name)
		require.Equal(t, []string{line}, seen.errors, name)

		held := true
		seen = watch("TestX", func(t T) { held = f.plain(t, nothing) })
		require.False(t, seen.stopped || held, name)
		require.Equal(t, []string{line}, seen.errors, name)
	}
}

// A claim that holds lets the test pass, in both forms.
func TestFormsThatHold(t *testing.T) {
	r := stall(t, 0)
	for _, name := range []string{"NoErrors", "Complete", "TokenCounts", "NoCoordinatedOmission", "Unsaturated", "SteadyState", "ActivePrefill"} {
		f := forms[name]
		held := false
		seen := watch("TestX", func(t T) { f.fatal(t, r); held = f.plain(t, r) })
		require.True(t, held, name)
		require.Empty(t, seen.errors, name)
		require.False(t, seen.stopped, name)
	}
}

// Every function of the package is among the forms.
func TestFormsAreComplete(t *testing.T) {
	for _, name := range requirers(t) {
		switch name = name[len("Require"):]; name {
		case "", "Contract", "Capacity": // Require itself, and what tests of their own call
		case "NoRegression": // judges runs; its forms are tested beside it
		default:
			require.Contains(t, forms, name)
		}
	}
}

// Helper marks the function that calls it, so the test's own must be called in
// each of ours: helper(t)() and not helper(t).
func TestHelpersAreCalled(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotRegexp(t, `(?m)^\s*helper\(t\)$`, string(text), path)
	}
}
