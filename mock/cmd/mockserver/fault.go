package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/llmbench/go/mock"
)

// fault is one fault: exactly one of its fields is set.
type fault struct {
	Stall           *stall        `yaml:"stall"`
	HangAfter       *int          `yaml:"hang_after"`
	ResetAfter      *int          `yaml:"reset_after"`
	DropAfter       *int          `yaml:"drop_after"`
	EndAfter        *int          `yaml:"end_after"`
	MalformedAfter  *int          `yaml:"malformed_after"`
	ErrorAfter      *errorAfter   `yaml:"error_after"`
	Refuse          *refuse       `yaml:"refuse"`
	HTMLPage        *int          `yaml:"html_page"`
	SlowHeaders     time.Duration `yaml:"slow_headers"`
	Bundle          *int          `yaml:"bundle"`
	Split           *split        `yaml:"split"`
	NoDone          bool          `yaml:"no_done"`
	NoFinish        bool          `yaml:"no_finish"`
	DuplicateFinish bool          `yaml:"duplicate_finish"`
	Backpressure    *int          `yaml:"backpressure"`
}

type stall struct {
	After int           `yaml:"after"`
	For   time.Duration `yaml:"for"`
}

type errorAfter struct {
	Tokens  int    `yaml:"tokens"`
	Message string `yaml:"message"`
}

type refuse struct {
	Status     int           `yaml:"status"`
	Message    string        `yaml:"message"`
	RetryAfter time.Duration `yaml:"retry_after"`
	AsDate     bool          `yaml:"as_date"`
}

type split struct {
	Pause time.Duration `yaml:"pause"`
	At    []int         `yaml:"at"`
}

// all makes faults in order, and names the one that is wrong.
func all(faults []fault) (out []mock.Fault, err error) {
	for i, f := range faults {
		made := f.make()
		if len(made) != 1 {
			err = errors.Join(err, fmt.Errorf("faults: entry %d has %d kinds, want exactly one", i, len(made)))
		}
		if r := f.Refuse; r != nil && r.RetryAfter > 0 && r.Message != "" {
			err = errors.Join(err, errors.New("refuse: message does not go with retry_after, whose message is the status"))
		}
		out = append(out, made...)
	}
	return out, err
}

func (f fault) make() (out []mock.Fault) {
	byTokens := []struct {
		n    *int
		make func(int) mock.Fault
	}{
		{f.HangAfter, mock.HangAfter}, {f.ResetAfter, mock.ResetAfter}, {f.DropAfter, mock.DropAfter}, {f.EndAfter, mock.EndAfter},
		{f.MalformedAfter, mock.MalformedAfter}, {f.HTMLPage, mock.HTMLPage}, {f.Bundle, mock.Bundle}, {f.Backpressure, mock.Backpressure},
	}
	for _, k := range byTokens {
		if k.n != nil {
			out = append(out, k.make(*k.n))
		}
	}
	byName := []struct {
		on   bool
		make func() mock.Fault
	}{
		{f.NoDone, mock.NoDone}, {f.NoFinish, mock.NoFinish}, {f.DuplicateFinish, mock.DuplicateFinish},
		{f.Stall != nil, func() mock.Fault { return mock.Stall(f.Stall.After, f.Stall.For) }},
		{f.ErrorAfter != nil, func() mock.Fault { return mock.ErrorAfter(f.ErrorAfter.Tokens, f.ErrorAfter.Message) }},
		{f.Split != nil, func() mock.Fault { return mock.Split(f.Split.Pause, f.Split.At...) }},
		{f.SlowHeaders != 0, func() mock.Fault { return mock.SlowHeaders(f.SlowHeaders) }},
		{f.Refuse != nil, func() mock.Fault { return f.Refuse.make() }},
	}
	for _, k := range byName {
		if k.on {
			out = append(out, k.make())
		}
	}
	return out
}

func (r refuse) make() mock.Fault {
	switch {
	case r.RetryAfter == 0:
		return mock.Refuse(r.Status, r.Message)
	case r.AsDate:
		return mock.RefuseUntil(r.Status, r.RetryAfter)
	}
	return mock.RefuseFor(r.Status, r.RetryAfter)
}
