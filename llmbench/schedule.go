package llmbench

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/llmbench/go/llmbench/internal/draw"
)

// A Planned is one request of a schedule.
type Planned struct {
	// Index is the request's place in the schedule, from 0.
	Index int
	// At is when it is due, from the start of the run. In a closed loop, and for
	// the later turns of a session, it is known only when the user becomes ready,
	// and 0 here.
	At    time.Duration
	Phase Phase
	// Input is the prompt's length in tokens, without what it shares with others
	// and without the history of its session.
	Input int
	// Output is the length asked for, in tokens; 0 asks for none.
	Output int
	// Session is the conversation it belongs to, empty for a request on its own,
	// and Turn its place in it.
	Session string
	Turn    int
	// Label is its class.
	Label string
	// Think is how long its user thinks before it: from the end of the reply
	// before to At.
	Think time.Duration
	// Cancel is how long after its sending it is cancelled on purpose.
	Cancel Known[time.Duration]

	follows bool      // the request before it in the schedule must end first
	key     uint64    // names the streams that decide what it says
	row     *TraceRow // where it comes from, if from a trace
}

// A Schedule is a profile with every random choice made. It is a pure function
// of the profile and the seed.
type Schedule struct {
	// Open says that arrivals do not wait for replies.
	Open bool
	// Requests are the requests of an open loop in the order of their instants,
	// the turns of a session one after another. For a closed loop they are those
	// that Profile.Requests and Warmup.Requests fix; when a duration ends it,
	// there are none, as their number is up to the server.
	Requests []Planned

	profile Profile
	seed    uint64
	groups  [][]*TraceRow // the sessions of Profile.Dataset
}

// maxPlanned bounds a schedule, so that a rate with a slip of the keyboard is
// an error and not a machine without memory. Ten million arrivals are three
// hours at 925 req/s, and 1.5 GB.
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
	if profile.Dataset != nil {
		s.groups = grouped(profile.Dataset, seed)
	}
	if s.Open {
		return s, s.planOpen()
	}
	if profile.Duration == 0 && profile.Warmup.Duration == 0 && profile.Cooldown == 0 {
		return s, s.planClosed()
	}
	return s, nil
}

func (s *Schedule) planOpen() error {
	door := s.admission()
	for at := range s.profile.Arrivals.times(draw.New(s.seed, draw.Arrivals)) {
		turns := door.admit(at)
		if len(turns) == 0 {
			return nil
		}
		if err := s.add(turns); err != nil {
			return err
		}
	}
	return nil
}

func (s *Schedule) planClosed() error {
	door := s.admission()
	for {
		turns := door.admit(0)
		if len(turns) == 0 {
			return nil
		}
		if err := s.add(turns); err != nil {
			return err
		}
	}
}

func (s *Schedule) add(turns []Planned) error {
	if len(s.Requests)+len(turns) > maxPlanned {
		return fmt.Errorf("llmbench: profile: Arrivals plan more than %d requests", maxPlanned)
	}
	s.Requests = append(s.Requests, turns...)
	return nil
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
	if _, ok := s.profile.Arrivals.(staged); ok || !s.profile.Prompt.isZero() {
		fmt.Fprintf(sum, "%v %v\n", s.profile.Arrivals, s.profile.Prompt)
	}
	for i := range s.Requests {
		s.Requests[i].hash(sum)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// hash writes what the request is. What most requests have not is written only
// where it is there, so that new kinds of load leave the old hashes alone.
func (p *Planned) hash(sum interface{ Write([]byte) (int, error) }) {
	phase := int64(0)
	switch p.Phase {
	case Warmup:
		phase = 1
	case Cooldown:
		phase = 2
	}
	row := [4]int64{int64(p.At), phase, int64(p.Input), int64(p.Output)}
	_ = binary.Write(sum, binary.BigEndian, row) // a hash never fails to write
	if p.Session != "" || p.Label != "" || p.Think > 0 || p.Cancel.Ok() {
		fmt.Fprintf(sum, "%q %d %q %d %d\n", p.Session, p.Turn, p.Label, p.Think, p.Cancel.Or(-1))
	}
	if p.row != nil {
		fmt.Fprintf(sum, "%d %q %d\n", p.row.Blocks, p.row.Prompt, p.row.Images)
	}
}

// PrefixBlocks counts the prefix blocks of the requests that come from a trace, and
// those that a cache without bounds would have held, as Trace.PrefixBlocks does for
// the whole trace. Both are 0 for a load without a trace.
func (s *Schedule) PrefixBlocks() Blocks {
	var sent Trace
	for i := range s.Requests {
		if row := s.Requests[i].row; row != nil {
			sent.Rows = append(sent.Rows, *row)
		}
	}
	return sent.PrefixBlocks()
}

// WriteCSV writes the schedule with a line per request: index, at_ns, phase,
// input_tokens, output_tokens, session, turn, label, think_ns, cancel_ns. An
// instant that is known only in the run is empty, and so is what a request does
// not have.
func (s *Schedule) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"index", "at_ns", "phase", "input_tokens", "output_tokens", "session", "turn", "label", "think_ns", "cancel_ns"})
	for i := range s.Requests {
		_ = out.Write(s.Requests[i].columns(s.Open)) // the writer keeps its error
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("llmbench: schedule: %w", err)
	}
	return nil
}

// columns are the request in the order of WriteCSV.
func (p *Planned) columns(open bool) []string {
	number := func(n int64, known bool) string {
		if !known {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	return []string{
		strconv.Itoa(p.Index), number(int64(p.At), open && !p.follows), string(p.Phase),
		strconv.Itoa(p.Input), number(int64(p.Output), p.Output > 0),
		p.Session, number(int64(p.Turn), p.Session != ""), p.Label,
		number(int64(p.Think), p.Think > 0), number(int64(p.Cancel.Or(0)), p.Cancel.Ok()),
	}
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
