package llmbench

import (
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench/internal/sweep"
)

// SteadyRule cuts ramp-up and drain off the whole run. The concurrency is
// averaged over 200 slices of equal time; from the front as many slices are cut
// as make the standard error of the mean of the rest smallest, up to half of
// them, and then the same from the back. This is MSER (White 1997, "An
// effective truncation heuristic for bias reduction in simulation output"), with
// slices of time in the place of its batches of five observations, applied at
// both ends, as a load test also drains. Half is where MSER is no longer
// trusted; so at least a quarter of the run is left, or there is no window.
const SteadyRule = "steady/mser-200"

const steadySlices = 200

// SteadyWindow finds the steady part of the measured requests by
// [SteadyRule]. It is an error if the run has no length, if no cut up to half
// of the run brings the error of the mean down any more, that is if the run did
// not settle, or if less than a tenth is left.
func SteadyWindow(records []Record) (Window, error) {
	whole := wholeWindow(records)
	if whole.Length() < steadySlices {
		return Window{}, fmt.Errorf("no steady window: the run lasted %v", whole.Length())
	}
	heights := concurrencySlices(records, whole)
	front := truncation(heights)
	kept := heights[front:]
	back := truncation(reversed(kept))
	if front == steadySlices/2 || back == len(kept)/2 {
		return Window{}, fmt.Errorf("no steady window: the concurrency did not settle in either half of the run")
	}
	at := func(slice int) time.Duration {
		return whole.From + time.Duration(float64(whole.Length())*float64(slice)/steadySlices)
	}
	return Window{From: at(front), To: at(steadySlices - back), Rule: SteadyRule}, nil
}

// concurrencySlices is the mean concurrency in each slice of the window.
func concurrencySlices(records []Record, w Window) []float64 {
	var events []sweep.Event
	for i := range records {
		start, sent := nanos(records[i].Sent)
		end, ended := nanos(records[i].End)
		if records[i].Measured() && sent && ended && end > start {
			events = append(events, sweep.Event{At: start, Step: sendStep}, sweep.Event{At: end, Step: endStep})
		}
	}
	sweep.Sort(events)
	slices := make([]float64, steadySlices)
	width := float64(w.Length()) / steadySlices
	sweep.Walk(sweep.Heights{}, events, int64(w.From), int64(w.To), func(e sweep.Event, h *sweep.Heights) {
		if e.Step == sendStep {
			h.Concurrency++
		} else {
			h.Concurrency--
		}
	}, func(at, length int64, h *sweep.Heights) {
		spread := float64(at - int64(w.From))
		for rest := float64(length); rest > 0; {
			i := min(int(spread/width), steadySlices-1)
			part := min(rest, float64(i+1)*width-spread)
			if part <= 0 || i == steadySlices-1 {
				part = rest
			}
			slices[i] += part / width * float64(h.Concurrency)
			spread, rest = spread+part, rest-part
		}
	})
	return slices
}

// truncation is how many values to cut off the front, up to half, so that the
// squared standard error of the mean of the rest is least; the fewest of
// equals.
func truncation(values []float64) int {
	var sum, squares float64
	best, cut := -1.0, 0
	for i := len(values) - 1; i >= 0; i-- {
		sum += values[i]
		squares += values[i] * values[i]
		if i > len(values)/2 {
			continue
		}
		n := float64(len(values) - i)
		// Rounding leaves a residue of equal values; it counts as none.
		deviation := squares - sum*sum/n
		if deviation < 1e-9*squares {
			deviation = 0
		}
		if error := deviation / (n * n); best < 0 || error <= best {
			best, cut = error, i
		}
	}
	return cut
}

func reversed(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[len(out)-1-i] = v
	}
	return out
}
