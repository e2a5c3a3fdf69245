package mock

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// binding makes the state of responders that have some: each server its own.
type binding struct {
	engines []*engine
}

// binder is a Responder with state, or with parts that may have some.
type binder interface {
	bind(*binding) Responder
}

func (b *binding) bind(r Responder) Responder {
	if s, ok := r.(binder); ok {
		return s.bind(b)
	}
	return r
}

func (b *binding) all(rs []Responder) []Responder {
	bound := make([]Responder, len(rs))
	for i, r := range rs {
		bound[i] = b.bind(r)
	}
	return bound
}

// Sequence answers the first request by the first responder, the second by the
// second, and so on; the last goes on for the rest. The requests are those that
// come to this Sequence, in order of arrival.
func Sequence(first Responder, more ...Responder) Responder {
	return &sequence{all: append([]Responder{first}, more...)}
}

// Cycle is Sequence that begins again after the last.
func Cycle(first Responder, more ...Responder) Responder {
	return &sequence{all: append([]Responder{first}, more...), again: true}
}

// sequence counts by itself, since Request.Number counts all requests of the
// server and not those that come here.
type sequence struct {
	all   []Responder
	again bool
	n     int
}

func (s *sequence) Respond(r *Request) Reply {
	i := s.n
	s.n++
	if s.again {
		return s.all[i%len(s.all)].Respond(r)
	}
	return s.all[min(i, len(s.all)-1)].Respond(r)
}

func (s *sequence) bind(b *binding) Responder { return &sequence{all: b.all(s.all), again: s.again} }
func (s *sequence) Validate() error           { return validateAll(s.all...) }

// When answers by then the requests for which the test holds, and by otherwise
// the rest.
func When(test func(*Request) bool, then, otherwise Responder) Responder {
	return when{test, then, otherwise, false}
}

// ByPrompt is When for prompts that contain the text.
func ByPrompt(contains string, then, otherwise Responder) Responder {
	return when{func(r *Request) bool { return strings.Contains(r.Prompt, contains) }, then, otherwise, true}
}

// ByHeader is When for requests whose header has the value.
func ByHeader(name, value string, then, otherwise Responder) Responder {
	return when{func(r *Request) bool { return r.Header.Get(name) == value }, then, otherwise, true}
}

// ByModel is When for requests that name the model.
func ByModel(model string, then, otherwise Responder) Responder {
	return when{func(r *Request) bool { return r.Model == model }, then, otherwise, true}
}

// ByNumber is When for the request of that number.
func ByNumber(number int, then, otherwise Responder) Responder {
	return When(func(r *Request) bool { return r.Number == number }, then, otherwise)
}

// when has two branches and a test.
type when struct {
	test            func(*Request) bool
	then, otherwise Responder
	pure            bool // the test does not look at who came first
}

func (w when) Respond(r *Request) Reply {
	if w.test(r) {
		return w.then.Respond(r)
	}
	return w.otherwise.Respond(r)
}

func (w when) ordered() bool {
	return !w.pure || orderMatters(w.then) || orderMatters(w.otherwise)
}

func (w when) bind(b *binding) Responder {
	return when{w.test, b.bind(w.then), b.bind(w.otherwise), w.pure}
}

func (w when) Validate() error {
	if w.test == nil {
		return errors.New("mock: When: the test is nil, want a function")
	}
	return validateAll(w.then, w.otherwise)
}

// Share is one part of a Mix.
type Share struct {
	Weight float64
	Responder
}

// Mix draws a responder for each request, as likely as its weight says. The draw
// depends on the seed and the request, not on the order of arrival.
func Mix(seed uint64, shares ...Share) Responder { return mix{seed, shares} }

// mix has weighted shares.
type mix struct {
	seed   uint64
	shares []Share
}

func (m mix) Respond(r *Request) Reply {
	total := 0.0
	for _, s := range m.shares {
		total += s.Weight
	}
	at := r.Rand(m.seed^mixStream).Float64() * total
	for _, s := range m.shares[:len(m.shares)-1] {
		if at < s.Weight {
			return s.Respond(r)
		}
		at -= s.Weight
	}
	return m.shares[len(m.shares)-1].Respond(r)
}

