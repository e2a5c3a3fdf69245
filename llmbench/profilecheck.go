package llmbench

import (
	"fmt"
	"time"
)

// Validate returns what [Plan] would find wrong, without making the plan: the
// error names the field, its value and what was wanted.
func (p Profile) Validate() error { return p.withDefaults().check() }

// check names the first field that makes the profile unusable, its value and
// what was wanted.
func (p Profile) check() error {
	for _, err := range []error{
		p.Arrivals.check(), p.checkLengths(), p.checkAmount(), p.checkBounds(), p.checkSlots(),
		p.checkWorkload(), p.Cancel.check(), p.Pace.check(), p.checkBody(),
	} {
		if err != nil {
			return fmt.Errorf("llmbench: profile: %w", err)
		}
	}
	return nil
}

func (p Profile) checkLengths() error {
	for _, length := range []struct {
		name  string
		value Length
	}{{"Input", p.Input}, {"Output", p.Output}} {
		if length.value == nil {
			continue
		}
		if err := length.value.check(); err != nil {
			return fmt.Errorf("%s %w", length.name, err)
		}
	}
	return nil
}

func (p Profile) checkAmount() error {
	_, ends := p.Arrivals.length().Get()
	switch {
	case p.Requests < 0:
		return wrong("Requests", "is %d, want > 0", p.Requests)
	case p.Warmup.Requests < 0:
		return wrong("Warmup.Requests", "is %d, want >= 0", p.Warmup.Requests)
	case p.Warmup.Duration < 0:
		return wrong("Warmup.Duration", "is %v, want >= 0", p.Warmup.Duration)
	case ends && p.Warmup.Duration >= p.Arrivals.length().Or(0) && p.Warmup.Duration > 0:
		return wrong("Warmup.Duration", "is %v, want under the %v of the arrivals: it is taken from them",
			p.Warmup.Duration, p.Arrivals.length().Or(0))
	case p.Cooldown < 0:
		return wrong("Cooldown", "is %v, want >= 0", p.Cooldown)
	case p.Cooldown > 0 && ends && p.Requests == 0 && p.Duration == 0:
		return wrong("Cooldown", "is %v, want 0 unless Requests or Duration ends the measured part before the arrivals end", p.Cooldown)
	case p.Duration < 0:
		return wrong("Duration", "is %v, want > 0", p.Duration)
	case p.Requests == 0 && p.Duration == 0 && !ends:
		return wrong("Requests", "and Duration are both 0, want at least one of them > 0")
	case p.Requests > 0 && p.Arrivals.Users() > p.Requests:
		return wrong("Arrivals:", "Closed users is %d, want <= Requests, which is %d: the rest would have nothing to send",
			p.Arrivals.Users(), p.Requests)
	case instant(1/float64(p.Arrivals.Rate())) == 0 && p.Requests == 0:
		return wrong("Arrivals:", "rate is %v, want under 2e9 req/s or Requests > 0: all would come at once, without end",
			float64(p.Arrivals.Rate()))
	}
	return p.checkSize()
}

// checkSize refuses a plan that would not fit into memory.
func (p Profile) checkSize() error {
	horizon := p.Warmup.Duration + p.Duration
	if length, ends := p.Arrivals.length().Get(); ends && p.Duration == 0 {
		horizon = length
	}
	planned := float64(p.Arrivals.Rate()) * horizon.Seconds()
	if p.Requests > 0 && (horizon == 0 || float64(p.Requests) < planned) {
		planned = float64(p.Requests)
	}
	planned += float64(p.Arrivals.Rate()) * p.Cooldown.Seconds()
	if planned > maxPlanned {
		return wrong("Arrivals", "and Duration or Requests plan %.3g requests, want at most %d", planned, maxPlanned)
	}
	return nil
}

func (p Profile) checkBounds() error {
	for _, bound := range []struct {
		name  string
		value time.Duration
		none  string
	}{{"Timeout", p.Timeout, "NoTimeout"}, {"Grace", p.Grace, "NoGrace"}} {
		if bound.value < 0 && bound.value != NoTimeout {
			return fmt.Errorf("%s is %v, want >= 0 or llmbench.%s", bound.name, bound.value, bound.none)
		}
	}
	switch {
	case p.Capture < 0:
		return wrong("Capture", "is %d, want >= 0", p.Capture)
	case p.IdleTimeout < 0:
		return wrong("IdleTimeout", "is %v, want >= 0", p.IdleTimeout)
	case p.FailureLimit != NoFailureLimit && !(p.FailureLimit > 0 && p.FailureLimit <= 1):
		return wrong("FailureLimit", "is %v, want a share in (0,1] or llmbench.NoFailureLimit", p.FailureLimit)
	}
	return nil
}

// checkSlots checks the caps, which a closed loop has already in its users.
func (p Profile) checkSlots() error {
	for _, slots := range []struct {
		name  string
		value int
	}{{"MaxInFlight", p.MaxInFlight}, {"MaxPrefill", p.MaxPrefill}} {
		if slots.value < 0 {
			return fmt.Errorf("%s is %d, want >= 0", slots.name, slots.value)
		}
		if slots.value > 0 && p.Arrivals.Users() > 0 {
			return fmt.Errorf("%s is %d, want 0 in a closed loop: its %d users are the bound",
				slots.name, slots.value, p.Arrivals.Users())
		}
	}
	return nil
}

// checkWorkload checks what requests are made of.
func (p Profile) checkWorkload() error {
	if p.Think != nil {
		if err := p.Think.check(); err != nil {
			return wrong("Think", "%w", err)
		}
	}
	_, replayed := p.Arrivals.(replay)
	switch {
	case p.Dataset != nil && len(p.Dataset.Rows) == 0:
		return wrong("Dataset", "is %v, want at least one row", p.Dataset)
	case p.Dataset != nil && replayed:
		return wrong("Dataset", "is %v, want none under Replay, whose trace has the requests", p.Dataset)
	case len(p.Classes) > 0 && (p.Dataset != nil || replayed):
		return wrong("Classes", "are given beside a trace, want one of them: its rows have labels of their own")
	case p.Sessions.Turns != nil && (p.Dataset != nil || replayed):
		return wrong("Sessions.Turns", "is given beside a trace, want one of them: its rows have sessions of their own")
	case p.Prompt.Calibrate && p.Prompt.TokensPerWord > 0:
		return wrong("Prompt.TokensPerWord", "is %v, want 0 when Prompt.Calibrate finds it out", p.Prompt.TokensPerWord)
	}
	if err := p.Sessions.check(); err != nil {
		return err
	}
	if err := checkClasses(p.Classes); err != nil {
		return err
	}
	return p.Prompt.check()
}

func (p Profile) checkBody() error {
	switch p.Body.LimitField {
	case "", "max_tokens", "max_completion_tokens", "both":
	default:
		return wrong("Body.LimitField", "is %q, want max_tokens, max_completion_tokens or both", p.Body.LimitField)
	}
	if p.Body.MinTokens < 0 {
		return wrong("Body.MinTokens", "is %d, want >= 0", p.Body.MinTokens)
	}
	return nil
}

// wrong is the error of a field: its name, its value and what was wanted.
func wrong(field, format string, args ...any) error {
	return fmt.Errorf("%s "+format, append([]any{field}, args...)...)
}
