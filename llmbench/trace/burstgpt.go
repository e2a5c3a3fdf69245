package trace

import (
	"io"
	"math"
	"strconv"
	"time"
)

// BurstGPT reads the CSV of the BurstGPT traces by the names of its columns, as
// newer files put two more in the middle: Timestamp in seconds, Model, Request
// tokens, Response tokens, Log Type, and where present Session ID. A response of
// 0 tokens is a failure of the service. Label is "Model, Log Type". The first
// row is instant 0.
func BurstGPT(r io.Reader) (*Trace, error) {
	t := &Trace{Name: "burstgpt", Timed: true}
	c, err := openColumns(r, t.Name, "Timestamp", "Model", "Request tokens", "Response tokens", "Log Type")
	if err != nil {
		return nil, err
	}
	turns := map[string]int{}
	for {
		more, err := c.next()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		row, err := burstRow(c)
		if err != nil {
			return nil, err
		}
		if row.Session != "" {
			row.Turn = turns[row.Session]
			turns[row.Session]++
		}
		t.Rows = append(t.Rows, row)
	}
	return fromZero(t), nil
}

func burstRow(c *columns) (row Row, err error) {
	seconds, err := strconv.ParseFloat(c.text("Timestamp"), 64)
	if err != nil || !(seconds >= 0 && seconds < 1e9) {
		return row, c.bad("Timestamp is %q, want seconds >= 0", c.text("Timestamp"))
	}
	row.At = time.Duration(math.Round(seconds * 1e9))
	if row.Input, err = c.count("Request tokens"); err != nil {
		return row, err
	}
	if row.Output, err = c.count("Response tokens"); err != nil {
		return row, err
	}
	row.Failed = row.Output == 0
	row.Session = c.text("Session ID")
	row.Label = c.text("Model") + ", " + c.text("Log Type")
	return row, nil
}