func (m mix) ordered() bool {
	for _, s := range m.shares {
		if orderMatters(s.Responder) {
			return true
		}
	}
	return false
}

func (m mix) bind(b *binding) Responder {
	bound := mix{seed: m.seed}
	for _, s := range m.shares {
		bound.shares = append(bound.shares, Share{s.Weight, b.bind(s.Responder)})
	}
	return bound
}

func (m mix) Validate() error {
	if len(m.shares) == 0 {
		return errors.New("mock: Mix: there are 0 shares, want at least 1")
	}
	for i, s := range m.shares {
		if !(s.Weight > 0) {
			return fmt.Errorf("mock: Mix: the weight of share %d is %v, want > 0", i, s.Weight)
		}
		if err := validateAll(s.Responder); err != nil {
			return err
		}
	}
	return nil
}

// RateLimit lets perSecond requests through, and burst at once, by a bucket of
// tokens; it refuses the rest with 429 and a Retry-After that tells when there
// is room again.
func RateLimit(perSecond float64, burst int, next Responder) Responder {
	return &rateLimit{rate: perSecond, burst: burst, next: next, level: float64(burst)}
}

// rateLimit is a bucket of tokens: level is what was in it at the instant last.
type rateLimit struct {
	rate  float64
	burst int
	next  Responder
	level float64
	last  time.Duration
}

func (l *rateLimit) Respond(r *Request) Reply {
	l.level = min(float64(l.burst), l.level+(r.Arrived-l.last).Seconds()*l.rate)
	l.last = r.Arrived
	if l.level >= 1 {
		l.level--
		return l.next.Respond(r)
	}
	wait := time.Duration((1 - l.level) / l.rate * float64(time.Second))
	reply := refusal(r, http.StatusTooManyRequests, "rate limit reached")
	reply.Header.Set("Retry-After", retrySeconds(wait))
	return reply
}

func (l *rateLimit) bind(b *binding) Responder { return RateLimit(l.rate, l.burst, b.bind(l.next)) }

func (l *rateLimit) Validate() error {
	if !(l.rate > 0) || l.burst < 1 {
		return fmt.Errorf("mock: RateLimit: perSecond is %v and burst %d, want > 0 and >= 1", l.rate, l.burst)
	}
	return validateAll(l.next)
}

// QueueLimit refuses with 503 and the Retry-After what arrives while the server
// has so many requests in flight.
func QueueLimit(inFlight int, retryAfter time.Duration, next Responder) Responder {
	return queueLimit{inFlight, retryAfter, next}
}

// queueLimit goes by what the server has in flight, and needs no state.
type queueLimit struct {
	limit int
	retry time.Duration
	next  Responder
}

func (l queueLimit) Respond(r *Request) Reply {
	if r.InFlight < l.limit {
		return l.next.Respond(r)
	}
	reply := refusal(r, http.StatusServiceUnavailable, "queue is full")
	reply.Header.Set("Retry-After", retrySeconds(l.retry))
	return reply
}

func (l queueLimit) bind(b *binding) Responder { return queueLimit{l.limit, l.retry, b.bind(l.next)} }

func (l queueLimit) Validate() error {
	if l.limit < 1 || l.retry < 0 {
		return fmt.Errorf("mock: QueueLimit: inFlight is %d and retryAfter %s, want > 0 and >= 0", l.limit, l.retry)
	}
	return validateAll(l.next)
}

// validateAll also finds what was left nil.
func validateAll(rs ...Responder) error {
	for _, r := range rs {
		if r == nil {
			return errors.New("mock: a responder is nil, want a Script or another Responder")
		}
		if err := validate(r); err != nil {
			return err
		}
	}
	return nil
}

// orderMatters reports whether a responder's answers depend on which request
// came first. A Responder that does not say is taken to.
func orderMatters(r Responder) bool {
	o, ok := r.(interface{ ordered() bool })
	return !ok || o.ordered()
}

// ordered: a Script looks at the request alone.
func (Script) ordered() bool { return false }
