package assert

import (
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench"
)

// fitShare is how late the generator's own sends may be against what it
// measures: a lag of a tenth of the request latency moves no figure by more
// than a tenth. Lags under llmbench.LateSend are the operating system's.
const fitShare = 0.1

// unfit says why a run cannot tell about the server: the generator itself was
// the bottleneck. Empty when it was not, and when the result does not tell. A
// request that waits because MaxInFlight is full is late by the profile's will,
// and no fault of the generator.
func unfit(r *llmbench.Result) string {
	lag, late := ownLag(r)
	if !late || lag <= fitLag(r) {
		return ""
	}
	return fmt.Sprintf("the generator itself was late (p99 lag %s, want at most %s), so its times are not the server's",
		duration(lag), duration(fitLag(r)))
}

// ownLag is the p99 of the lag of sends that nothing held up, and whether it is
// more than an operating system's.
func ownLag(r *llmbench.Result) (time.Duration, bool) {
	if r.Generator == nil || r.Generator.CapFull > 0 {
		return 0, false
	}
	lag := r.Generator.LagP99.Or(0)
	return lag, lag > llmbench.LateSend
}

// fitLag is the lag up to which a run tells about the server.
func fitLag(r *llmbench.Result) time.Duration {
	latency := r.Stats(llmbench.RequestLatency).Mean().Or(0) // ms
	return max(llmbench.LateSend, time.Duration(fitShare*latency*1e6))
}
