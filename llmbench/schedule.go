package llmbench

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// A Planned is one request of a schedule.
type Planned struct {
	// Index is the request's place in the schedule, from 0.
	Index int
	// At is when it is due, from the start of the run. In a closed loop it is
	// known only when the user becomes ready, and 0 here.
	At    time.Duration
	Phase Phase
	// Input is the prompt's length in tokens.
	Input int
	// Output is the length asked for, in tokens; 0 asks for none.
	Output int
}

// A Schedule is a profile with every random choice made. It is a pure function
// of the profile and the seed.
type Schedule struct {
	// Open says that arrivals do not wait for replies.
	Open bool
	// Requests are the requests of an open loop in the order of their instants.
	// For a closed loop they are those that Profile.Requests and
	// Warmup.Requests fix; when a duration ends it, there are none, as their
	// number is up to the server.
	Requests []Planned

	profile Profile
	seed    uint64
}

// maxPlanned bounds a schedule, so that a rate with a slip of the keyboard is
// an error and not a machine without memory. Ten million arrivals are three
// hours at 925 req/s, and half a gigabyte.
const maxPlanned = 10_000_000

// Plan works out the schedule of a profile. The error names the field, its
// value and what was wanted.
func Plan(profile Profile) (*Schedule, error) {
	return plan(profile, profile.Seed)
}

func plan(profile Profile, seed uint64) (*Schedule, error) {
	profile = profile.withDefaults()
	if err := profile.check(); err != nil {
		return nil, err
	}
	s := &Schedule{Open: profile.Arrivals.Users() == 0, profile: profile, seed: seed}
	if s.Open {
		s.planOpen()
	} else if profile.Duration == 0 && profile.Warmup.Duration == 0 {
		s.planClosed()
	}
	return s, nil
}

func (s *Schedule) planOpen() {
	door := s.admission()
	for at := range s.profile.Arrivals.times(draw.New(s.seed, draw.Arrivals)) {
		next, ok := door.admit(at)
		if !ok {
			return
		}
		next.At = at
		s.Requests = append(s.Requests, next)
	}
}

func (s *Schedule) planClosed() {
	door := s.admission()
	for {
		next, ok := door.admit(0)
		if !ok {
			return
		}
		s.Requests = append(s.Requests, next)
	}
}

// lengths draws what request i is made of. It depends on the seed and i alone,
// so a closed loop may ask in any order.
func (s *Schedule) lengths(i int) (input, output int) {
	stream := draw.New(s.seed, draw.Lengths+uint64(i))
	input = s.profile.Input.draw(stream)
	if s.profile.Output != nil {
		output = s.profile.Output.draw(stream)
	}
	return input, output
}

// Hash names the schedule: equal hashes are the same requests at the same
// instants with the same lengths. It is empty where the server sets the number
// of requests, in a closed loop that a duration ends.
func (s *Schedule) Hash() string {
	if len(s.Requests) == 0 {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "llmbench.schedule/v1 users=%d\n", s.profile.Arrivals.Users())
	for _, r := range s.Requests {
		warm := int64(0)
		if r.Phase == Warmup {
			warm = 1
		}
		row := [4]int64{int64(r.At), warm, int64(r.Input), int64(r.Output)}
		_ = binary.Write(sum, binary.BigEndian, row) // a hash never fails to write
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// String describes the schedule in one line: "Poisson 40 req/s for 30s, seed 7".
func (s *Schedule) String() string {
	text := s.profile.Arrivals.String()
	if s.profile.Duration > 0 {
		text += fmt.Sprintf(" for %v", s.profile.Duration)
	}
	if s.profile.Requests > 0 {
		text += fmt.Sprintf(", %d requests", s.profile.Requests)
	}
	return text + fmt.Sprintf(", seed %d", s.seed)
}

// MarshalJSON writes what the schedule is, not its requests: they are in the
// records, and the hash tells whether two schedules are the same.
func (s *Schedule) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Text string `json:"text"`
		Open bool   `json:"open"`
		Seed uint64 `json:"seed"`
		Hash string `json:"hash,omitempty"`
	}{s.String(), s.Open, s.seed, s.Hash()})
}

// An admission decides, request by request in the order of their instants,
// which phase each belongs to and where the sending ends.
type admission struct {
	schedule *Schedule
	index    int
	measured int
	// start is when the measured part began; known from its first request on.
	start Known[time.Duration]
}

func (s *Schedule) admission() *admission { return &admission{schedule: s} }

// admit returns the next request, due at the instant given, or false when the
// profile is spent.
func (a *admission) admit(at time.Duration) (Planned, bool) {
	p := a.schedule.profile
	next := Planned{Index: a.index, Phase: Measure}
	if a.index < p.Warmup.Requests || at < p.Warmup.Duration {
		next.Phase = Warmup
	} else if !a.open(at) {
		return Planned{}, false
	}
	if next.Phase == Measure {
		a.measured++
	}
	a.index++
	next.Input, next.Output = a.schedule.lengths(next.Index)
	return next, true
}

// open reports whether the measured part still takes a request at the instant.
func (a *admission) open(at time.Duration) bool {
	p := a.schedule.profile
	if !a.start.Ok() {
		a.start = Is(max(at, p.Warmup.Duration))
	}
	if p.Requests > 0 && a.measured >= p.Requests {
		return false
	}
	return p.Duration == 0 || at-a.start.Or(0) < p.Duration
}
