package llmbench

import (
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// A Stage is a stretch of a load.
type Stage struct {
	// For is how long it lasts.
	For time.Duration
	// Arrivals are the load meanwhile; their clock starts with the stage.
	Arrivals Arrivals
}

// Stages are loads one after another, open loops or closed ones but not both.
// They end by themselves, so Profile.Requests and Duration may both be 0; where
// one is set it ends them earlier, and warm-up is taken from their beginning. In
// a closed loop users above a stage's number leave when their reply has ended,
// and users who join do so when the stage begins. See [Schedule.Stages] for the
// time of each in a run.
func Stages(stages ...Stage) Arrivals {
	s := staged{append([]Stage(nil), stages...)}
	for i := range s.stages {
		s.stages[i].Arrivals = orNoLoad(s.stages[i].Arrivals)
	}
	return s
}

// Steps are stages of equal length, the rungs of a ladder:
// Steps(time.Minute, Poisson(10), Poisson(20), Poisson(40)).
func Steps(each time.Duration, rungs ...Arrivals) Arrivals {
	var s staged
	for _, rung := range rungs {
		s.stages = append(s.stages, Stage{For: each, Arrivals: orNoLoad(rung)})
	}
	return s
}

type staged struct{ stages []Stage }

func (s staged) String() string {
	var parts []string
	for _, stage := range s.stages {
		parts = append(parts, fmt.Sprintf("%v for %v", stage.Arrivals, stage.For))
	}
	return "stages: " + strings.Join(parts, ", then ")
}

func (s staged) Users() int {
	most := 0
	for _, stage := range s.stages {
		most = max(most, stage.Arrivals.Users())
	}
	return most
}

// Rate is the expected number of requests over the whole time, as far as the
// stages' own mean rates tell.
func (s staged) Rate() Rate {
	expected := 0.0
	for _, stage := range s.stages {
		expected += float64(float64(stage.Arrivals.Rate()) * stage.For.Seconds())
	}
	return Rate(expected / s.total().Seconds())
}

func (s staged) total() time.Duration {
	var total time.Duration
	for _, stage := range s.stages {
		total += stage.For
	}
	return total
}

func (s staged) length() Known[time.Duration] { return Is(s.total()) }

func (s staged) check() error {
	if len(s.stages) == 0 {
		return wrong("Arrivals:", "Stages is empty, want at least one")
	}
	for i, stage := range s.stages {
		switch a := stage.Arrivals.(type) {
		case staged, replay:
			return wrong("Arrivals:", "stage %d: Arrivals is %v, want a simple load", i+1, a)
		}
		if math.IsInf(float64(stage.Arrivals.Rate()), 1) {
			return wrong("Arrivals:", "stage %d: %v has an infinite rate, want a finite one", i+1, stage.Arrivals)
		}
		if stage.For <= 0 {
			return wrong("Arrivals:", "stage %d: For is %v, want > 0", i+1, stage.For)
		}
		if err := stage.Arrivals.check(); err != nil {
			return wrong("Arrivals:", "stage %d: %s", i+1, strings.TrimPrefix(err.Error(), "Arrivals: "))
		}
		if (stage.Arrivals.Users() > 0) != (s.stages[0].Arrivals.Users() > 0) {
			return wrong("Arrivals:", "stage %d is %v and stage 1 is %v, want all open or all closed",
				i+1, stage.Arrivals, s.stages[0].Arrivals)
		}
	}
	return nil
}

// times draws each stage from a stream of its own, so that a longer first stage
// leaves the second as it was.
func (s staged) times(stream *draw.Stream) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		var begin time.Duration
		for _, stage := range s.stages {
			for at := range stage.Arrivals.times(stream.Fork()) {
				if at >= stage.For {
					break
				}
				if !yield(begin + at) {
					return
				}
			}
			begin += stage.For
		}
	}
}

// usersAt is how many users a closed loop has at an instant, and when that
// changes next; absent when it does not.
func usersAt(a Arrivals, at time.Duration) (users int, next Known[time.Duration]) {
	s, ok := a.(staged)
	if !ok {
		return a.Users(), next
	}
	var begin time.Duration
	for _, stage := range s.stages {
		if begin += stage.For; at < begin {
			return stage.Arrivals.Users(), Is(begin)
		}
	}
	return 0, next
}

// A StageSpan is a stage of a schedule: [From, To) from the start of the run.
type StageSpan struct {
	From, To time.Duration
	// Load describes the arrivals of the stage.
	Load string
}

// Stages are the stretches of a load made by [Stages] or [Steps], warm-up
// included, for [AnalyzeOptions]; nil for other loads. Where the profile ends
// earlier, the last ones may have no request.
func (s *Schedule) Stages() []StageSpan {
	loads, ok := s.profile.Arrivals.(staged)
	if !ok {
		return nil
	}
	var spans []StageSpan
	var begin time.Duration
	for _, stage := range loads.stages {
		spans = append(spans, StageSpan{From: begin, To: begin + stage.For, Load: stage.Arrivals.String()})
		begin += stage.For
	}
	return spans
}
