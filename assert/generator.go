package assert

import (
	"fmt"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench"
)

// fitShare is how late the generator's own sends may be against what it
// measures: a lag of a tenth of the request latency moves no figure by more
// than a tenth. Lags under llmbench.LateSend are the operating system's.
const fitShare = 0.1

// unfit says why a run cannot tell about the server: the generator itself was
// the bottleneck. Empty when it was not, and when the result does not tell. A
// request that waits because a cap of the profile is full is late by the
// profile's will, and no fault of the generator.
func unfit(r *llmbench.Result) string {
	g := r.Generator
	if g == nil {
		return ""
	}
	if g.Fitness == llmbench.Unfit {
		return "the generator itself was the bottleneck: " + strings.Join(g.Reasons, "; ")
	}
	if lag := ownLag(r); lag > fitLag(r) {
		return fmt.Sprintf("the generator itself was late (p99 lag %s, want at most %s), so its times are not the server's",
			duration(lag), duration(fitLag(r)))
	}
	return ""
}

// ownLag is the p99 of the generator's own part in the lag of sends. Without
// that figure it is the lag itself, if no cap held requests up.
func ownLag(r *llmbench.Result) time.Duration {
	g := r.Generator
	if own, ok := g.DelayP99.Get(); ok {
		return own
	}
	if g.CapFull > 0 {
		return 0
	}
	return g.LagP99.Or(0)
}

// fitLag is the lag up to which a run tells about the server.
func fitLag(r *llmbench.Result) time.Duration {
	latency := r.Stats(llmbench.RequestLatency).Mean().Or(0) // ms
	return max(llmbench.LateSend, time.Duration(fitShare*latency*1e6))
}

// fullCap is the cap of the profile that held requests up, as "MaxInFlight =
// 128"; empty if none did.
func fullCap(r *llmbench.Result) string {
	if r.Generator == nil || r.Profile == nil || r.Generator.CapFull == 0 {
		return ""
	}
	var caps []string
	if n := r.Profile.MaxInFlight; n > 0 {
		caps = append(caps, fmt.Sprintf("MaxInFlight = %d", n))
	}
	if n := r.Profile.MaxPrefill; n > 0 {
		caps = append(caps, fmt.Sprintf("MaxPrefill = %d", n))
	}
	return strings.Join(caps, " or ")
}
